# Parse the test sentences with the parsers of Table 4, and score the parses.  parsing_data.smk makes the parsers' data,
# and the rule `train` trains them.


rule parse:
    """Parse the test sentences.

    `constrained`: the beam search considers only trees.  `unconstrained`, as in the paper: the model may write any
    symbols, and malformed trees are repaired."""
    input:
        weights="<run>/averaged/model.safetensors",
        description="<run>/averaged/model.json",
        subwords="<subwords>/subwords.model",
        symbols="<subwords>/symbols.json",
        text="<clean>/test.{source}",
    output:
        trees="<results>/runs/{run}/{source}-{target}/{search}.trees",
        report="<results>/runs/{run}/{source}-{target}/{search}.decoding.json",
    log:
        "<logs>/parse/{run}/{source}-{target}/{search}.log",
    wildcard_constraints:
        search="constrained|unconstrained",
    resources:
        **JOBS.needs_gpu(decoding_mb, 4 * 60),
    params:
        code=code_of("transformer.parsing.parse"),
        gpus=JOBS.gpus_option,
        portable=JOBS.portable_option,
        decoding=lambda w: SETTINGS.decoding(w.run, pair_of(w)),
        model=subpath(input.weights, parent=True),
        search=lambda w: [] if w.search == "constrained" else ["--unconstrained"],
    shell:
        "OMP_NUM_THREADS={threads} python -m transformer.workflow.reserve"
        " {params.gpus:q} {params.portable:q}"
        " python -m transformer.parsing.parse"
        " --model {params.model:q} --subwords {input.subwords:q} --symbols {input.symbols:q}"
        " --beam-size {params.decoding[beam_size]} --alpha {params.decoding[alpha]}"
        " --max-extra-tokens {params.decoding[max_extra_tokens]}"
        " {params.search:q}"
        " --input {input.text:q}"
        " --output {output.trees:q} --report {output.report:q} > {log:q} 2>&1"


# --gold-tags: EVALB leaves out punctuation, which it recognises by its tag.  So both trees get the same tags.
rule score_parses:
    """Measure F1 as the EVALB program does, of constrained decoding (`parses`) or of that of the paper."""
    input:
        gold=expand(TREES, split="test"),
        predicted=lambda w: f"<run>/{w.score.replace('parses', 'constrained')}.trees",
        report=lambda w: f"<run>/{w.score.replace('parses', 'constrained')}.decoding.json",
        checkpoint="<run>/averaged/model.safetensors",
        config=rules.resolve_run.output,
    output:
        scores="<results>/runs/{run}/{source}-{target}/{score}.json",
        sentences="<results>/runs/{run}/{source}-{target}/{score}.csv",
    log:
        "<logs>/score_parses/{run}/{source}-{target}/{score}.log",
    wildcard_constraints:
        score="parses|unconstrained",
    resources:
        **JOBS.needs(1000, 30),
        gres=JOBS.gres,  # as in average_checkpoints
    params:
        code=code_of("transformer.parsing.score_parses"),
    shell:
        "python -m transformer.parsing.score_parses"
        " --gold {input.gold:q} --predicted {input.predicted:q}"
        " --gold-tags"
        " --decoding {input.report:q}"
        " --checkpoint {input.checkpoint:q} --config {input.config:q}"
        " --output {output.scores:q} --per-sentence {output.sentences:q} > {log:q} 2>&1"
