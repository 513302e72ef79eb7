# One vocabulary a language pair, learned from both sides of its training text, and the text as its token ids.


rule learn_subwords:
    """Learn one vocabulary from both sides of the training text.

    Test with: snakemake --cores all data/demo/subwords/en-de/subwords.model
    """
    input:
        text=[
            f"{DATA}/clean/{{source}}-{{target}}/train.{{source}}",
            f"{DATA}/clean/{{source}}-{{target}}/train.{{target}}",
        ],
        code=code_of("src/subwords/learn_subwords.py"),
    output:
        model=f"{DATA}/subwords/{{source}}-{{target}}/subwords.model",
        description=f"{DATA}/subwords/{{source}}-{{target}}/subwords.json",
    log:
        f"{LOGS}/learn_subwords/{{source}}-{{target}}.log",
    benchmark:
        f"{LOGS}/learn_subwords/{{source}}-{{target}}.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        subwords=lambda w: SETTINGS.subwords[f"{w.source}-{w.target}"],
        folder=lambda w, output: os.path.dirname(output.model),
        seed=SETTINGS.seed,
    shell:
        "python src/subwords/learn_subwords.py"
        " --kind {params.subwords[kind]}"
        " --vocab-size {params.subwords[vocab_size]}"
        " --seed {params.seed}"
        " --output {params.folder:q}"
        " {input.text:q}"
        " > {log:q} 2>&1"


rule encode:
    """Turn a split into token ids.

    Test with: snakemake --cores all data/demo/tokenized/en-de/train.json
    """
    input:
        subwords=rules.learn_subwords.output.model,
        source=f"{DATA}/clean/{{source}}-{{target}}/{{split}}.{{source}}",
        target=f"{DATA}/clean/{{source}}-{{target}}/{{split}}.{{target}}",
        code=code_of("src/subwords/encode.py"),
    output:
        header=f"{DATA}/tokenized/{{source}}-{{target}}/{{split}}.json",
        arrays=expand(
            f"{DATA}/tokenized/{{{{source}}}}-{{{{target}}}}/{{{{split}}}}.{{side}}.{{kind}}",
            side=["source", "target"],
            kind=["tokens", "offsets"],
        ),
    log:
        f"{LOGS}/encode/{{source}}-{{target}}/{{split}}.log",
    benchmark:
        f"{LOGS}/encode/{{source}}-{{target}}/{{split}}.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    threads: SETTINGS.data_threads
    resources:
        mem_mb=2000,
        runtime=2 * 60,
    params:
        prefix=lambda w, output: os.path.splitext(output.header)[0],
    shell:
        "python src/subwords/encode.py"
        " --subwords {input.subwords:q}"
        " --source {input.source:q}"
        " --target {input.target:q}"
        " --output {params.prefix:q}"
        " --processes {threads}"
        " > {log:q} 2>&1"
