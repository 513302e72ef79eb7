# Write each score to a small JSON file, which the tables read.  decoding.smk explains the wildcard `set`.


rule score_perplexity:
    """Measure the perplexity per subword on the development and test sets, for Table 3 on the former."""
    input:
        weights=lambda w: f"{model_of(w)}/model.safetensors",
        description=lambda w: f"{model_of(w)}/model.json",
        dev=expand(rules.encode.output, split="dev", allow_missing=True),
        test=lambda w: [] if w.set else expand(rules.encode.output, split="test", allow_missing=True),
    output:
        scores="<results>/runs/{run}/{source}-{target}/{set}perplexity.json",
        sentences="<results>/runs/{run}/{source}-{target}/{set}perplexity.csv",
    log:
        "<logs>/score_perplexity/{run}/{source}-{target}/{set}perplexity.log",
    resources:
        **JOBS.needs_gpu(scoring_mb, 60),
    params:
        code=code_of("transformer.training.score_perplexity"),
        gpus=JOBS.gpus_option,
        portable=JOBS.portable_option,
        model=subpath(input.weights, parent=True),
        data=lambda w, input: os.path.dirname(input.dev[0]),
        test=lambda w: [] if w.set else ["--split", "test"],
    shell:
        "OMP_NUM_THREADS={threads} python -m transformer.workflow.reserve"
        " {params.gpus:q} {params.portable:q}"
        " python -m transformer.training.score_perplexity"
        " --model {params.model:q} --data {params.data:q}"
        " --split dev"
        " {params.test:q}"
        " --output {output.scores:q} > {log:q} 2>&1"


rule score_bleu:
    """Measure BLEU on a test set or the development set."""
    input:
        hypothesis=branch(lambda w: w.set, "<run>/last/dev.{target}", "<run>/test.{target}"),
        report=branch(lambda w: w.set, "<run>/last/dev.decoding.json", "<run>/test.decoding.json"),
        reference=branch(lambda w: w.set, "<clean>/dev.{target}", "<clean>/test.{target}"),
        source=branch(lambda w: w.set, "<clean>/dev.{source}", "<clean>/test.{source}"),
        checkpoint=lambda w: f"{model_of(w)}/model.safetensors",
        config=rules.resolve_run.output,
    output:
        scores="<results>/runs/{run}/{source}-{target}/{set}scores.json",
        sentences="<results>/runs/{run}/{source}-{target}/{set}scores.csv",
    log:
        "<logs>/score_bleu/{run}/{source}-{target}/{set}bleu.log",
    resources:
        **JOBS.needs(2000, 30),
        gres=JOBS.gres,  # as in average_checkpoints
    params:
        code=code_of("transformer.scoring.score_bleu"),
    shell:
        "python -m transformer.scoring.score_bleu"
        " --hypothesis {input.hypothesis:q} --reference {input.reference:q}"
        " --language {wildcards.target}"
        " --checkpoint {input.checkpoint:q} --config {input.config:q}"
        " --source {input.source:q}"
        " --decoding {input.report:q}"
        " --output {output.scores:q} --per-sentence {output.sentences:q} > {log:q} 2>&1"
