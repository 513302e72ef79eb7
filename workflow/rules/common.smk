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


def hardware(wildcards):
    """What a run is trained on."""
    return SETTINGS.hardware(wildcards.run, f"{wildcards.source}-{wildcards.target}")


def training_threads(wildcards):
    """Of all processes of a training on one node."""
    settings = SETTINGS.run(wildcards.run, f"{wildcards.source}-{wildcards.target}")
    return settings["training"]["threads"] * hardware(wildcards)["processes"]
