# Translate the test set, further test sets and the development set.


rule translate:
    """Translate the test set.

    Test with: snakemake --cores all results/demo/runs/base/en-de/test.de
    """
    input:
        weights=rules.average_checkpoints.output.weights,
        description=rules.average_checkpoints.output.description,
        subwords=rules.learn_subwords.output.model,
        text="<data>/clean/{source}-{target}/test.{source}",
    output:
        text="<results>/runs/{run}/{source}-{target}/test.{target}",
        report="<results>/runs/{run}/{source}-{target}/test.decoding.json",
    threads: 1
    resources:
        mem_mb=memory(decoding_mb),
        runtime=4 * 60,
        gpu=gpus_here,
        gres=gres,
    params:
        launch=launch,
        # The list is not an output, since only some runs have one.
        search=search_options,
        model=subpath(input.weights, parent=True),
    shell:
        "OMP_NUM_THREADS={threads} {params.launch:q} python {params.src:q}/transformer/decoding/translate.py"
        " --model {params.model:q}"
        " --subwords {input.subwords:q}"
        " {params.search}"
        " --input {input.text:q}"
        " --output {output.text:q}"
        " --report {output.report:q}"
        " > {log:q} 2>&1"


use rule translate as translate_further_test with:
    """Translate a further test set.

    Test with: snakemake --cores all results/test_sets.md --config scale=small 'further_tests=[multi30k-2017-flickr]'
    """
    input:
        weights=rules.average_checkpoints.output.weights,
        description=rules.average_checkpoints.output.description,
        subwords=rules.learn_subwords.output.model,
        text="<data>/clean/{source}-{target}/tests/{test}.{source}",
    output:
        text="<results>/runs/{run}/{source}-{target}/tests/{test}/test.{target}",
        report="<results>/runs/{run}/{source}-{target}/tests/{test}/test.decoding.json",


use rule translate as translate_dev with:
    """Translate the development set with the last checkpoint, for Table 3.

    Test with: snakemake --cores all results/demo/runs/base/en-de/last/dev.de
    """
    input:
        weights=rules.last_checkpoint.output.weights,
        description=rules.last_checkpoint.output.description,
        subwords=rules.learn_subwords.output.model,
        text="<data>/clean/{source}-{target}/dev.{source}",
    output:
        text="<results>/runs/{run}/{source}-{target}/last/dev.{target}",
        report="<results>/runs/{run}/{source}-{target}/last/dev.decoding.json",
