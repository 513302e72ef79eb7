# Measure the layer types of Table 1 (section 4 of the paper).


rule measure_layers:
    """Count the operations of each layer type, and measure its time at the width of the base model."""
    input:
        config=f"<results>/runs/{SETTINGS.first_seed('base')}/{PAIR}/config.json",
    output:
        layers="<results>/layers.json",
        times="<results>/layer_times.csv",
        sums="<results>/layer_times.sha256",
    log:
        "<logs>/measure_layers.log",
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        **JOBS.needs_gpu(2000, 30, whole=True),
    params:
        **program("inspection/measure_layers.py"),
        gpus=JOBS.gpus_option,
    shell:
        "PYTHONPATH={params.path:q} OMP_NUM_THREADS={threads} python {params.src:q}/transformer/workflow/reserve.py"
        " {params.gpus:q}"
        " python {params.src:q}/transformer/inspection/measure_layers.py"
        " --config {input.config:q}"
        " --output {output.layers:q}"
        " --times {output.times:q}"
        " > {log:q} 2>&1"
