# Measure the layer types of Table 1 (section 4 of the paper).


rule measure_layers:
    """Count the operations of each layer type, and the steps that signals take in it."""
    output:
        layers="<results>/layers.json",
    log:
        "<logs>/measure_layers.log",
    params:
        code=code_of("transformer.inspection.measure_layers"),
    shell:
        "OMP_NUM_THREADS={threads} python -m transformer.inspection.measure_layers"
        " --output {output.layers:q} > {log:q} 2>&1"
