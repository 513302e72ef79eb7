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
    threads: 1
    resources:
        **JOBS.needs_gpu(2000, 30, whole=True),
    params:
        code=code_of("transformer.inspection.measure_layers"),
        gpus=JOBS.gpus_option,
    shell:
        "OMP_NUM_THREADS={threads} python -m transformer.workflow.reserve"
        " {params.gpus:q}"
        " python -m transformer.inspection.measure_layers"
        " --config {input.config:q}"
        " --output {output.layers:q}"
        " --times {output.times:q}"
        " > {log:q} 2>&1"
