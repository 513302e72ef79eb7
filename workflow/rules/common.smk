# What several rules share, and what is too long to stand in a rule.


def cleaning_options(wildcards):
    """The limits for training pairs; development and test sets are checked, and nothing is dropped from them."""
    if wildcards.split != "train":
        return "--keep-all"
    limits = SETTINGS.clean
    deduplicate = " --deduplicate" if limits["deduplicate"] else ""
    return f"--max-length {limits['max_length']} --max-ratio {limits['max_ratio']}{deduplicate}"


def sha256_of_download(path):
    """What the registry says of a file that this scale downloads; None when nobody knows."""
    parts = (part for parts in SETTINGS.downloads.values() for part in parts)
    return next(part.get("sha256") for part in parts if part["path"] == path)


def parts_of(pair, split, side):
    """The files, downloaded or unpacked, that one side of a split is made of, in their order."""
    return [
        (
            f"data/unpacked/{part['path']}/{part['member']}"
            if part["member"]
            else f"data/downloads/{part['path']}"
        )
        for part in SETTINGS.downloads[pair, split, side]
    ]


PARSING_DATA = "trees|silver"  # in place of a target language: what a parser is trained on
WSJ_SECTIONS = {"train": "2-21", "dev": "22", "test": "23"}


def treebank_files(wildcards):
    """The files that hold a split's trees, generated or unpacked."""
    if SETTINGS.parsing["source"] == "grammar":
        return [f"{DATA}/raw/trees/{wildcards.split}.trees"]
    return parts_of("trees", wildcards.split, "trees")


def silver_text(wildcards):
    """The files of raw English that silver trees are made of; none where the user names one."""
    text = SETTINGS.parsing["silver"]["text"]
    if text == "grammar":
        return [f"{DATA}/raw/en-de/train.en"]
    return [] if text == "file" else parts_of("silver", "text", "en")


def trees_of(wildcards):
    """The trees of a split; development and test sets are the treebank's, whatever is trained on."""
    if wildcards.split == "train" and wildcards.target == "silver":
        return f"{DATA}/silver/train.trees"
    return f"{DATA}/clean/trees/{wildcards.split}.trees"


def tags_of(wildcards):
    """The trees whose tags a parser reads, where they are not those of the treebank: the second parser's."""
    if SETTINGS.parsing["input_tags"] != "predicted" or wildcards.split == "train":
        return []
    return [f"{DATA}/silver/{wildcards.split}.pcfg.trees"]


def symbols_of(wildcards):
    """The vocabulary of trees' symbols, where a parser is trained."""
    if not re.fullmatch(PARSING_DATA, wildcards.target):
        return []
    return [f"{DATA}/subwords/{wildcards.source}-{wildcards.target}/symbols.json"]


def hardware(wildcards):
    """What a run is trained on."""
    return SETTINGS.hardware(wildcards.run, f"{wildcards.source}-{wildcards.target}")


def training_threads(wildcards):
    """Of all processes of a training on one node."""
    settings = SETTINGS.run(wildcards.run, f"{wildcards.source}-{wildcards.target}")
    return settings["training"]["threads"] * hardware(wildcards)["processes"]


def longest_first(wildcards):
    """A training's priority: its work, with that of the parser that waits for it, as a multiple of base's.

    Where the longest start first, none is left to run alone while other cores are idle.
    """
    run, pair = wildcards.run, f"{wildcards.source}-{wildcards.target}"
    total = training_work(run, pair)
    if run == "parser":
        total += training_work("parser-semi", PARSERS["parser-semi"])
    return round(total / training_work("base", SETTINGS.pairs[0]), 1)


def training_work(run, pair):
    """About in proportion to the operations of a training: updates, times tokens of each, times parameters of layers."""
    settings = SETTINGS.run(run, pair)
    model, training = settings["model"], settings["training"]
    in_layers = parameters(TransformerConfig(vocab_size=1, **model))
    return training["steps"] * training["batch_tokens"] * in_layers
