# Measure the layer types of Table 1 (section 4 of the paper).


rule measure_layers:
    """Count the operations of each layer type, and measure its time at the width of the base model.

    Test with: snakemake --cores all results/demo/layers.json
    """
    input:
        config=f"{RESULTS}/runs/base/{SETTINGS.pairs[0]}/config.json",
    output:
        layers=f"{RESULTS}/layers.json",
        times=f"{RESULTS}/layer_times.csv",
        sums=f"{RESULTS}/layer_times.sha256",
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
        gpu=gpus_here,
    shell:
        "OMP_NUM_THREADS={threads} python {params.workflow:q}/gpus.py {resources.gpu} python {params.src:q}/transformer/inspection/measure_layers.py"
        " --config {input.config:q}"
        " --output {output.layers:q}"
        " --times {output.times:q}"
        " > {log:q} 2>&1"
