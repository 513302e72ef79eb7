# Make the tables from the scores: their cells, and these as LaTeX, CSV and Markdown.


TABLE2_FOLDERS = INPUTS.run_folders(TABLE2_RUNS, SETTINGS.pairs)
TABLE2_FIRST = INPUTS.run_folders(TABLE2_RUNS, SETTINGS.pairs, seeds=False)
FIRST_FOLDERS = INPUTS.run_folders(TABLE2_RUNS[:1], SETTINGS.pairs, seeds=False)
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
# What a measure whose counts are in no file is counted again in.
MEASURES = or_exit(chosen_measures, SETTINGS.table2_measures or DEFAULT)
COUNTED_AGAIN = any(measure.counts == TEXTS for measure in MEASURES)
REFERENCES = (
    [f"{DATA}/clean/{pair}/test.{pair.partition('-')[2]}" for pair in SETTINGS.pairs] if COUNTED_AGAIN else []
)
HYPOTHESES = (
    [f"{folder}/test.{folder.rpartition('-')[2]}" for folder in TABLE2_FOLDERS] if COUNTED_AGAIN else []
)
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
# What `make all` makes.
MADE_TABLES = [
    name
    for name, entry in ENTRIES.items()
    if (entry.runs != "parsers" or TREEBANK) and ("tests" not in entry.reads or TEST_FOLDERS)
]

# The folders of the runs that a table shows, and the corpora behind them, by the name in its entry.
RUNS = {
    "": [],
    "table2": TABLE2_FOLDERS,
    "table3": TABLE3_FOLDERS,
    "parsers": TABLE4_FOLDERS,
    "heads": HEADS_FOLDERS,
}
CORPORA = {"": [], "heads": [], "table3": [PAIR], "parsers": TREEBANKS}  # others show all pairs
SCORES = {name: files_in(RUNS[entry.runs], *entry.files.values()) for name, entry in ENTRIES.items()}
# What a table reads besides, by the option of make_table.py.
READ = {
    "layers": [rules.measure_layers.output.layers],
    "paper_settings": ["config/runs.yaml"],
    "baselines": BASELINES,
    "references": REFERENCES,
    "tests": files_in(TEST_FOLDERS, "scores.json"),
    "claims": ["resources/claims.yaml"],
}


rule table:
    """Make a table: its cells, and these as LaTeX, CSV and Markdown."""
    input:
        literature="resources/literature.yaml",
        sources=SOURCES,
        layers=read("layers"),
        settings=read("paper_settings"),
        baselines=read("baselines"),
        references=read("references"),
        hypotheses=lambda w: HYPOTHESES if "references" in ENTRIES[w.table].reads else [],
        tests=read("tests"),
        claims=read("claims"),
        averages=averages,
        tables=lambda w: expand("<results>/tables/{table}.json", table=cells_of(ENTRIES[w.table])),
        runs=files_of_runs,
        text=notes_on_text,
    output:
        tables=expand("<results>/tables/{{table}}.{format}", format=TABLE_FORMATS),
        cells="<results>/tables/{table}.json",
    log:
        "<logs>/table/{table}.log",
    wildcard_constraints:
        table="|".join(ENTRIES),
    resources:
        **JOBS.needs(1000, 10),
    params:
        code=code_of_table,
        pairs=lambda w: PAIR if w.table == "table3" else SETTINGS.pairs,
        # As before there was a choice, unless it is another.
        measures=lambda w: SETTINGS.table2_measures or [] if "references" in ENTRIES[w.table].reads else [],
        runs=lambda w: RUNS[ENTRIES[w.table].runs],
        tests=lambda w: TEST_FOLDERS if "tests" in ENTRIES[w.table].reads else [],
        data=lambda w: TERMS.options(
            *CORPORA.get(ENTRIES[w.table].runs, SETTINGS.pairs), tests="tests" in ENTRIES[w.table].reads
        ),
        folder=subpath(output[0], parent=True),
    shell:
        "python -m transformer.tables.make_table {wildcards.table}"
        " --literature {input.literature:q}"
        " --layers {input.layers:q}"
        " --pairs {params.pairs}"
        " --paper-settings {input.settings:q}"
        " --baselines {input.baselines:q}"
        " --measures {params.measures:q}"
        " --references {input.references:q}"
        " --runs {params.runs:q}"
        " --tests {params.tests:q}"
        " --claims {input.claims:q}"
        " --averages {input.averages:q}"
        " --tables {input.tables:q}"
        " --text {input.text:q}"
        " --data {params.data:q}"
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
        table="|".join(ENTRIES),
    localrule: True
    params:
        scale=SETTINGS.scale,
        folder=subpath(output[0], parent=True),
    shell:
        "(cp {input:q} {params.folder:q} && sync {output:q}) 2> {log:q}"


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
    resources:
        **JOBS.needs(1000, 10),
    params:
        code=code_of("transformer.tables.collect_scores"),
        runs=TABLE2_FOLDERS,
        tests=TEST_FOLDERS,
        last=TABLE3_FOLDERS,
        parsers=PARSER_FOLDERS,
        baselines=BASELINES,
    shell:
        "python -m transformer.tables.collect_scores"
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
    resources:
        **JOBS.needs(500, 10),
    params:
        code=code_of("transformer.tables.collect_metrics"),
        folders=TABLE2_FIRST,
        last=OWN_FOLDERS,
        parsers=PARSER_FIRST,
    shell:
        "python -m transformer.tables.collect_metrics"
        " --runs {params.folders:q}"
        " --last {params.last:q}"
        " --parsers {params.parsers:q}"
        " --metrics {output.metrics:q}"
        " --headline {output.headline:q}"
        " --curves {output.curves:q}"
        " > {log:q} 2>&1"
