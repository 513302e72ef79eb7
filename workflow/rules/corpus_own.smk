# The user's own files of a language pair (docs/your-corpus.md): fetch what is not there, read it as one file for each
# language, and cut the development and test sets that the user does not have from the training text.

OWN_PLACES = [place for corpus in OWN.values() for place in corpus.files]
OWN_URLS = {download_path(place.file): place.file for place in OWN_PLACES if place.is_url}
OWN_ARCHIVES = {
    place.file: sorted({other.member for other in OWN_PLACES if other.file == place.file})
    for place in OWN_PLACES
    if place.member is not None
}


def own_input(place, path):
    """Return a path as an input; that of a local file is left as it is by the prefix of a module."""
    return path if path.startswith(f"{FETCHED}/") else local(path)


def identity(places):
    """Return what tells the texts that are read apart, for Snakemake to compare.

    It compares the inputs of a job without their order, and looks into a file only if that is newer than the output,
    which a file that was unpacked or moved to its place often is not.
    """
    return [(place.file, place.member, place.column, content_here(place.fetched)) for place in places]


def content_here(path):
    """Return the sha256 of a local file; None of one that the pipeline fetches, whose checksum is in the lock file."""
    return None if path.startswith(f"{FETCHED}/") else content_of(path)


# The URL is unrecorded, so that a file which has moved is not downloaded again: the lock file has its checksum.
rule download_url:
    """Download a file that the scale names by its URL; verify it, or record its checksum."""
    output:
        f"{FETCHED}/downloads/{{file}}",
    log:
        "<logs>/download_url/{file}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        **program("corpus/download.py"),
        url=unrecorded(lambda w: OWN_URLS[w.file]),
        mirror=unrecorded(INPUTS.mirror_option),
    shell:
        "PYTHONPATH={params.path:q} python {params.src:q}/transformer/corpus/download.py"
        " --url {params.url:q}"
        " --file {wildcards.file:q}"
        " {params.mirror:q}"
        " --output {output:q}"
        " > {log:q} 2>&1"


rule fetch_test_set:
    """Take a test set from sacreBLEU, which downloads it if it does not have it yet."""
    output:
        source=f"{FETCHED}/sacrebleu/{{set}}/{{source}}-{{target}}.{{source}}",
        target=f"{FETCHED}/sacrebleu/{{set}}/{{source}}-{{target}}.{{target}}",
    log:
        "<logs>/fetch_test_set/{set}/{source}-{target}.log",
    wildcard_constraints:
        set=".+",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        **program("corpus/fetch_test_set.py"),
    shell:
        "PYTHONPATH={params.path:q} python {params.src:q}/transformer/corpus/fetch_test_set.py"
        " --name {wildcards.set:q}"
        " --pair {wildcards.source}-{wildcards.target}"
        " --output-source {output.source:q}"
        " --output-target {output.target:q}"
        " > {log:q} 2>&1"


for number, (archive, members) in enumerate(OWN_ARCHIVES.items(), start=1):
    place = next(place for place in OWN_PLACES if place.file == archive)

    rule:
        name:
            f"unpack_own_{number}"
        input:
            archive=own_input(place, place.fetched),
        output:
            expand(f"{place.unpacked}/{{member}}", member=members),
        log:
            f"<logs>/unpack_own/{number}.log",
        conda:
            ENVIRONMENT
        resources:
            **JOBS.needs(500, 3 * 60),
        params:
            **program("corpus/unpack.py"),
            members=members,
            folder=placed([place.unpacked]),
            identity=identity([place]),
        shell:
            "PYTHONPATH={params.path:q} python {params.src:q}/transformer/corpus/unpack.py"
            " --input {input.archive:q}"
            " --members {params.members:q}"
            " --output {params.folder:q}"
            " > {log:q} 2>&1"


# The files of each split differ, so each has a rule of its own.
for pair, corpus in OWN.items():
    source, target = pair.split("-")
    for split, parts in corpus.parts.items():

        rule:
            name:
                f"gather_{source}_{target}_{re.sub('[^a-z0-9]', '_', split)}"
            input:
                source=[own_input(place, place.path) for place, _ in parts],
                target=[own_input(place, place.path) for _, place in parts],
            output:
                source=f"<data>/raw/{pair}/{split}.{source}",
                target=f"<data>/raw/{pair}/{split}.{target}",
            log:
                f"<logs>/gather/{pair}/{split}.log",
            conda:
                ENVIRONMENT
            resources:
                **JOBS.needs(500, 2 * 60),
            params:
                **program("corpus/extract.py"),
                source_columns=[place.column for place, _ in parts],
                target_columns=[place.column for _, place in parts],
                identity=[identity(part) for part in parts],
            shell:
                "PYTHONPATH={params.path:q} python {params.src:q}/transformer/corpus/extract.py"
                " --source {input.source:q}"
                " --target {input.target:q}"
                " --source-columns {params.source_columns}"
                " --target-columns {params.target_columns}"
                " --output-source {output.source:q}"
                " --output-target {output.target:q}"
                " > {log:q} 2>&1"

    if corpus.held_out:

        rule:
            name:
                f"hold_out_{source}_{target}"
            input:
                source=f"<data>/raw/{pair}/train.{source}",
                target=f"<data>/raw/{pair}/train.{target}",
            output:
                expand(
                    f"<data>/raw/{pair}/held_out/{{split}}.{{side}}",
                    split=["train", *corpus.held_out],
                    side=[source, target],
                ),
            log:
                f"<logs>/hold_out/{pair}.log",
            conda:
                ENVIRONMENT
            resources:
                **JOBS.needs(1000, 2 * 60),
            params:
                **program("corpus/hold_out.py"),
                pair=pair,
                sizes=[f"--{split}={size or 0}" for split, size in corpus.held_out.items()],  # 0: the default
                folder=subpath(output[0], parent=True),
            shell:
                "PYTHONPATH={params.path:q} python {params.src:q}/transformer/corpus/hold_out.py"
                " --pair {params.pair}"
                " --source {input.source:q}"
                " --target {input.target:q}"
                " {params.sizes}"
                " --output-dir {params.folder:q}"
                " > {log:q} 2>&1"
