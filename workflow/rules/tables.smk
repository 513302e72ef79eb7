# Make the tables from the scores: their cells, and these as LaTeX, CSV and Markdown.

TABLE_FORMATS = ["tex", "csv", "md"]
CELLS_AND_FORMATS = ["json", *TABLE_FORMATS]
TABLE2_FOLDERS = INPUTS.run_folders(product(TABLE2_RUNS, SETTINGS.pairs))
TABLE2_FIRST = INPUTS.run_folders(product(TABLE2_RUNS, SETTINGS.pairs), seeds=False)
TABLE3_FOLDERS = INPUTS.run_folders(product(TABLE3_RUNS, [PAIR]))
TABLE4_FOLDERS = INPUTS.run_folders(PARSERS.items())
# The user's runs, which metrics and curves show besides those of Table 2.
OWN_RUNS = [run for run in SETTINGS.user_runs if run not in TABLE2_RUNS]
OWN_FOLDERS = INPUTS.run_folders(product(OWN_RUNS, [PAIR]), seeds=False)
PARSER_FOLDERS = TABLE4_FOLDERS if TREEBANK else []
PARSER_FIRST = INPUTS.run_folders(PARSERS.items(), seeds=False) if TREEBANK else []
TRAINED = ["config.json", "training.json"]  # of every run
TREEBANKS = ["trees", "silver"] if SETTINGS.silver_trees is None else ["trees"]
# What `make all` makes.
MADE_TABLES = [name for name in ENTRIES if name != "table4" or TREEBANK]
# What each table reads of its runs: the scores, and the counts of each sentence that they are tested on.
OF_TABLE2 = files_in(TABLE2_FOLDERS, *AVERAGED.values(), "scores.csv")
OF_TABLE3 = files_in(TABLE3_FOLDERS, *LAST.values(), "last/perplexity.csv", "last/scores.csv")
OF_TABLE4 = files_in(TABLE4_FOLDERS, *PARSES.values(), "parses.csv")


rule table1:
    """Make Table 1: the costs of the layer types."""
    input:
        literature="resources/literature.yaml",
        layers=rules.measure_layers.output.layers,
    output:
        expand("<results>/tables/table1.{format}", format=CELLS_AND_FORMATS),
    log:
        "<logs>/table1.log",
    params:
        code=code_of("transformer.tables.table1"),
        folder=subpath(output[0], parent=True),
    shell:
        "python -m transformer.tables.table1"
        " --literature {input.literature:q}"
        " --layers {input.layers:q}"
        " --output-dir {params.folder:q} > {log:q} 2>&1"


rule table2:
    """Make Table 2: BLEU and training cost."""
    input:
        literature="resources/literature.yaml",
        sources=SOURCES,
        runs=OF_TABLE2,
        text=expand("<data>/notes/{pair}.json", pair=SETTINGS.pairs),
    output:
        expand("<results>/tables/table2.{format}", format=CELLS_AND_FORMATS),
    log:
        "<logs>/table2.log",
    params:
        code=code_of("transformer.tables.table2"),
        pairs=SETTINGS.pairs,
        runs=TABLE2_FOLDERS,
        data=lambda w: INPUTS.terms(*SETTINGS.pairs),
        folder=subpath(output[0], parent=True),
    shell:
        "python -m transformer.tables.table2"
        " --literature {input.literature:q}"
        " --runs {params.runs:q}"
        " --text {input.text:q}"
        " --pairs {params.pairs} --data {params.data:q}"
        " --output-dir {params.folder:q} > {log:q} 2>&1"


rule table3:
    """Make Table 3: variations of the Transformer."""
    input:
        literature="resources/literature.yaml",
        sources=SOURCES,
        settings="config/runs.yaml",
        runs=OF_TABLE3,
        text=f"<data>/notes/{PAIR}.json",
    output:
        expand("<results>/tables/table3.{format}", format=CELLS_AND_FORMATS),
    log:
        "<logs>/table3.log",
    params:
        code=code_of("transformer.tables.table3"),
        pair=PAIR,
        runs=TABLE3_FOLDERS,
        data=lambda w: INPUTS.terms(PAIR),
        folder=subpath(output[0], parent=True),
    shell:
        "python -m transformer.tables.table3"
        " --literature {input.literature:q}"
        " --runs {params.runs:q}"
        " --paper-settings {input.settings:q}"
        " --text {input.text:q}"
        " --pair {params.pair} --data {params.data:q}"
        " --output-dir {params.folder:q} > {log:q} 2>&1"


rule table4:
    """Make Table 4: constituency parsing."""
    input:
        literature="resources/literature.yaml",
        sources=SOURCES,
        runs=OF_TABLE4,
    output:
        expand("<results>/tables/table4.{format}", format=CELLS_AND_FORMATS),
    log:
        "<logs>/table4.log",
    params:
        code=code_of("transformer.tables.table4"),
        runs=TABLE4_FOLDERS,
        data=lambda w: INPUTS.terms(*TREEBANKS),
        folder=subpath(output[0], parent=True),
    shell:
        "python -m transformer.tables.table4"
        " --literature {input.literature:q}"
        " --runs {params.runs:q}"
        " --data {params.data:q}"
        " --output-dir {params.folder:q} > {log:q} 2>&1"


rule claims:
    """Test what the paper asserts on the numbers of Tables 2, 3 and 4, and on the sentences behind them."""
    input:
        literature="resources/literature.yaml",
        claims="resources/claims.yaml",
        tables=expand(
            "<results>/tables/{table}.json", table=["table2", "table3", *(["table4"] if TREEBANK else [])]
        ),
        runs=[*OF_TABLE2, *OF_TABLE3, *(OF_TABLE4 if TREEBANK else [])],
        averages=averages,
    output:
        expand("<results>/tables/claims.{format}", format=CELLS_AND_FORMATS),
    log:
        "<logs>/claims.log",
    params:
        code=code_of("transformer.tables.make_claims"),
        folder=subpath(output[0], parent=True),
    shell:
        "python -m transformer.tables.make_claims"
        " --literature {input.literature:q}"
        " --tables {input.tables:q}"
        " --claims {input.claims:q} --averages {input.averages:q}"
        " --output-dir {params.folder:q} > {log:q} 2>&1"


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
        files_in(TABLE2_FOLDERS, *AVERAGED.values()),
        files_in(TABLE3_FOLDERS, *LAST.values()),
        files_in(PARSER_FOLDERS, *PARSES.values()),
    output:
        "results/scores.csv",
    log:
        "<logs>/scores.log",
    params:
        code=code_of("transformer.tables.collect_scores"),
        runs=TABLE2_FOLDERS,
        last=TABLE3_FOLDERS,
        parsers=PARSER_FOLDERS,
    shell:
        "python -m transformer.tables.collect_scores"
        " --runs {params.runs:q} --last {params.last:q} --parsers {params.parsers:q}"
        " --output {output:q} > {log:q} 2>&1"


rule metrics:
    """Collect the numbers that `dvc metrics` and `dvc plots` show for the active scale."""
    input:
        scores=files_in(TABLE2_FIRST, *TRAINED, "metrics.jsonl", "perplexity.json", "scores.json"),
        last=files_in(OWN_FOLDERS, *TRAINED, "metrics.jsonl", "last/perplexity.json", "last/scores.json"),
        parses=files_in(PARSER_FIRST, *TRAINED, "metrics.jsonl", "parses.json", "unconstrained.json"),
    output:
        metrics="results/metrics.json",
        # A folder: if a new run meant a new output, Snakemake would have no record of this job, and would not notice.
        curves=directory("results/curves"),
    log:
        "<logs>/metrics.log",
    params:
        code=code_of("transformer.tables.collect_metrics"),
        folders=TABLE2_FIRST,
        last=OWN_FOLDERS,
        parsers=PARSER_FIRST,
    shell:
        "python -m transformer.tables.collect_metrics"
        " --runs {params.folders:q} --last {params.last:q} --parsers {params.parsers:q}"
        " --metrics {output.metrics:q} --curves {output.curves:q} > {log:q} 2>&1"
