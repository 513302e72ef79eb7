# Silver trees: raw English is parsed by the trained parser and by a PCFG of the same treebank, and the second parser of
# Table 4 is trained on the trees on which both agree; or the user gives silver trees, which replace all of this.


# Texts that are generated or downloaded; none if the user names a file.
SILVER_TEXTS = INPUTS.downloaded("silver", "text", "en")
if SILVER["text"] == "grammar":
    SILVER_TEXTS = [TextFile(f"{DATA}/raw/en-de/train.en")]


rule silver_text:
    """Split raw English into words as the treebank does."""
    input:
        text=[text.file for text in SILVER_TEXTS],
    output:
        "<data>/silver/text.en",
    log:
        "<logs>/silver_text.log",
    resources:
        **JOBS.needs(500, 4 * 60),
    params:
        code=code_of("transformer.parsing.tokenize_penn"),
        own=[SETTINGS.silver_text] if SETTINGS.silver_text else [],
        content=lambda w: content_of(SETTINGS.silver_text) if SETTINGS.silver_text else None,
        text=[text.path for text in SILVER_TEXTS],
        # If there are several texts, the same number of sentences is taken from each.  From the text of the grammar,
        # the sentences after those of the treebank are taken.
        most=(
            SILVER["sentences"] // len(SILVER["text"])
            if isinstance(SILVER["text"], list)
            else SILVER["sentences"]
        ),
        skip=PARSING.get("sentences", SETTINGS.grammar["train"]) if SILVER["text"] == "grammar" else 0,
    shell:
        "python -m transformer.parsing.tokenize_penn"
        " --input {params.text:q} {params.own:q}"
        " --skip {params.skip} --most {params.most}"
        " --downloads data/downloads"
        " --output {output:q} > {log:q} 2>&1"


use rule parse as parse_silver with:
    """Parse raw English with the parser of the treebank."""
    input:
        weights=f"<results>/runs/{SETTINGS.first_seed('parser')}/en-trees/averaged/model.safetensors",
        description=f"<results>/runs/{SETTINGS.first_seed('parser')}/en-trees/averaged/model.json",
        subwords="<data>/subwords/en-trees/subwords.model",
        symbols="<data>/subwords/en-trees/symbols.json",
        text="<data>/silver/text.tagged.en" if TAGS_IN_INPUT else "<data>/silver/text.en",
    output:
        trees="<data>/silver/transformer.trees",
        report="<data>/silver/transformer.decoding.json",
    log:
        "<logs>/parse_silver.log",
    resources:
        **JOBS.needs_gpu(decoding_mb, 24 * 60),
    params:
        decoding={**SETTINGS.decoding("parser", "en-trees"), "beam_size": SILVER["beam_size"]},
        search=[],


rule train_pcfg:
    """Count the rules in the treebank's trees, which are the grammar of a second parser."""
    input:
        trees=expand(TREES, split="train"),
    output:
        "<data>/silver/grammar.json",
    log:
        "<logs>/train_pcfg.log",
    params:
        code=code_of("transformer.parsing.train_pcfg"),
    shell:
        "python -m transformer.parsing.train_pcfg"
        " --trees {input.trees:q}"
        " --output {output:q} > {log:q} 2>&1"


rule parse_pcfg:
    """Parse with the PCFG: raw English, and the sentences whose tags are to be predicted."""
    input:
        grammar=rules.train_pcfg.output,
        text="<data>/silver/{text}.en",
    output:
        "<data>/silver/{text}.pcfg.trees",
    log:
        "<logs>/parse_pcfg/{text}.log",
    wildcard_constraints:
        text="text|dev|test",
    threads: SETTINGS.data_threads
    resources:
        **JOBS.needs(4000, 24 * 60),
    params:
        code=code_of("transformer.parsing.parse_pcfg"),
    shell:
        "OMP_NUM_THREADS=1 python -m transformer.parsing.parse_pcfg"
        " --grammar {input.grammar:q} --input {input.text:q}"
        " --output {output:q}"
        " --processes {threads} > {log:q} 2>&1"


use rule linearise as tag_silver with:
    """Write raw English with the tags of the second parser."""
    input:
        trees="<data>/silver/text.pcfg.trees",
    output:
        source="<data>/silver/text.tagged.en",
        target="<data>/silver/text.symbols",
    log:
        "<logs>/tag_silver.log",
    params:
        words="XX",
        constituents=0,
        tags=TAGS_IN_INPUT,


if SETTINGS.silver_trees is None:

    rule select_silver:
        """Select the trees on which both parsers agree, resample them to the treebank's lengths, and add the treebank."""
        input:
            ours=rules.parse_silver.output.trees,
            pcfg=expand(rules.parse_pcfg.output, text="text"),
            gold=expand(TREES, split="train"),
        output:
            trees="<data>/silver/train.trees",
            silver="<data>/silver/silver.trees",
            report="<data>/silver/silver.json",
        log:
            "<logs>/select_silver.log",
        resources:
            **JOBS.needs(2000 + SILVER["sentences"] // 500, 24 * 60),  # the trees on which both agree are in memory as text
        params:
            code=code_of("transformer.parsing.select_silver"),
            min_f1=SILVER["min_f1"],
            oversample=SILVER["oversample"],
            seed=SETTINGS.seed,
        shell:
            "python -m transformer.parsing.select_silver"
            " --first {input.ours:q} --second {input.pcfg:q} --gold {input.gold:q}"
            " --min-f1 {params.min_f1} --oversample {params.oversample} --seed {params.seed}"
            " --output {output.trees:q}"
            " --silver {output.silver:q}"
            " --report {output.report:q} > {log:q} 2>&1"

else:

    rule prepare_silver:
        """Prepare the user's own silver trees as those of the treebank."""
        output:
            "<data>/silver/silver.trees",
        log:
            "<logs>/prepare_silver.log",
        priority: 1  # first of all, so that a malformed tree is found before anything is trained
        resources:
            **JOBS.needs(500, 24 * 60),
        params:
            code=code_of("transformer.parsing.prepare_treebank"),
            trees=SETTINGS.silver_trees,
            content=lambda w: content_of(SETTINGS.silver_trees),
        shell:
            "python -m transformer.parsing.prepare_treebank {params.trees:q}"
            " --output {output:q} > {log:q} 2>&1"

    rule mix_silver:
        """Add the treebank to the user's own silver trees."""
        input:
            silver=rules.prepare_silver.output,
            gold=expand(TREES, split="train"),
        output:
            trees="<data>/silver/train.trees",
            report="<data>/silver/silver.json",
        log:
            "<logs>/mix_silver.log",
        resources:
            **JOBS.needs(2000 + 2 * os.path.getsize(SETTINGS.silver_trees) // 10**6, 24 * 60),  # all trees are in memory as text
        params:
            code=code_of("transformer.parsing.mix_silver"),
            oversample=SILVER["oversample"],
            seed=SETTINGS.seed,
        shell:
            "python -m transformer.parsing.mix_silver"
            " --silver {input.silver:q} --gold {input.gold:q}"
            " --oversample {params.oversample} --seed {params.seed}"
            " --output {output.trees:q} --report {output.report:q} > {log:q} 2>&1"
