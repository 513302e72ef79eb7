# Write trained models in the formats of other tools (docs/export.md).  Nothing here is made by default.


# Each format is asked for the runs that it can hold; the others would fail only once they are trained.
EXPORTS = [
    f"<results>/export/{shown(run)}/{pair}/{format}"
    for run in TABLE2_RUNS
    for pair in SETTINGS.pairs
    for format in formats_of(SETTINGS.run(run, pair)["model"])
]


rule export:
    """Export the runs of Table 2, for every language pair, to each format that can hold them.

    Test with: snakemake --cores all export
    """
    input:
        EXPORTS,


rule export_huggingface:
    """Write a model as a folder for Hugging Face's MarianMTModel.

    Test with: snakemake --cores all results/demo/export/base/en-de/huggingface
    """
    input:
        weights=rules.average_checkpoints.output.weights,
        description=rules.average_checkpoints.output.description,
        subwords=rules.learn_subwords.output.model,
        config=rules.resolve_run.output,
        scores=rules.score_bleu.output.scores,
        translation=rules.translate.output.text,
        sources=SOURCES,
    output:
        directory("<results>/export/{run}/{source}-{target}/huggingface"),
    resources:
        mem_mb=memory(decoding_mb),
        runtime=30,
    params:
        format="huggingface",
        data=data_of,
        model=subpath(input.weights, parent=True),
    shell:
        "python {params.src:q}/transformer/export/export_model.py"
        " --format {params.format}"
        " --model {params.model:q}"
        " --subwords {input.subwords:q}"
        " --config {input.config:q}"
        " --scores {input.scores:q}"
        " --translation {input.translation:q}"
        " --data {params.data:q}"
        " --output {output:q}"
        " > {log:q} 2>&1"


use rule export_huggingface as export_ctranslate2 with:
    """Write a model as a folder for CTranslate2.

    Test with: snakemake --cores all results/demo/export/base/en-de/ctranslate2
    """
    output:
        directory("<results>/export/{run}/{source}-{target}/ctranslate2"),
    params:
        format="ctranslate2",
