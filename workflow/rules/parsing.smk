# Parse the test sentences with the parsers of Table 4, and score the parses.  parsing_data.smk makes the parsers' data,
# and the rule `train` trains them.


rule parse:
    """Parse the test sentences; the beam search considers only trees.

    Test with: snakemake --cores all results/demo/runs/parser/en-trees/constrained.trees
    """
    input:
        weights=rules.average_checkpoints.output.weights,
        description=rules.average_checkpoints.output.description,
        subwords=f"{DATA}/subwords/{{source}}-{{target}}/subwords.model",
        symbols=f"{DATA}/subwords/{{source}}-{{target}}/symbols.json",
        text=f"{DATA}/clean/{{source}}-{{target}}/test.{{source}}",
    output:
        trees=f"{RUN}/constrained.trees",
        report=f"{RUN}/constrained.decoding.json",
    wildcard_constraints:
        target=PARSING_DATA,
    threads: 1
    resources:
        mem_mb=memory(decoding_mb),
        runtime=4 * 60,
        gpu=gpus_here,
        gres=gres,
    params:
        decoding=decoding_of,
        precision=precision_of,
        model=folder_of_input,
        options=[],
    shell:
        "OMP_NUM_THREADS={threads} python {params.workflow:q}/gpus.py {resources.gpu} python {params.src:q}/transformer/parsing/parse.py"
        " --model {params.model:q}"
        " --subwords {input.subwords:q}"
        " --symbols {input.symbols:q}"
        " --beam-size {params.decoding[beam_size]}"
        " --alpha {params.decoding[alpha]}"
        " --max-extra-tokens {params.decoding[max_extra_tokens]}"
        " --precision {params.precision}"
        " {params.options:q}"
        " --input {input.text:q}"
        " --output {output.trees:q}"
        " --report {output.report:q}"
        " > {log:q} 2>&1"


use rule parse as parse_unconstrained with:
    """Parse the test sentences as in the paper: the model may write any symbols, and malformed trees are repaired.

    Test with: snakemake --cores all results/demo/runs/parser/en-trees/unconstrained.trees
    """
    output:
        trees=f"{RUN}/unconstrained.trees",
        report=f"{RUN}/unconstrained.decoding.json",
    params:
        decoding=decoding_of,
        precision=precision_of,
        model=folder_of_input,
        options=["--unconstrained"],


# --gold-tags: EVALB leaves out punctuation, which it recognises by its tag.  So both trees get the same tags.
rule score_parses:
    """Measure F1 as the EVALB program does.

    Test with: snakemake --cores all results/demo/runs/parser/en-trees/parses.json
    """
    input:
        gold=expand(TREES, split="test"),
        predicted=rules.parse.output.trees,
        report=rules.parse.output.report,
        checkpoint=rules.average_checkpoints.output.weights,
        config=rules.resolve_run.output,
    output:
        scores=f"{RUN}/parses.json",
        sentences=f"{RUN}/parses.csv",
    wildcard_constraints:
        target=PARSING_DATA,
    resources:
        mem_mb=1000,
        runtime=30,
    shell:
        "python {params.src:q}/transformer/parsing/score_parses.py"
        " --gold {input.gold:q}"
        " --predicted {input.predicted:q}"
        " --gold-tags"
        " --decoding {input.report:q}"
        " --checkpoint {input.checkpoint:q}"
        " --config {input.config:q}"
        " --output {output.scores:q}"
        " --per-sentence {output.sentences:q}"
        " > {log:q} 2>&1"


use rule score_parses as score_unconstrained with:
    """Measure F1 of unconstrained decoding, which the paper uses.

    Test with: snakemake --cores all results/demo/runs/parser/en-trees/unconstrained.json
    """
    input:
        gold=expand(TREES, split="test"),
        predicted=rules.parse_unconstrained.output.trees,
        report=rules.parse_unconstrained.output.report,
        checkpoint=rules.average_checkpoints.output.weights,
        config=rules.resolve_run.output,
    output:
        scores=f"{RUN}/unconstrained.json",
        sentences=f"{RUN}/unconstrained.csv",
