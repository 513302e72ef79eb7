# Generate or download the corpus, and let its text in: one file for each language, with one sentence a line.

if SETTINGS.grammar:

    rule generate_demo:
        """Generate sentences in three languages, and their English trees, from one grammar."""
        output:
            en_de=expand("<data>/raw/en-de/{split}.{side}", split=SPLITS, side=["en", "de"]),
            en_fr=expand("<data>/raw/en-fr/{split}.{side}", split=SPLITS, side=["en", "fr"]),
            trees=expand("<data>/raw/trees/{split}.trees", split=SPLITS),
        log:
            "<logs>/generate_demo.log",
        params:
            code=code_of("transformer.corpus.generate_demo"),
            sentences=SETTINGS.grammar,
            seed=SETTINGS.seed,
            folder=subpath(output[0], ancestor=2),
        shell:
            "python -m transformer.corpus.generate_demo"
            " --sentences {params.sentences[train]} --dev {params.sentences[dev]}"
            " --test {params.sentences[test]}"
            " --seed {params.seed}"
            " --output-dir {params.folder:q} > {log:q} 2>&1"


# A mirror may hold a password, and Snakemake writes down command lines and parameters.
os.environ.update({"DOWNLOAD_MIRROR": SETTINGS.mirror} if SETTINGS.mirror else {})


# The parameter is the file's sum.  Another mirror, or an edit of the registry that leaves the sum as it is, does not
# download the file again.
rule download:
    """Download one file of the registry, resources/sources.yaml, and verify its sum."""
    output:
        "data/downloads/{file}",
    log:
        "<logs>/download/{file}.log",
    localrule: True
    params:
        code=code_of("transformer.corpus.download"),
        sum=lambda w: INPUTS.sum_of_download(w.file),
    shell:
        "python -m transformer.corpus.download"
        " --file {wildcards.file:q}"
        " --output {output:q} > {log:q} 2>&1"


# The pairs of which a user has no development or test set, which are cut from the training text (docs/your-corpus.md).
CUT = {pair: ["train", *corpus.held_out] for pair, corpus in OWN.items() if corpus.held_out}
NOT_CUT = "".join(f"(?!{pair}/(?:{'|'.join(splits)})[.])" for pair, splits in CUT.items())


rule gather:
    """Let the text of a split in: read it whatever it is packed in, drop unsuitable training pairs, and report."""
    input:
        source=lambda w: [text.file for text in INPUTS.texts(pair_of(w), w.split, w.source)],
        target=lambda w: [text.file for text in INPUTS.texts(pair_of(w), w.split, w.target)],
    output:
        source="<data>/clean/{source}-{target}/{split}.{source}",
        target="<data>/clean/{source}-{target}/{split}.{target}",
        report="<data>/clean/{source}-{target}/{split}.json",
    log:
        "<logs>/gather/{source}-{target}/{split}.log",
    wildcard_constraints:
        source=f"{NOT_CUT}{LANGUAGE}",
        target=LANGUAGE,
    resources:
        **JOBS.needs(2000, 4 * 60),
    params:
        code=code_of("transformer.corpus.gather"),
        source=lambda w: [text.path for text in INPUTS.texts(pair_of(w), w.split, w.source)],
        target=lambda w: [text.path for text in INPUTS.texts(pair_of(w), w.split, w.target)],
        columns=INPUTS.columns_options,
        content=INPUTS.sums_of_own_texts,
        options=INPUTS.cleaning_options,
    shell:
        "python -m transformer.corpus.gather"
        " --source {params.source:q} --target {params.target:q}"
        " {params.columns}"
        " --downloads data/downloads"
        " --output-source {output.source:q} --output-target {output.target:q}"
        " --report {output.report:q}"
        " {params.options} > {log:q} 2>&1"


use rule gather as gather_whole with:
    """Let the training text in from which sets are cut."""
    output:
        source="<data>/raw/{source}-{target}/{split}.{source}",
        target="<data>/raw/{source}-{target}/{split}.{target}",
        report="<data>/raw/{source}-{target}/{split}.json",
    log:
        "<logs>/gather_whole/{source}-{target}/{split}.log",
    wildcard_constraints:
        source=f"(?=(?:{'|'.join(CUT)})/train[.]){LANGUAGE}",


for pair, splits in CUT.items():
    source, target = pair.split("-")

    rule:
        name:
            f"hold_out_{source}_{target}"
        input:
            source=f"<data>/raw/{pair}/train.{source}",
            target=f"<data>/raw/{pair}/train.{target}",
            report=f"<data>/raw/{pair}/train.json",
        output:
            expand(f"<data>/clean/{pair}/{{split}}.{{kind}}", split=splits, kind=[source, target, "json"]),
        log:
            f"<logs>/hold_out/{pair}.log",
        resources:
            **JOBS.needs(1000, 2 * 60),
        params:
            code=code_of("transformer.corpus.hold_out"),
            pair=pair,
            sizes=[f"--{split}={size or 0}" for split, size in OWN[pair].held_out.items()],  # 0: the default
            folder=subpath(output[0], parent=True),
        shell:
            "python -m transformer.corpus.hold_out"
            " --pair {params.pair}"
            " --source {input.source:q} --target {input.target:q}"
            " {params.sizes}"
            " --output-dir {params.folder:q} > {log:q} 2>&1"
