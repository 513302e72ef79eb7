# What the rules of the corpus, of trainings, tables, the page and exports read, as functions of their wildcards.


def tracking_option(wildcards):
    """Return the options that let a training draw its curves; none unless the settings name a tool."""
    if SETTINGS.track is None:
        return []
    name = f"{wildcards.run}.{wildcards.source}-{wildcards.target}"
    return ["--track", f"{LOGS}/tracking/{SETTINGS.track}/{name}"]


def read(name):
    """Return a function that gives the files of an option of make_table.py, if the table reads them."""
    return lambda w: READ[name] if name in ENTRIES[w.table].reads else []


def files_of_runs(wildcards):
    """Return what a table reads of its runs: scores, and the counts of each sentence; and what its tables read."""
    entry = ENTRIES[wildcards.table]
    files = files_in(RUNS[entry.runs], *entry.run_files)
    of_tables = (ENTRIES[name] for name in cells_of(entry))
    return [*files, *(file for of in of_tables for file in files_in(RUNS[of.runs], *of.run_files))]


def cells_of(entry):
    """Return the names of the tables whose cells a table is made from, without those that cannot be made."""
    return [name for name in entry.tables if name in MADE_TABLES]


def averages(wildcards):
    """Return the perplexity of the averages that the claims are about."""
    if "averages" not in ENTRIES[wildcards.table].reads:
        return []
    return files_in(INPUTS.run_folders(averaged_in_claims(), [PAIR]), "perplexity.json", "perplexity.csv")


def notes_on_text(wildcards):
    """Return what is to be said of the text of the corpora that a table shows."""
    entry = ENTRIES[wildcards.table]
    pairs = CORPORA.get(entry.runs, SETTINGS.pairs) if "text" in entry.reads else []
    return expand("<data>/notes/{pair}.json", pair=pairs)


def code_of_table(wildcards):
    """Return a hash of the code that makes a table, which make_table.py imports by the name in its entry."""
    return [
        code_of(f"transformer.tables.{name}") for name in ("make_table", ENTRIES[wildcards.table].made_by)
    ]


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
            elif workflow.is_main_process:
                warn_once(f"{run}/{pair} is left out: {reason}")
    return folders


def held_model(wildcards):
    """Return the weights to export, or end before anything is trained if it cannot be exported."""
    pair = f"{wildcards.source}-{wildcards.target}"
    model = SETTINGS.run(wildcards.run, pair)["model"]
    if reason := reason_against(model):
        stop(f"{wildcards.run} {pair}: {reason}")
    return f"<results>/runs/{wildcards.run}/{pair}/averaged/model.safetensors"
