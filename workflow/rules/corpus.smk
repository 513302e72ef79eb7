# Generate or download the corpus, as one file for each language with one sentence per line; then check and clean it.

if SETTINGS.grammar:

    rule generate_demo:
        """Generate sentences in three languages, and their English trees, from one grammar."""
        output:
            en_de=expand("<data>/raw/en-de/{split}.{side}", split=SPLITS, side=["en", "de"]),
            en_fr=expand("<data>/raw/en-fr/{split}.{side}", split=SPLITS, side=["en", "fr"]),
            trees=expand("<data>/raw/trees/{split}.trees", split=SPLITS),
        log:
            "<logs>/generate_demo.log",
        conda:
            ENVIRONMENT
        resources:
            **JOBS.needs(2000, 30),
        params:
            **program("corpus/generate_demo.py"),
            sentences=SETTINGS.grammar,
            seed=SETTINGS.seed,
            folder=lambda w, output: os.path.commonpath(output),
        shell:
            "PYTHONPATH={params.path:q} python {params.src:q}/transformer/corpus/generate_demo.py"
            " --sentences {params.sentences[train]}"
            " --dev {params.sentences[dev]}"
            " --test {params.sentences[test]}"
            " --seed {params.seed}"
            " --output-dir {params.folder:q}"
            " > {log:q} 2>&1"


# The splits that are downloaded: all, none, or further test sets only.
EXTRACTED = sorted({split for pair, split, _ in SETTINGS.downloads if pair in SETTINGS.pairs})
# The user's own files have rules of their own (corpus_own.smk): no path of this pattern is one of theirs.
OWN_SPLITS = [f"{pair}/{split}" for pair, corpus in OWN.items() for split in [*SPLITS, *corpus.parts]]
NOT_OWN = f"(?!(?:{'|'.join(OWN_SPLITS)})[.])" if OWN else ""

if SETTINGS.downloads:

    # The parameter is the file's sha256.  Another mirror, or an edit of the registry that leaves the hash as it is, does
    # not download the file again.
    rule download:
        """Download one file of resources/sources.yaml and verify it."""
        output:
            "data/downloads/{file}",
        log:
            "<logs>/download/{file}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            **program("corpus/download.py"),
            mirror=unrecorded(INPUTS.mirror_option),
            sha256=lambda w: INPUTS.sha256_of_download(w.file),
        shell:
            "PYTHONPATH={params.path:q} python {params.src:q}/transformer/corpus/download.py"
            " --file {wildcards.file:q}"
            " {params.mirror:q}"
            " --output {output:q}"
            " > {log:q} 2>&1"

    # Each archive has a rule of its own, which unpacks all members that are used, because the archives' members differ.
    for archive, members in SETTINGS.archives.items():

        rule:
            name:
                f"unpack_{re.sub('[^A-Za-z0-9]', '_', archive)}"
            input:
                archive=f"data/downloads/{archive}",
            output:
                expand(f"data/unpacked/{archive}/{{member}}", member=members),
            log:
                f"<logs>/unpack/{archive}.log",
            conda:
                ENVIRONMENT
            resources:
                **JOBS.needs(500, 3 * 60),
            params:
                **program("corpus/unpack.py"),
                members=members,
                folder=placed([f"data/unpacked/{archive}"]),
                downloads=placed(["data/downloads"]),
            shell:
                "PYTHONPATH={params.path:q} python {params.src:q}/transformer/corpus/unpack.py"
                " --input {input.archive:q}"
                " --downloads {params.downloads:q}"
                " --members {params.members:q}"
                " --output {params.folder:q}"
                " > {log:q} 2>&1"

    rule extract:
        """Join the parts of a split, and check that both sides have the same number of lines."""
        input:
            source=lambda w: INPUTS.parts_of(f"{w.source}-{w.target}", w.split, w.source),
            target=lambda w: INPUTS.parts_of(f"{w.source}-{w.target}", w.split, w.target),
        output:
            source="<data>/raw/{source}-{target}/{split}.{source}",
            target="<data>/raw/{source}-{target}/{split}.{target}",
        log:
            "<logs>/extract/{source}-{target}/{split}.log",
        wildcard_constraints:
            source=f"{NOT_OWN}[a-z]{{2,3}}",
            split="|".join(EXTRACTED),
        conda:
            ENVIRONMENT
        resources:
            **JOBS.needs(500, 2 * 60),
        params:
            **program("corpus/extract.py"),
            downloads=placed(["data/downloads"]),
        shell:
            "PYTHONPATH={params.path:q} python {params.src:q}/transformer/corpus/extract.py"
            " --downloads {params.downloads:q}"
            " --source {input.source:q}"
            " --target {input.target:q}"
            " --output-source {output.source:q}"
            " --output-target {output.target:q}"
            " > {log:q} 2>&1"


rule clean:
    """Check both sides of a split, line by line; drop unsuitable pairs from the training split."""
    input:
        source=INPUTS.raw_text("source"),
        target=INPUTS.raw_text("target"),
    output:
        source="<data>/clean/{source}-{target}/{split}.{source}",
        target="<data>/clean/{source}-{target}/{split}.{target}",
        report="<data>/clean/{source}-{target}/{split}.json",
    log:
        "<logs>/clean/{source}-{target}/{split}.log",
    conda:
        ENVIRONMENT
    threads: SETTINGS.data_threads
    resources:
        **JOBS.needs(2000, 2 * 60),
    params:
        **program("corpus/clean.py"),
        options=INPUTS.cleaning_options,
    shell:
        "PYTHONPATH={params.path:q} python {params.src:q}/transformer/corpus/clean.py"
        " --source {input.source:q}"
        " --target {input.target:q}"
        " --output-source {output.source:q}"
        " --output-target {output.target:q}"
        " --report {output.report:q}"
        " --processes {threads}"
        " {params.options}"
        " > {log:q} 2>&1"
