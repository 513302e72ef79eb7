# Measure the layer types of Table 1 (section 4 of the paper).


rule measure_layers:
    """Count the operations of each layer type, and measure its time at the width of the base model.

    Test with: snakemake --cores all results/demo/layers.json
    """
    input:
        config=f"<results>/runs/base/{SETTINGS.pairs[0]}/config.json",
    output:
        layers="<results>/layers.json",
        times="<results>/layer_times.csv",
        sums="<results>/layer_times.sha256",
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=30,
        gpu=gpus_here,
    params:
        launch=launch,
    shell:
        "OMP_NUM_THREADS={threads} {params.launch:q} python {params.src:q}/transformer/inspection/measure_layers.py"
        " --config {input.config:q}"
        " --output {output.layers:q}"
        " --times {output.times:q}"
        " > {log:q} 2>&1"
