# Learn one vocabulary for each language pair from both sides of its training text, encode the text as token ids, and say
# what is wrong with it.

# The files of a tokenized dataset.
DATASET = [".json", ".source.tokens", ".source.offsets", ".target.tokens", ".target.offsets", ".sha256"]


rule learn_subwords:
    """Learn one vocabulary from both sides of the training text."""
    input:
        text=["<clean>/train.{source}", "<clean>/train.{target}"],
    output:
        model="<data>/subwords/{source}-{target}/subwords.model",
        description="<data>/subwords/{source}-{target}/subwords.json",
    log:
        "<logs>/learn_subwords/{source}-{target}.log",
    wildcard_constraints:
        target=LANGUAGE,
    resources:
        **JOBS.needs(4000, 60),
    params:
        code=code_of("transformer.subwords.learn_subwords"),
        subwords=lambda w: SETTINGS.subwords[f"{w.source}-{w.target}"],
        folder=subpath(output[0], parent=True),
        seed=SETTINGS.seed,
    shell:
        "python -m transformer.subwords.learn_subwords"
        " --kind {params.subwords[kind]} --vocab-size {params.subwords[vocab_size]}"
        " --seed {params.seed}"
        " --output {params.folder:q}"
        " {input.text:q} > {log:q} 2>&1"


rule encode:
    """Encode both sides of a split as token ids."""
    input:
        subwords=rules.learn_subwords.output.model,
        source="<clean>/{split}.{source}",
        target="<clean>/{split}.{target}",
    output:
        multiext("<data>/tokenized/{source}-{target}/{split}", *DATASET),
    log:
        "<logs>/encode/{source}-{target}/{split}.log",
    wildcard_constraints:
        target=LANGUAGE,
    threads: SETTINGS.data_threads
    resources:
        **JOBS.needs(2000, 2 * 60),
    params:
        code=code_of("transformer.subwords.encode"),
        prefix=subpath(output[0], strip_suffix=".json"),
        symbols=[],
        options=[],
    shell:
        "python -m transformer.subwords.encode"
        " --subwords {input.subwords:q}"
        " {params.symbols:q}"
        " --source {input.source:q} --target {input.target:q}"
        " {params.options:q}"
        " --output {params.prefix:q}"
        " --processes {threads} > {log:q} 2>&1"


rule check_text:
    """Count the training pairs that are not trained on, and the sentences of other sets that are worth less."""
    input:
        report="<clean>/train.json",
        text=expand("<clean>/{split}.{side}", split=SPLITS, side=["{source}", "{target}"]),
        tokenized=expand(rules.encode.output, split="train", allow_missing=True),
    output:
        "<data>/notes/{source}-{target}.json",
    log:
        "<logs>/check_text/{source}-{target}.log",
    params:
        code=code_of("transformer.subwords.check_text"),
        max_lengths=INPUTS.max_lengths_of,
        text=subpath(input.report, parent=True),
        tokenized=lambda w, input: os.path.dirname(input.tokenized[0]),
    shell:
        "python -m transformer.subwords.check_text"
        " --pair {wildcards.source}-{wildcards.target}"
        " --text {params.text:q} --tokenized {params.tokenized:q}"
        " --sets dev test --max-lengths {params.max_lengths}"
        " --output {output:q} > {log:q} 2>&1"
