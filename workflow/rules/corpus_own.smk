# The development and test sets that a user does not have are cut from his training text (docs/your-corpus.md).


if CUT:

    use rule gather as gather_whole with:
        """Let the training text in from which sets are cut."""
        output:
            source="<data>/raw/{source}-{target}/{split}.{source}",
            target="<data>/raw/{source}-{target}/{split}.{target}",
            report="<data>/raw/{source}-{target}/{split}.json",
        log:
            "<logs>/gather_whole/{source}-{target}/{split}.log",
        wildcard_constraints:
            source=f"(?=(?:{'|'.join(CUT)})/train[.])[a-z]{{2,3}}",


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
            " --source {input.source:q}"
            " --target {input.target:q}"
            " {params.sizes}"
            " --output-dir {params.folder:q}"
            " > {log:q} 2>&1"
