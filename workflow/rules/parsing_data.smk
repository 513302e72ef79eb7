# Make the data of Table 4's parsers: prepare a treebank, and write its trees as sequences of symbols.
# Paths have `en-trees` (the treebank) or `en-silver` (with silver trees) in place of a language pair.

WSJ_SECTIONS = {"train": "2 21", "dev": "22 22", "test": "23 23"}  # the first and the last
TREES = "<data>/clean/trees/{split}.trees"
PARSING = SETTINGS.parsing
SILVER = PARSING["silver"]
TAGS_IN_INPUT = [] if PARSING["input_tags"] == "none" else ["--tags-in-input"]


if PARSING["source"] == "wsj":

    rule prepare_wsj:
        """Prepare the sections of the user's own treebank."""
        output:
            TREES,
        log:
            "<logs>/prepare_wsj/{split}.log",
        params:
            code=code_of("transformer.parsing.prepare_treebank"),
            treebank=SETTINGS.treebank or "",
            # Another treebank of this name is another input.
            contents=lambda w: contents_below(SETTINGS.treebank, "*.[Mm][Rr][Gg]*") if TREEBANK else [],
            sections=lambda w: WSJ_SECTIONS[w.split],
        shell:
            "python -m transformer.parsing.prepare_treebank"
            " --wsj={params.treebank:q}"
            " --sections {params.sections}"
            " --output {output:q} > {log:q} 2>&1"

else:

    rule prepare_treebank:
        """Prepare a split's trees: remove empty elements and function tags."""
        input:
            trees=lambda w: [text.file for text in INPUTS.texts("trees", w.split, "trees")],
        output:
            TREES,
        log:
            "<logs>/prepare_treebank/{split}.log",
        params:
            code=code_of("transformer.parsing.prepare_treebank"),
            trees=lambda w: [text.path for text in INPUTS.texts("trees", w.split, "trees")],
            most=lambda w: PARSING.get("sentences", 0) if w.split == "train" else 0,
        shell:
            "python -m transformer.parsing.prepare_treebank {params.trees:q}"
            " --downloads data/downloads"
            " --most {params.most}"
            " --output {output:q} > {log:q} 2>&1"


rule linearise:
    """Write trees as a parser's input and output."""
    input:
        # The development and test sets are always the treebank's.
        trees=branch(lambda w: (w.target, w.split) == ("silver", "train"), "<data>/silver/train.trees", TREES),
        # The second parser's trees, if a parser reads their tags, and not the treebank's.
        tagged=branch(
            lambda w: PARSING["input_tags"] == "predicted" and w.split != "train",
            ["<data>/silver/{split}.pcfg.trees"],
        ),
    output:
        source="<data>/clean/{source}-{target}/{split}.{source}",
        target="<data>/clean/{source}-{target}/{split}.symbols",
    log:
        "<logs>/linearise/{source}-{target}/{split}.log",
    wildcard_constraints:
        target=PARSING_DATA,
    params:
        code=code_of("transformer.parsing.linearise"),
        words=PARSING["words"],
        constituents=lambda w: PARSING["constituents"] if w.split == "train" else 0,
        seed=SETTINGS.seed,
        tags=lambda w, input: [*TAGS_IN_INPUT, *(["--tags-from", *input.tagged] if input.tagged else [])],
    shell:
        "python -m transformer.parsing.linearise"
        " --trees {input.trees:q} --words {params.words}"
        " {params.tags:q}"
        " --constituents {params.constituents} --seed {params.seed}"
        " --output-source {output.source:q} --output-target {output.target:q} > {log:q} 2>&1"


use rule linearise as plain_words with:
    """Write the words of trees without their tags, for the second parser, which predicts tags."""
    input:
        trees=TREES,
    output:
        source="<data>/silver/{split}.en",
        target="<data>/silver/{split}.symbols",
    log:
        "<logs>/plain_words/{split}.log",
    params:
        words="XX",
        constituents=0,
        tags=[],


use rule learn_subwords as learn_word_subwords with:
    """Learn a vocabulary from the training sentences."""
    input:
        text="<data>/silver/train.en" if TAGS_IN_INPUT else "<clean>/train.{source}",
    wildcard_constraints:
        target=PARSING_DATA,
    params:
        subwords=lambda w: {
            "kind": PARSING["subwords"]["kind"],
            "vocab_size": (SILVER if w.target == "silver" else PARSING["subwords"])["vocab_size"],
        },


rule learn_symbols:
    """Collect the symbols of the training trees."""
    input:
        symbols="<clean>/train.symbols",
        sentences="<clean>/train.{source}",
        subwords=rules.learn_word_subwords.output.model,
    output:
        "<data>/subwords/{source}-{target}/symbols.json",
    log:
        "<logs>/learn_symbols/{source}-{target}.log",
    params:
        code=code_of("transformer.parsing.learn_symbols"),
        shared=["--shared-with", f"{SUBWORDS}/subwords.model"] if PARSING["shared_vocabulary"] else [],
        tagged=["--tagged", f"{CLEAN}/train.{{source}}"] if TAGS_IN_INPUT else [],
    shell:
        "python -m transformer.parsing.learn_symbols {input.symbols:q}"
        " {params.shared:q}"
        " {params.tagged:q}"
        " --output {output:q} > {log:q} 2>&1"


use rule encode as encode_trees with:
    """Encode a split's sentences and trees as token ids."""
    input:
        subwords=rules.learn_word_subwords.output.model,
        symbols=rules.learn_symbols.output,
        source=rules.linearise.output.source,
        target=rules.linearise.output.target,
    wildcard_constraints:
        target=PARSING_DATA,
    threads: 1
    params:
        symbols=lambda w, input: ["--symbols", input.symbols],
        # Training sentences are written several times, each with other merges left out.
        options=lambda w: [
            *("--copies", PARSING["copies"] if w.split == "train" else 1),
            *("--dropout", PARSING["bpe_dropout"] if w.split == "train" else 0),
            *("--seed", SETTINGS.seed),
        ],
