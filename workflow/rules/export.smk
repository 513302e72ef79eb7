# Write trained models for other tools (docs/export.md).  Nothing here is made by default.


rule export:
    """Export the runs of Table 2, for every language pair, but for those that cannot be exported."""
    input:
        exports,


# On the CPU, where it takes seconds: all GPUs may be full of trainings.
rule export_model:
    """Write a model as a folder for Hugging Face's MarianMTModel."""
    input:
        weights=held_model,
        description="<results>/runs/{run}/{source}-{target}/averaged/model.json",
        subwords=rules.learn_subwords.output.model,
        config=rules.resolve_run.output,
        scores="<results>/runs/{run}/{source}-{target}/scores.json",
        perplexity="<results>/runs/{run}/{source}-{target}/perplexity.json",
        sources=SOURCES,
    output:
        directory("<results>/export/{run}/{source}-{target}/huggingface"),
    log:
        "<logs>/export_model/{run}/{source}-{target}.log",
    resources:
        **JOBS.needs(decoding_mb, 30),
    params:
        code=code_of("transformer.export.export_model"),
        data=lambda w: INPUTS.terms(pair_of(w)),
        model=subpath(input.weights, parent=True),
    shell:
        "python -m transformer.workflow.reserve"
        " --gpus 0"
        " python -m transformer.export.export_model"
        " --model {params.model:q}"
        " --subwords {input.subwords:q}"
        " --config {input.config:q}"
        " --scores {input.scores:q}"
        " --perplexity {input.perplexity:q}"
        " --data {params.data:q}"
        " --output {output:q}"
        " > {log:q} 2>&1"
