# Translate the test set and the development set.  The wildcard `set` is empty for the test set, and `last/` for the
# development set, which the last checkpoint translates (Table 3).


rule translate:
    """Translate a test set or the development set."""
    input:
        weights=lambda w: f"{model_of(w)}/model.safetensors",
        description=lambda w: f"{model_of(w)}/model.json",
        subwords=rules.learn_subwords.output.model,
        text="<clean>/{split}.{source}",
    output:
        text="<results>/runs/{run}/{source}-{target}/{set}{split}.{target}",
        report="<results>/runs/{run}/{source}-{target}/{set}{split}.decoding.json",
    log:
        "<logs>/translate/{run}/{source}-{target}/{set}{split}.log",
    wildcard_constraints:
        split="dev|test",
    resources:
        **JOBS.needs_gpu(decoding_mb, 4 * 60),
    params:
        code=code_of("transformer.decoding.translate"),
        gpus=JOBS.gpus_option,
        portable=JOBS.portable_option,
        # The list is not an output, since only some runs have one.
        search=search_options,
        model=subpath(input.weights, parent=True),
    shell:
        "OMP_NUM_THREADS={threads} python -m transformer.workflow.reserve"
        " {params.gpus:q} {params.portable:q}"
        " python -m transformer.decoding.translate"
        " --model {params.model:q} --subwords {input.subwords:q}"
        " {params.search:q}"
        " --input {input.text:q}"
        " --output {output.text:q} --report {output.report:q} > {log:q} 2>&1"
