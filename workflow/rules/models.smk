# What the rules of a model share: which checkpoints are averaged, what it translates and with which search, and which
# runs are averaged for the claims or exported.


def state_of(file):
    """Return what tells a file of the user's own from a changed one; its path is not recorded."""
    state = os.stat(file)
    return state.st_size, int(state.st_mtime)


def own_silver_option():
    """Return the option that tells resolve_run.py which file of the user's own silver trees are made from, if any."""
    if SETTINGS.silver_trees is not None:
        return "--own-silver-trees"
    return "--own-silver-text" if SETTINGS.silver_text is not None else ""


def averaging_of(wildcards):
    """Return which checkpoints of a run are averaged."""
    if wildcards.average == "last":
        return {"average_checkpoints": 1, "choose_on_dev": False}
    return SETTINGS.averaging(wildcards.run, f"{wildcards.source}-{wildcards.target}")


def split_of(wildcards):
    """Return the split that a set is: `last/` is the development set, and other names are of test sets."""
    return "dev" if wildcards.set == "last/" else "test"


def text_of(side):
    """Return a function that gives one side of a set."""

    def path(wildcards):
        name = wildcards.set[:-1] if wildcards.set.startswith("tests") else split_of(wildcards)
        return f"{DATA}/clean/{wildcards.source}-{wildcards.target}/{name}.{getattr(wildcards, side)}"

    return path


def of_model(name):
    """Return a function that gives a file of the model that translates a set: the average, or the last checkpoint."""
    run = "<results>/runs/{run}/{source}-{target}"
    return lambda w: f"{run}/{'last' if w.set == 'last/' else 'averaged'}/{name}"


def translated(ending):
    """Return a function that gives a file of the translation of a set."""
    return lambda w: f"<results>/runs/{{run}}/{{source}}-{{target}}/{w.set}{split_of(w)}.{ending}"


def parsed(ending):
    """Return a function that gives a file of the parses that are scored."""
    return lambda w: (
        f"<results>/runs/{{run}}/{{source}}-{{target}}/{w.score.replace('parses', 'constrained')}.{ending}"
    )


def decoding_of(wildcards):
    """Return the settings of the beam search for a run."""
    return SETTINGS.decoding(wildcards.run, f"{wildcards.source}-{wildcards.target}")


def search_options(wildcards):
    """Return the options of a translation for the settings of its beam search."""
    settings = decoding_of(wildcards).items()
    return [word for key, value in settings for word in (f"--{key.replace('_', '-')}", value)]


def attention_sentence(figure, *words):
    """Return the sentence of a figure, or its line in the test set, and the marked words."""
    shown = SETTINGS.attention[figure]
    return [shown.get("sentence", shown.get("test_line")), *(shown[word] for word in words)]


def averaged_in_claims():
    """Return the rows of Table 3 whose averages the claims are about, or end with what is wrong in an entry."""
    claims = or_exit(read_claims, resource_file("claims.yaml"))
    return [row for row in averaged_rows(claims) if row in TABLE3_RUNS]


def exports(wildcards):
    """Return the folders to export, and say which runs are left out, and why."""
    tell_not_exported()
    return [folder for folder, reason in AGAINST_EXPORT.items() if not reason]


@functools.cache
def tell_not_exported():
    if workflow.is_main_process:
        for folder, reason in AGAINST_EXPORT.items():
            if reason:
                logger.warning(f"{folder.removeprefix('<results>/export/')} is left out: {reason}")
