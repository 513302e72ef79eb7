# Table 4's parsers: a treebank, prepared; its trees as sequences; and what a parser makes of the test sentences.
# Training is that of train.smk, whose language pair is here `en-trees` (the treebank) or `en-silver` (and silver trees).

TREES = f"{DATA}/clean/trees/{{split}}.trees"
PARSING = SETTINGS.parsing
SILVER = PARSING["silver"]
# A beam of 21 over trees is slow work for a processor.
ONE_GPU = "gpu:1" if SETTINGS.hardware("parser", "en-trees")["device"] == "cuda" else ""
TAGS_IN_INPUT = [] if PARSING["input_tags"] == "none" else ["--tags-in-input"]

if PARSING["source"] == "wsj":

    # The folder is no input and no parameter: where the treebank lies does not change what it is.
    rule prepare_wsj:
        """Prepare the sections of the user's own treebank.

        Test with: snakemake --cores all --config scale=paper treebank=FOLDER -- data/paper/clean/trees/dev.trees
        """
        input:
            code=code_of("src/parsing/prepare_treebank.py"),
        output:
            TREES,
        log:
            f"{LOGS}/prepare_wsj/{{split}}.log",
        benchmark:
            f"{LOGS}/prepare_wsj/{{split}}.benchmark.tsv"
        conda:
            "../../envs/transformer.yaml"
        resources:
            mem_mb=500,
            runtime=30,
            treebank=SETTINGS.treebank or "",
        params:
            sections=lambda w: WSJ_SECTIONS[w.split],
        shell:
            "python src/parsing/prepare_treebank.py"
            " --wsj={resources.treebank:q}"
            " --sections {params.sections}"
            " --output {output:q}"
            " > {log:q} 2>&1"

else:

    rule prepare_treebank:
        """Prepare a split's trees: no empty elements, no function tags.

        Test with: snakemake --cores all data/demo/clean/trees/dev.trees
        """
        input:
            trees=treebank_files,
            code=code_of("src/parsing/prepare_treebank.py"),
        output:
            TREES,
        log:
            f"{LOGS}/prepare_treebank/{{split}}.log",
        benchmark:
            f"{LOGS}/prepare_treebank/{{split}}.benchmark.tsv"
        conda:
            "../../envs/transformer.yaml"
        resources:
            mem_mb=500,
            runtime=30,
        params:
            most=lambda w: PARSING.get("sentences", 0) if w.split == "train" else 0,
        shell:
            "python src/parsing/prepare_treebank.py {input.trees:q} --most {params.most} --output {output:q} > {log:q} 2>&1"


rule linearise:
    """Write trees as a parser's input and output.

    Test with: snakemake --cores all data/demo/clean/en-trees/dev.en
    """
    input:
        trees=trees_of,
        tagged=tags_of,
        code=code_of("src/parsing/linearise.py"),
    output:
        source=f"{DATA}/clean/en-{{target}}/{{split}}.en",
        target=f"{DATA}/clean/en-{{target}}/{{split}}.symbols",
    log:
        f"{LOGS}/linearise/en-{{target}}/{{split}}.log",
    benchmark:
        f"{LOGS}/linearise/en-{{target}}/{{split}}.benchmark.tsv"
    wildcard_constraints:
        target=PARSING_DATA,
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=500,
        runtime=60,
    params:
        words=PARSING["words"],
        constituents=lambda w: PARSING["constituents"] if w.split == "train" else 0,
        seed=SETTINGS.seed,
        tags=lambda w, input: [*TAGS_IN_INPUT, *(["--tags-from", *input.tagged] if input.tagged else [])],
    shell:
        "python src/parsing/linearise.py"
        " --trees {input.trees:q}"
        " --words {params.words}"
        " {params.tags:q}"
        " --constituents {params.constituents}"
        " --seed {params.seed}"
        " --output-source {output.source:q}"
        " --output-target {output.target:q}"
        " > {log:q} 2>&1"


# For a parser that reads predicted tags, the second parser tags: from plain words, and for its silver trees too.


use rule linearise as plain_words with:
    input:
        trees=TREES,
        code=code_of("src/parsing/linearise.py"),
    output:
        source=f"{DATA}/silver/{{split}}.en",
        target=f"{DATA}/silver/{{split}}.symbols",
    log:
        f"{LOGS}/plain_words/{{split}}.log",
    benchmark:
        f"{LOGS}/plain_words/{{split}}.benchmark.tsv"
    params:
        words="XX",
        constituents=0,
        seed=SETTINGS.seed,
        tags=[],


use rule linearise as tag_silver with:
    input:
        trees=f"{DATA}/silver/text.pcfg.trees",
        code=code_of("src/parsing/linearise.py"),
    output:
        source=f"{DATA}/silver/text.tagged.en",
        target=f"{DATA}/silver/text.symbols",
    log:
        f"{LOGS}/tag_silver.log",
    benchmark:
        f"{LOGS}/tag_silver.benchmark.tsv"
    params:
        words="XX",
        constituents=0,
        seed=SETTINGS.seed,
        tags=TAGS_IN_INPUT,


rule learn_word_subwords:
    """Learn a vocabulary from the training sentences.

    Test with: snakemake --cores all data/demo/subwords/en-trees/subwords.model
    """
    input:
        text=f"{DATA}/silver/train.en" if TAGS_IN_INPUT else f"{DATA}/clean/en-{{target}}/train.en",
        code=code_of("src/subwords/learn_subwords.py"),
    output:
        model=f"{DATA}/subwords/en-{{target}}/subwords.model",
        description=f"{DATA}/subwords/en-{{target}}/subwords.json",
    log:
        f"{LOGS}/learn_subwords/en-{{target}}.log",
    benchmark:
        f"{LOGS}/learn_subwords/en-{{target}}.benchmark.tsv"
    wildcard_constraints:
        target=PARSING_DATA,
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        kind=PARSING["subwords"]["kind"],
        vocab_size=lambda w: (SILVER if w.target == "silver" else PARSING["subwords"])["vocab_size"],
        folder=lambda w, output: os.path.dirname(output.model),
        seed=SETTINGS.seed,
    shell:
        "python src/subwords/learn_subwords.py"
        " --kind {params.kind}"
        " --vocab-size {params.vocab_size}"
        " --seed {params.seed}"
        " --output {params.folder:q}"
        " {input.text:q}"
        " > {log:q} 2>&1"


rule learn_symbols:
    """Collect the symbols of the training trees.

    Test with: snakemake --cores all data/demo/subwords/en-trees/symbols.json
    """
    input:
        symbols=f"{DATA}/clean/en-{{target}}/train.symbols",
        sentences=f"{DATA}/clean/en-{{target}}/train.en",
        subwords=rules.learn_word_subwords.output.model,
        code=code_of("src/parsing/learn_symbols.py"),
    output:
        f"{DATA}/subwords/en-{{target}}/symbols.json",
    log:
        f"{LOGS}/learn_symbols/en-{{target}}.log",
    benchmark:
        f"{LOGS}/learn_symbols/en-{{target}}.benchmark.tsv"
    wildcard_constraints:
        target=PARSING_DATA,
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=500,
        runtime=30,
    params:
        shared=lambda w, input: ["--shared-with", input.subwords] if PARSING["shared_vocabulary"] else [],
        tagged=lambda w, input: ["--tagged", input.sentences] if TAGS_IN_INPUT else [],
    shell:
        "python src/parsing/learn_symbols.py {input.symbols:q}"
        " {params.shared:q}"
        " {params.tagged:q}"
        " --output {output:q}"
        " > {log:q} 2>&1"


rule encode_trees:
    """Turn a split's sentences and trees into token ids.

    Test with: snakemake --cores all data/demo/tokenized/en-trees/train.json
    """
    input:
        subwords=rules.learn_word_subwords.output.model,
        symbols=rules.learn_symbols.output,
        source=rules.linearise.output.source,
        target=rules.linearise.output.target,
        code=code_of("src/subwords/encode.py"),
    output:
        header=f"{DATA}/tokenized/en-{{target}}/{{split}}.json",
        arrays=expand(
            f"{DATA}/tokenized/en-{{{{target}}}}/{{{{split}}}}.{{side}}.{{kind}}",
            side=["source", "target"],
            kind=["tokens", "offsets"],
        ),
    log:
        f"{LOGS}/encode/en-{{target}}/{{split}}.log",
    benchmark:
        f"{LOGS}/encode/en-{{target}}/{{split}}.benchmark.tsv"
    wildcard_constraints:
        target=PARSING_DATA,
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        prefix=lambda w, output: os.path.splitext(output.header)[0],
        copies=lambda w: PARSING["copies"] if w.split == "train" else 1,
        dropout=lambda w: PARSING["bpe_dropout"] if w.split == "train" else 0,
        seed=SETTINGS.seed,
    shell:
        "python src/subwords/encode.py"
        " --subwords {input.subwords:q}"
        " --symbols {input.symbols:q}"
        " --source {input.source:q}"
        " --target {input.target:q}"
        " --copies {params.copies}"
        " --dropout {params.dropout}"
        " --seed {params.seed}"
        " --output {params.prefix:q}"
        " > {log:q} 2>&1"


rule parse:
    """Parse the test sentences, considering nothing but trees.

    Test with: snakemake --cores all results/demo/runs/parser/en-trees/test.trees
    """
    input:
        weights=rules.average_checkpoints.output.weights,
        subwords=f"{DATA}/subwords/{{source}}-{{target}}/subwords.model",
        symbols=f"{DATA}/subwords/{{source}}-{{target}}/symbols.json",
        text=f"{DATA}/clean/{{source}}-{{target}}/test.{{source}}",
        code=code_of("src/parsing/parse.py"),
    output:
        trees=f"{RUN}/constrained.trees",
        report=f"{RUN}/constrained.decoding.json",
    log:
        f"{LOGS}/parse/{{run}}/{{source}}-{{target}}.log",
    benchmark:
        f"{LOGS}/parse/{{run}}/{{source}}-{{target}}.benchmark.tsv"
    wildcard_constraints:
        target=PARSING_DATA,
    conda:
        "../../envs/transformer.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=4 * 60,
        gres=ONE_GPU,
    params:
        decoding=lambda w: SETTINGS.decoding(w.run, f"{w.source}-{w.target}"),
        model=lambda w, input: os.path.dirname(input.weights),
        options=[],
    shell:
        "OMP_NUM_THREADS={threads} python src/parsing/parse.py"
        " --model {params.model:q}"
        " --subwords {input.subwords:q}"
        " --symbols {input.symbols:q}"
        " --beam-size {params.decoding[beam_size]}"
        " --alpha {params.decoding[alpha]}"
        " --max-extra-tokens {params.decoding[max_extra_tokens]}"
        " {params.options:q}"
        " --input {input.text:q}"
        " --output {output.trees:q}"
        " --report {output.report:q}"
        " > {log:q} 2>&1"


# As in the paper: the model may say anything, and what is no tree is repaired.
use rule parse as parse_unconstrained with:
    output:
        trees=f"{RUN}/unconstrained.trees",
        report=f"{RUN}/unconstrained.decoding.json",
    log:
        f"{LOGS}/parse_unconstrained/{{run}}/{{source}}-{{target}}.log",
    benchmark:
        f"{LOGS}/parse_unconstrained/{{run}}/{{source}}-{{target}}.benchmark.tsv"
    params:
        decoding=lambda w: SETTINGS.decoding(w.run, f"{w.source}-{w.target}"),
        model=lambda w, input: os.path.dirname(input.weights),
        options=["--unconstrained"],


# Gold tags go into the predicted trees: EVALB leaves punctuation out by its tag, and F1 is about brackets.
rule score_parses:
    """Measure F1 as EVALB does.

    Test with: snakemake --cores all results/demo/runs/parser/en-trees/parses.json
    """
    input:
        gold=expand(TREES, split="test"),
        predicted=rules.parse.output.trees,
        report=rules.parse.output.report,
        checkpoint=rules.average_checkpoints.output.weights,
        config=rules.resolve_run.output,
        code=code_of("src/parsing/score_parses.py"),
    output:
        scores=f"{RUN}/parses.json",
        sentences=f"{RUN}/parses.csv",
    log:
        f"{LOGS}/score_parses/{{run}}/{{source}}-{{target}}.log",
    benchmark:
        f"{LOGS}/score_parses/{{run}}/{{source}}-{{target}}.benchmark.tsv"
    wildcard_constraints:
        target=PARSING_DATA,
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=1000,
        runtime=30,
    shell:
        "python src/parsing/score_parses.py"
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
    input:
        gold=expand(TREES, split="test"),
        predicted=rules.parse_unconstrained.output.trees,
        report=rules.parse_unconstrained.output.report,
        checkpoint=rules.average_checkpoints.output.weights,
        config=rules.resolve_run.output,
        code=code_of("src/parsing/score_parses.py"),
    output:
        scores=f"{RUN}/unconstrained.json",
        sentences=f"{RUN}/unconstrained.csv",
    log:
        f"{LOGS}/score_unconstrained/{{run}}/{{source}}-{{target}}.log",
    benchmark:
        f"{LOGS}/score_unconstrained/{{run}}/{{source}}-{{target}}.benchmark.tsv"


# Silver trees: raw English, parsed by the parser above and by a PCFG of the same treebank; what both say is trained on.


rule silver_text:
    """Write raw English as the treebank writes its words.

    Test with: snakemake --cores all data/demo/silver/text.en
    """
    input:
        text=silver_text,
        code=code_of("src/parsing/tokenize_penn.py"),
    output:
        f"{DATA}/silver/text.en",
    log:
        f"{LOGS}/silver_text.log",
    benchmark:
        f"{LOGS}/silver_text.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=500,
        runtime=4 * 60,
        text=SETTINGS.silver_text or "",
    params:
        # Of several texts as much of each; of the grammar's, what comes behind the treebank's sentences.
        most=(
            SILVER["sentences"] // len(SILVER["text"])
            if isinstance(SILVER["text"], list)
            else SILVER["sentences"]
        ),
        skip=PARSING["sentences"] if SILVER["text"] == "grammar" else 0,
    shell:
        "TEXT={resources.text:q};"
        " python src/parsing/tokenize_penn.py"
        ' --input {input.text:q} ${{TEXT:+"$TEXT"}}'
        " --skip {params.skip}"
        " --most {params.most}"
        " --output {output:q}"
        " > {log:q} 2>&1"


rule parse_silver:
    """Parse raw English with the parser of the treebank.

    Test with: snakemake --cores all data/demo/silver/transformer.trees
    """
    input:
        weights=f"{RESULTS}/runs/parser/en-trees/averaged/model.safetensors",
        subwords=f"{DATA}/subwords/en-trees/subwords.model",
        symbols=f"{DATA}/subwords/en-trees/symbols.json",
        text=f"{DATA}/silver/text.tagged.en" if TAGS_IN_INPUT else f"{DATA}/silver/text.en",
        code=code_of("src/parsing/parse.py"),
    output:
        f"{DATA}/silver/transformer.trees",
    log:
        f"{LOGS}/parse_silver.log",
    benchmark:
        f"{LOGS}/parse_silver.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=24 * 60,
        gres=ONE_GPU,
    params:
        decoding=SETTINGS.decoding("parser", "en-trees"),
        beam_size=SILVER["beam_size"],
        model=lambda w, input: os.path.dirname(input.weights),
    shell:
        "OMP_NUM_THREADS={threads} python src/parsing/parse.py"
        " --model {params.model:q}"
        " --subwords {input.subwords:q}"
        " --symbols {input.symbols:q}"
        " --beam-size {params.beam_size}"
        " --alpha {params.decoding[alpha]}"
        " --max-extra-tokens {params.decoding[max_extra_tokens]}"
        " --input {input.text:q}"
        " --output {output:q}"
        " > {log:q} 2>&1"


rule train_pcfg:
    """Count the treebank's rules: a second parser.

    Test with: snakemake --cores all data/demo/silver/grammar.json
    """
    input:
        trees=expand(TREES, split="train"),
        code=code_of("src/parsing/train_pcfg.py"),
    output:
        f"{DATA}/silver/grammar.json",
    log:
        f"{LOGS}/train_pcfg.log",
    benchmark:
        f"{LOGS}/train_pcfg.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    shell:
        "python src/parsing/train_pcfg.py --trees {input.trees:q} --output {output:q} > {log:q} 2>&1"


rule parse_pcfg:
    """Parse with the PCFG: raw English, and what is to be tagged.

    Test with: snakemake --cores all data/demo/silver/text.pcfg.trees
    """
    input:
        grammar=rules.train_pcfg.output,
        text=f"{DATA}/silver/{{text}}.en",
        code=code_of("src/parsing/parse_pcfg.py"),
    output:
        f"{DATA}/silver/{{text}}.pcfg.trees",
    log:
        f"{LOGS}/parse_pcfg/{{text}}.log",
    benchmark:
        f"{LOGS}/parse_pcfg/{{text}}.benchmark.tsv"
    wildcard_constraints:
        text="text|dev|test",
    conda:
        "../../envs/transformer.yaml"
    threads: SETTINGS.data_threads
    resources:
        mem_mb=4000,
        runtime=24 * 60,
    shell:
        "OMP_NUM_THREADS=1 python src/parsing/parse_pcfg.py"
        " --grammar {input.grammar:q}"
        " --input {input.text:q}"
        " --output {output:q}"
        " --processes {threads}"
        " > {log:q} 2>&1"


rule select_silver:
    """Keep the trees on which both parsers agree, as long as the treebank's are, and add the treebank's.

    Test with: snakemake --cores all data/demo/silver/train.trees
    """
    input:
        ours=rules.parse_silver.output,
        pcfg=expand(rules.parse_pcfg.output, text="text"),
        gold=expand(TREES, split="train"),
        code=code_of("src/parsing/select_silver.py"),
    output:
        trees=f"{DATA}/silver/train.trees",
        silver=f"{DATA}/silver/silver.trees",
        report=f"{DATA}/silver/silver.json",
    log:
        f"{LOGS}/select_silver.log",
    benchmark:
        f"{LOGS}/select_silver.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=2000 + SILVER["sentences"] // 500,  # it holds the trees that were agreed on, as text
        runtime=24 * 60,
    params:
        min_f1=SILVER["min_f1"],
        oversample=SILVER["oversample"],
        seed=SETTINGS.seed,
    shell:
        "python src/parsing/select_silver.py"
        " --first {input.ours:q}"
        " --second {input.pcfg:q}"
        " --gold {input.gold:q}"
        " --min-f1 {params.min_f1}"
        " --oversample {params.oversample}"
        " --seed {params.seed}"
        " --output {output.trees:q}"
        " --silver {output.silver:q}"
        " --report {output.report:q}"
        " > {log:q} 2>&1"
