# Make the tables from the scores: their cells, and these as LaTeX, CSV and Markdown.


TABLE2_FOLDERS = INPUTS.run_folders(TABLE2_RUNS, SETTINGS.pairs)
TABLE2_FIRST = INPUTS.run_folders(TABLE2_RUNS, SETTINGS.pairs, seeds=False)
TABLE3_FOLDERS = INPUTS.run_folders(TABLE3_RUNS, [PAIR])
# Rows (A), which vary the number of heads.
HEADS_FOLDERS = INPUTS.run_folders(["base", "A-h1", "A-h4", "A-h16", "A-h32"], [PAIR], seeds=False)
# The user's runs, which metrics and curves show besides those of Table 2.
OWN_RUNS = [run for run in SETTINGS.user_runs if run not in TABLE2_RUNS]
OWN_FOLDERS = INPUTS.run_folders(OWN_RUNS, [PAIR], seeds=False)
TABLE4_FOLDERS = [folder for run, pair in PARSERS.items() for folder in INPUTS.run_folders([run], [pair])]
TABLE4_FIRST = [
    folder for run, pair in PARSERS.items() for folder in INPUTS.run_folders([run], [pair], seeds=False)
]
PARSER_FOLDERS = TABLE4_FOLDERS if TREEBANK else []
PARSER_FIRST = TABLE4_FIRST if TREEBANK else []
BY_LENGTH = INPUTS.run_folders(["base", "big"], SETTINGS.pairs)
BASELINES = expand(f"{RESULTS}/baselines/{{pair}}.json", pair=SETTINGS.pairs)
TEST_FOLDERS = [
    f"{folder}/tests/{name}"
    for run in TABLE2_RUNS
    for pair, names in SETTINGS.further_tests.items()
    for folder in INPUTS.run_folders([run], [pair])
    for name in names
]
TRAINED = ["config.json", "training.json"]  # of every run
TREEBANKS = ["trees", "silver"] if SETTINGS.silver_trees is None else ["trees"]
ALL_CORPORA = [*SETTINGS.pairs, *(TREEBANKS if TREEBANK else [])]
ALL_SOURCES = TERMS.sources_of(*ALL_CORPORA, tests=True)
NOTES = expand("<data>/notes/{pair}.json", pair=SETTINGS.pairs)  # what is to be said of the text

# What each table shows: the folders of its runs, their scores, and what these say of each sentence.
SHOWN_RUNS = {
    "table1": [],
    "table2": TABLE2_FOLDERS,
    "table3": TABLE3_FOLDERS,
    "table4": TABLE4_FOLDERS,
    "test_sets": TABLE2_FOLDERS,
    "table2_by_length": BY_LENGTH,
}
AVERAGED = [*TRAINED, "perplexity.json", "scores.json"]
SCORES = {
    "table1": [],
    "table2": files_in(TABLE2_FOLDERS, *AVERAGED),
    "table3": files_in(TABLE3_FOLDERS, *TRAINED, "last/perplexity.json", "last/scores.json"),
    "table4": files_in(TABLE4_FOLDERS, *TRAINED, "parses.json", "unconstrained.json"),
    "test_sets": [*files_in(TABLE2_FOLDERS, *AVERAGED), *files_in(TEST_FOLDERS, "scores.json")],
    "table2_by_length": files_in(BY_LENGTH, *AVERAGED),
}
SENTENCES = {
    "table2": files_in(TABLE2_FOLDERS, "scores.csv"),
    "table3": files_in(TABLE3_FOLDERS, "last/perplexity.csv", "last/scores.csv"),
    "table4": files_in(TABLE4_FOLDERS, "parses.csv"),
    "table2_by_length": files_in(BY_LENGTH, "scores.csv"),
}
NOTES_BELOW = {
    "table2": NOTES,
    "table3": [f"<data>/notes/{PAIR}.json"],
    "test_sets": NOTES,
    "table2_by_length": NOTES,
}
CORPORA_SHOWN = {"table1": [], "table3": [PAIR], "table4": TREEBANKS}  # others show all pairs


rule table:
    """Make Table 1, 2, 3 or 4, Table 2 by the length of sentences, or the table of all test sets."""
    input:
        literature=resource_input("literature.yaml"),
        sources=SOURCES,
        layers=lambda w: rules.measure_layers.output.layers if w.table == "table1" else [],
        settings=lambda w: config_input("runs.yaml") if w.table == "table3" else [],
        baselines=lambda w: BASELINES if w.table == "table2" else [],
        scores=lambda w: SCORES[w.table],
        sentences=lambda w: SENTENCES.get(w.table, []),
        text=lambda w: NOTES_BELOW.get(w.table, []),
    output:
        tables=expand("<results>/tables/{{table}}.{format}", format=TABLE_FORMATS),
        cells="<results>/tables/{table}.json",
    log:
        "<logs>/table/{table}.log",
    wildcard_constraints:
        table="|".join(SCORES),
    conda:
        ENVIRONMENT
    resources:
        **JOBS.needs(1000, 10),
    params:
        **program("tables/make_table.py"),
        pairs=lambda w: PAIR if w.table == "table3" else SETTINGS.pairs,
        runs=lambda w: placed(SHOWN_RUNS[w.table]),
        tests=lambda w: placed(TEST_FOLDERS) if w.table == "test_sets" else [],
        data=lambda w: TERMS.options(
            *CORPORA_SHOWN.get(w.table, SETTINGS.pairs), tests=w.table == "test_sets"
        ),
        folder=subpath(output[0], parent=True),
    shell:
        "PYTHONPATH={params.path:q} python {params.src:q}/transformer/tables/make_table.py {wildcards.table}"
        " --literature {input.literature:q}"
        " --layers {input.layers:q}"
        " --pairs {params.pairs}"
        " --paper-settings {input.settings:q}"
        " --baselines {input.baselines:q}"
        " --runs {params.runs:q}"
        " --tests {params.tests:q}"
        " --text {input.text:q}"
        " --data {params.data:q}"
        " --output-dir {params.folder:q}"
        " > {log:q} 2>&1"


rule compare:
    """Put the paper's numbers and ours side by side."""
    input:
        tables=expand("<results>/tables/{table}.json", table=TABLES),
        # The JSON file beside each CSV file has its sha256.
        sentences=[
            *files_in(TABLE2_FOLDERS, "scores.csv", "scores.json"),
            *SCORES["table3"],
            *SENTENCES["table3"],
            *files_in(PARSER_FOLDERS, "parses.csv", "parses.json"),
        ],
    output:
        tables=expand("<results>/tables/comparison.{format}", format=TABLE_FORMATS),
        cells="<results>/tables/comparison.json",
    log:
        "<logs>/compare.log",
    conda:
        ENVIRONMENT
    resources:
        **JOBS.needs(500, 10),
    params:
        **program("tables/compare.py"),
        folder=subpath(output[0], parent=True),
    shell:
        "PYTHONPATH={params.path:q} python {params.src:q}/transformer/tables/compare.py"
        " --tables {input.tables:q}"
        " --output-dir {params.folder:q}"
        " > {log:q} 2>&1"


rule claims:
    """Test which of the paper's claims hold."""
    input:
        claims=resource_input("claims.yaml"),
        literature=resource_input("literature.yaml"),
        tables=rules.compare.input.tables,
        sentences=rules.compare.input.sentences,
        layers=rules.measure_layers.output.layers,
        averaged=lambda w: files_in(
            INPUTS.run_folders(averaged_in_claims(), [PAIR]), "perplexity.csv", "perplexity.json"
        ),
        trainings=files_in(HEADS_FOLDERS, "training.json"),
    output:
        tables=expand("<results>/tables/claims.{format}", format=TABLE_FORMATS),
        cells="<results>/tables/claims.json",
    log:
        "<logs>/claims.log",
    conda:
        ENVIRONMENT
    resources:
        **JOBS.needs(1000, 10),
    params:
        **program("tables/make_claims.py"),
        folder=subpath(output[0], parent=True),
        runs=placed(HEADS_FOLDERS),
    shell:
        "PYTHONPATH={params.path:q} python {params.src:q}/transformer/tables/make_claims.py"
        " --claims {input.claims:q}"
        " --literature {input.literature:q}"
        " --tables {input.tables:q}"
        " --layers {input.layers:q}"
        " --runs {params.runs:q}"
        " --output-dir {params.folder:q}"
        " > {log:q} 2>&1"


# results/table2.tex, .csv and .md are the table of the active scale.
rule copy_table:
    """Copy a table of the active scale to results/."""
    input:
        lambda w: originals(f"tables/{w.table}", TABLE_FORMATS),
    output:
        expand("results/{{table}}.{format}", format=TABLE_FORMATS),
    log:
        "<logs>/copy_table/{table}.log",
    wildcard_constraints:
        table="table[1-4]|table2_by_length|comparison|test_sets|claims",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        folder=subpath(output[0], parent=True),
    shell:
        "(cp {input:q} {params.folder:q} && sync {output:q}) 2> {log:q}"


rule references:
    """Copy the works that the paper's tables cite, in BibTeX."""
    input:
        resource_input("references.bib"),
    output:
        "results/references.bib",
    log:
        "<logs>/references.log",
    localrule: True
    conda:
        ENVIRONMENT
    shell:
        "(cp {input:q} {output:q} && sync {output:q}) 2> {log:q}"


rule scores:
    """Collect everything that was measured at the active scale, one number per row."""
    input:
        SCORES["table2"],
        files_in(TEST_FOLDERS, "scores.json"),
        SCORES["table3"],
        SCORES["table4"] if TREEBANK else [],
        BASELINES,
    output:
        "results/scores.csv",
    log:
        "<logs>/scores.log",
    conda:
        ENVIRONMENT
    resources:
        **JOBS.needs(1000, 10),
    params:
        **program("tables/collect_scores.py"),
        runs=placed(TABLE2_FOLDERS),
        tests=placed(TEST_FOLDERS),
        last=placed(TABLE3_FOLDERS),
        parsers=placed(PARSER_FOLDERS),
        baselines=placed(BASELINES),
    shell:
        "PYTHONPATH={params.path:q} python {params.src:q}/transformer/tables/collect_scores.py"
        " --runs {params.runs:q}"
        " --tests {params.tests:q}"
        " --last {params.last:q}"
        " --parsers {params.parsers:q}"
        " --baselines {params.baselines:q}"
        " --output {output:q}"
        " > {log:q} 2>&1"


rule metrics:
    """Collect the numbers that `dvc metrics` and `dvc plots` show for the active scale."""
    input:
        scores=files_in(TABLE2_FIRST, *TRAINED, "metrics.jsonl", "perplexity.json", "scores.json"),
        last=files_in(OWN_FOLDERS, *TRAINED, "metrics.jsonl", "last/perplexity.json", "last/scores.json"),
        parses=files_in(PARSER_FIRST, *TRAINED, "metrics.jsonl", "parses.json", "unconstrained.json"),
    output:
        metrics="results/metrics.json",
        headline="results/headline.json",
        # A folder: if a new run meant a new output, Snakemake would have no record of this job, and would not notice.
        curves=directory("results/curves"),
    log:
        "<logs>/metrics.log",
    conda:
        ENVIRONMENT
    resources:
        **JOBS.needs(500, 10),
    params:
        **program("tables/collect_metrics.py"),
        folders=placed(TABLE2_FIRST),
        last=placed(OWN_FOLDERS),
        parsers=placed(PARSER_FIRST),
    shell:
        "PYTHONPATH={params.path:q} python {params.src:q}/transformer/tables/collect_metrics.py"
        " --runs {params.folders:q}"
        " --last {params.last:q}"
        " --parsers {params.parsers:q}"
        " --metrics {output.metrics:q}"
        " --headline {output.headline:q}"
        " --curves {output.curves:q}"
        " > {log:q} 2>&1"
