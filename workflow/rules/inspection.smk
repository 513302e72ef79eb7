# Measure the layer types of Table 1 (section 4 of the paper), and what the paper says of its parts.


rule measure_layers:
    """Count the operations of each layer type, and measure its time at the width of the base model.

    Test with: snakemake --cores all results/demo/layers.json
    """
    input:
        config=f"<results>/runs/{shown('base')}/{PAIR}/config.json",
    output:
        layers="<results>/layers.json",
        times="<results>/layer_times.csv",
        sums="<results>/layer_times.sha256",
    log:
        "<logs>/measure_layers.log",
    benchmark:
        "<logs>/measure_layers.tsv"
    priority: FIRST
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=30,
        gpu=gpus_here,
        gres=gres,
    params:
        **program("inspection/measure_layers.py"),
        gpus=gpus_option,
    shell:
        "PYTHONPATH={params.path:q} OMP_NUM_THREADS={threads} python {params.src:q}/transformer/workflow/reserve.py"
        " {params.gpus:q}"
        " python {params.src:q}/transformer/inspection/measure_layers.py"
        " --config {input.config:q}"
        " --output {output.layers:q}"
        " --times {output.times:q}"
        " > {log:q} 2>&1"


# On the CPU, where it takes minutes at the paper's scale: all GPUs may be full of trainings.
rule measure_properties:
    """Measure what the paper says of dot products, of positions and of attention heads.

    Test with: snakemake --cores all results/demo/properties.json
    """
    input:
        weights=f"<results>/runs/{shown('base')}/{PAIR}/averaged/model.safetensors",
        description=f"<results>/runs/{shown('base')}/{PAIR}/averaged/model.json",
        config=f"<results>/runs/{shown('base')}/{PAIR}/config.json",
        subwords=f"<data>/subwords/{PAIR}/subwords.model",
        # The trees are English; another encoder would not know their words.
        trees=(
            expand("<data>/clean/trees/{split}.trees", split=["dev", "test"])
            if TREEBANK and PAIR.startswith("en-")
            else []
        ),
    output:
        "<results>/properties.json",
    log:
        "<logs>/measure_properties.log",
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **program("inspection/measure_properties.py"),
        portable=portable_option_of_base,
        model=subpath(input.weights, parent=True),
        trees=lambda w, input: ["--trees", *input.trees] if input.trees else [],
        anaphora=(
            ["--anaphora"]
            if SETTINGS.grammar and SETTINGS.parsing and SETTINGS.parsing["source"] == "grammar"
            else []
        ),
    shell:
        "PYTHONPATH={params.path:q} OMP_NUM_THREADS={threads} python {params.src:q}/transformer/workflow/reserve.py"
        " --gpus 0 {params.portable:q}"
        " python {params.src:q}/transformer/inspection/measure_properties.py"
        " --model {params.model:q}"
        " --config {input.config:q}"
        " --subwords {input.subwords:q}"
        " {params.trees:q}"
        " {params.anaphora:q}"
        " --output {output:q}"
        " > {log:q} 2>&1"
