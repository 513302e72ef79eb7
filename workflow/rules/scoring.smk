# Write each score to a small JSON file, which the tables read.


rule score_perplexity:
    """Measure the perplexity per subword on the development and test sets.

    Test with: snakemake --cores all results/demo/runs/base/en-de/perplexity.json
    """
    input:
        weights="<results>/runs/{run}/{source}-{target}/averaged/model.safetensors",
        description="<results>/runs/{run}/{source}-{target}/averaged/model.json",
        dev=expand(rules.encode.output, split="dev", allow_missing=True),
        test=expand(rules.encode.output, split="test", allow_missing=True),
    output:
        scores="<results>/runs/{run}/{source}-{target}/perplexity.json",
        sentences="<results>/runs/{run}/{source}-{target}/perplexity.csv",
    log:
        "<logs>/score_perplexity/{run}/{source}-{target}.log",
    benchmark:
        "<logs>/score_perplexity/{run}/{source}-{target}.tsv"
    priority: FIRST
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=memory(scoring_mb),
        runtime=60,
        gpu=gpus_here,
        gres=gres,
    params:
        **program("training/score_perplexity.py"),
        gpus=gpus_option,
        model=subpath(input.weights, parent=True),
        data=lambda w, input: os.path.dirname(input.dev[0]),
        splits="--split dev --split test",
    shell:
        "PYTHONPATH={params.path:q} OMP_NUM_THREADS={threads} python {params.src:q}/transformer/workflow/reserve.py"
        " {params.gpus:q}"
        " python {params.src:q}/transformer/training/score_perplexity.py"
        " --model {params.model:q}"
        " --data {params.data:q}"
        " {params.splits}"
        " --output {output.scores:q}"
        " > {log:q} 2>&1"


use rule score_perplexity as score_dev_perplexity with:
    """Measure the perplexity of the last checkpoint on the development set, for Table 3.

    Test with: snakemake --cores all results/demo/runs/base/en-de/last/perplexity.json
    """
    input:
        weights="<results>/runs/{run}/{source}-{target}/last/model.safetensors",
        description="<results>/runs/{run}/{source}-{target}/last/model.json",
        dev=rules.score_perplexity.input.dev,
    output:
        scores="<results>/runs/{run}/{source}-{target}/last/perplexity.json",
        sentences="<results>/runs/{run}/{source}-{target}/last/perplexity.csv",
    log:
        "<logs>/score_dev_perplexity/{run}/{source}-{target}.log",
    benchmark:
        "<logs>/score_dev_perplexity/{run}/{source}-{target}.tsv"
    params:
        splits="--split dev",


rule score_bleu:
    """Measure BLEU on a test set.

    Test with: snakemake --cores all results/demo/runs/base/en-de/scores.json
    """
    input:
        hypothesis=rules.translate.output.text,
        report=rules.translate.output.report,
        reference=text_of("target"),
        source=text_of("source"),
        checkpoint="<results>/runs/{run}/{source}-{target}/averaged/model.safetensors",
        config=rules.resolve_run.output,
    output:
        scores="<results>/runs/{run}/{source}-{target}/{set}scores.json",
        sentences="<results>/runs/{run}/{source}-{target}/{set}scores.csv",
    log:
        "<logs>/score_bleu/{run}/{source}-{target}/{set}test.log",
    priority: FIRST
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(2000),
        runtime=30,
        gres=gres,  # as in average_checkpoints
    params:
        **program("scoring/score_bleu.py"),
    shell:
        "PYTHONPATH={params.path:q} python {params.src:q}/transformer/scoring/score_bleu.py"
        " --hypothesis {input.hypothesis:q}"
        " --reference {input.reference:q}"
        " --language {wildcards.target}"
        " --checkpoint {input.checkpoint:q}"
        " --config {input.config:q}"
        " --source {input.source:q}"
        " --decoding {input.report:q}"
        " --output {output.scores:q}"
        " --per-sentence {output.sentences:q}"
        " > {log:q} 2>&1"


rule score_baselines:
    """Measure BLEU of the baselines: copying the source and, on the demo corpus, a word-for-word dictionary.

    Test with: snakemake --cores all results/demo/baselines/en-de.json
    """
    input:
        source="<data>/clean/{source}-{target}/test.{source}",
        reference="<data>/clean/{source}-{target}/test.{target}",
    output:
        "<results>/baselines/{source}-{target}.json",
    log:
        "<logs>/score_baselines/{source}-{target}.log",
    priority: FIRST
    conda:
        ENVIRONMENT
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        **program("scoring/score_baselines.py"),
        dictionary="--dictionary" if SETTINGS.grammar else "",
    shell:
        "PYTHONPATH={params.path:q} python {params.src:q}/transformer/scoring/score_baselines.py"
        " --pair {wildcards.source}-{wildcards.target}"
        " --source {input.source:q}"
        " --reference {input.reference:q}"
        " {params.dictionary}"
        " --output {output:q}"
        " > {log:q} 2>&1"


use rule score_bleu as score_dev_bleu with:
    """Measure BLEU of the last checkpoint on the development set, for Table 3.

    Test with: snakemake --cores all results/demo/runs/base/en-de/last/scores.json
    """
    input:
        hypothesis=rules.translate_dev.output.text,
        report=rules.translate_dev.output.report,
        reference="<data>/clean/{source}-{target}/dev.{target}",
        source="<data>/clean/{source}-{target}/dev.{source}",
        checkpoint="<results>/runs/{run}/{source}-{target}/last/model.safetensors",
        config=rules.resolve_run.output,
    output:
        scores="<results>/runs/{run}/{source}-{target}/last/scores.json",
        sentences="<results>/runs/{run}/{source}-{target}/last/scores.csv",
    log:
        "<logs>/score_dev_bleu/{run}/{source}-{target}.log",
