# Write each score to a small JSON file, which the tables read.


rule score_perplexity:
    """Measure the perplexity per subword on the development and test sets.

    Test with: snakemake --cores all results/demo/runs/base/en-de/perplexity.json
    """
    input:
        weights=rules.average_checkpoints.output.weights,
        description=rules.average_checkpoints.output.description,
        dev=expand(rules.encode.output, split="dev", allow_missing=True),
        test=expand(rules.encode.output, split="test", allow_missing=True),
    output:
        scores="<results>/runs/{run}/{source}-{target}/perplexity.json",
        sentences="<results>/runs/{run}/{source}-{target}/perplexity.csv",
    threads: 1
    resources:
        mem_mb=memory(scoring_mb),
        runtime=60,
        gpu=gpus_here,
        gres=gres,
    params:
        launch=launch,
        model=subpath(input.weights, parent=True),
        data=lambda w, input: os.path.dirname(input.dev[0]),
        splits="--split dev --split test",
    shell:
        "OMP_NUM_THREADS={threads} {params.launch:q} python {params.src:q}/transformer/training/score_perplexity.py"
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
        weights=rules.last_checkpoint.output.weights,
        description=rules.last_checkpoint.output.description,
        dev=rules.score_perplexity.input.dev,
    output:
        scores="<results>/runs/{run}/{source}-{target}/last/perplexity.json",
        sentences="<results>/runs/{run}/{source}-{target}/last/perplexity.csv",
    params:
        splits="--split dev",


rule score_bleu:
    """Measure BLEU on the test set.

    Test with: snakemake --cores all results/demo/runs/base/en-de/scores.json
    """
    input:
        hypothesis=rules.translate.output.text,
        report=rules.translate.output.report,
        reference="<data>/clean/{source}-{target}/test.{target}",
        source="<data>/clean/{source}-{target}/test.{source}",
        checkpoint=rules.average_checkpoints.output.weights,
        config=rules.resolve_run.output,
    output:
        scores="<results>/runs/{run}/{source}-{target}/scores.json",
        sentences="<results>/runs/{run}/{source}-{target}/scores.csv",
    resources:
        mem_mb=memory(2000),
        runtime=30,
        gres=gres,  # as in average_checkpoints
    shell:
        "python {params.src:q}/transformer/scoring/score_bleu.py"
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
        source=rules.score_bleu.input.source,
        reference=rules.score_bleu.input.reference,
    output:
        "<results>/baselines/{source}-{target}.json",
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        dictionary="--dictionary" if SETTINGS.grammar else "",
    shell:
        "python {params.src:q}/transformer/scoring/score_baselines.py"
        " --pair {wildcards.source}-{wildcards.target}"
        " --source {input.source:q}"
        " --reference {input.reference:q}"
        " {params.dictionary}"
        " --output {output:q}"
        " > {log:q} 2>&1"


use rule score_bleu as score_further_test with:
    """Measure BLEU on a further test set.

    Test with: snakemake --cores all results/test_sets.md --config scale=small 'further_tests=[multi30k-2017-flickr]'
    """
    input:
        hypothesis=rules.translate_further_test.output.text,
        report=rules.translate_further_test.output.report,
        reference="<data>/clean/{source}-{target}/tests/{test}.{target}",
        source="<data>/clean/{source}-{target}/tests/{test}.{source}",
        checkpoint=rules.average_checkpoints.output.weights,
        config=rules.resolve_run.output,
    output:
        scores="<results>/runs/{run}/{source}-{target}/tests/{test}/scores.json",
        sentences="<results>/runs/{run}/{source}-{target}/tests/{test}/scores.csv",


use rule score_bleu as score_dev_bleu with:
    """Measure BLEU of the last checkpoint on the development set, for Table 3.

    Test with: snakemake --cores all results/demo/runs/base/en-de/last/scores.json
    """
    input:
        hypothesis=rules.translate_dev.output.text,
        report=rules.translate_dev.output.report,
        reference="<data>/clean/{source}-{target}/dev.{target}",
        source="<data>/clean/{source}-{target}/dev.{source}",
        checkpoint=rules.last_checkpoint.output.weights,
        config=rules.resolve_run.output,
    output:
        scores="<results>/runs/{run}/{source}-{target}/last/scores.json",
        sentences="<results>/runs/{run}/{source}-{target}/last/scores.csv",
