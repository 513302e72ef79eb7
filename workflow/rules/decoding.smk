# Translate the test set, further test sets and the development set.  The wildcard `set` is empty for the test set, and
# `tests/NAME/` for a further one.


rule translate:
    """Translate a test set.

    Test with: snakemake --cores all results/demo/runs/base/en-de/test.de
    """
    input:
        weights="<results>/runs/{run}/{source}-{target}/averaged/model.safetensors",
        description="<results>/runs/{run}/{source}-{target}/averaged/model.json",
        subwords=rules.learn_subwords.output.model,
        text=text_of("source"),
    output:
        text="<results>/runs/{run}/{source}-{target}/{set}test.{target}",
        report="<results>/runs/{run}/{source}-{target}/{set}test.decoding.json",
    log:
        "<logs>/translate/{run}/{source}-{target}/{set}test.log",
    benchmark:
        "<logs>/translate/{run}/{source}-{target}/{set}test.tsv"
    priority: FIRST
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=memory(decoding_mb),
        runtime=4 * 60,
        gpu=gpus_here,
        gres=gres,
    params:
        **program("decoding/translate.py"),
        gpus=gpus_option,
        decoding=decoding_of,
        model=subpath(input.weights, parent=True),
    shell:
        "PYTHONPATH={params.path:q} OMP_NUM_THREADS={threads} python {params.src:q}/transformer/workflow/reserve.py"
        " {params.gpus:q}"
        " python {params.src:q}/transformer/decoding/translate.py"
        " --model {params.model:q}"
        " --subwords {input.subwords:q}"
        " --beam-size {params.decoding[beam_size]}"
        " --alpha {params.decoding[alpha]}"
        " --max-extra-tokens {params.decoding[max_extra_tokens]}"
        " --input {input.text:q}"
        " --output {output.text:q}"
        " --report {output.report:q}"
        " > {log:q} 2>&1"


use rule translate as translate_dev with:
    """Translate the development set with the last checkpoint, for Table 3.

    Test with: snakemake --cores all results/demo/runs/base/en-de/last/dev.de
    """
    input:
        weights="<results>/runs/{run}/{source}-{target}/last/model.safetensors",
        description="<results>/runs/{run}/{source}-{target}/last/model.json",
        subwords=rules.learn_subwords.output.model,
        text="<data>/clean/{source}-{target}/dev.{source}",
    output:
        text="<results>/runs/{run}/{source}-{target}/last/dev.{target}",
        report="<results>/runs/{run}/{source}-{target}/last/dev.decoding.json",
    log:
        "<logs>/translate_dev/{run}/{source}-{target}.log",
    benchmark:
        "<logs>/translate_dev/{run}/{source}-{target}.tsv"
