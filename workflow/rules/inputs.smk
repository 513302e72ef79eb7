# What the rules of the corpus, of trainings, tables, the page and exports read, as functions of their wildcards.


def tracking_option(wildcards):
    """Return the options that let a training draw its curves; none unless the settings name a tool."""
    if SETTINGS.track is None:
        return []
    name = f"{wildcards.run}.{wildcards.source}-{wildcards.target}"
    return ["--track", f"{LOGS}/tracking/{SETTINGS.track}/{name}"]


def averages(wildcards):
    """Return the perplexity of the averages that the claims are about."""
    return files_in(INPUTS.run_folders(averaged_in_claims(), [PAIR]), "perplexity.json", "perplexity.csv")


def everything(wildcards):
    """Return all results in all their formats, and say once which are left out, and why."""
    for line in [] if MACHINE.is_worker else LEFT_OUT:
        warn_once(line)  # the project's logger prints only warnings of such texts
    return RESULT_FILES


def originals(stem, formats):
    """Return the files of the scale that are copied to results/, or end with the reason why they cannot be made."""
    for start, reason in CANNOT_BE_MADE.items():
        if f"results/{stem.removeprefix('tables/')}.".startswith(start):
            stop(reason)
    return expand(f"{RESULTS}/{stem}.{{format}}", format=formats)


def exports(wildcards):
    """Return the folders to export, and say once which runs are left out, and why: they would fail once trained."""
    folders = []
    for run in map(SETTINGS.first_seed, TABLE2_RUNS):
        for pair in SETTINGS.pairs:
            if not (reason := reason_against(SETTINGS.run(run, pair)["model"])):
                folders.append(f"<results>/export/{run}/{pair}/huggingface")
            elif not MACHINE.is_worker:
                warn_once(f"{run}/{pair} is left out: {reason}")
    return folders


def held_model(wildcards):
    """Return the weights to export, or end before anything is trained if it cannot be exported."""
    pair = f"{wildcards.source}-{wildcards.target}"
    model = SETTINGS.run(wildcards.run, pair)["model"]
    if reason := reason_against(model):
        stop(f"{wildcards.run} {pair}: {reason}")
    return f"<results>/runs/{wildcards.run}/{pair}/averaged/model.safetensors"
