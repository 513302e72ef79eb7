# What several rules share, and what is too long to stand in a rule.


def cleaning_options(wildcards):
    """The limits for training pairs; development and test sets are checked, and nothing is dropped from them."""
    if wildcards.split != "train":
        return "--keep-all"
    limits = SETTINGS.clean
    deduplicate = " --deduplicate" if limits["deduplicate"] else ""
    return f"--max-length {limits['max_length']} --max-ratio {limits['max_ratio']}{deduplicate}"


def sha256_of_download(path):
    """What the registry says of a file that this scale downloads."""
    return next(file["sha256"] for file in SETTINGS.downloads.values() if file["path"] == path)
