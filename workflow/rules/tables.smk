# Tables: scores in, LaTeX, CSV and Markdown out.


localrules:
    publish_table,


TABLE_FORMATS = ["tex", "csv", "md"]


rule table1:
    """Make Table 1.

    Test with: snakemake --cores all results/demo/tables/table1.tex
    """
    input:
        layers=rules.measure_layers.output.layers,
        literature="config/literature.yaml",
        schema="workflow/schemas/literature.schema.yaml",
        code=code_of("src/tables/make_table.py"),
    output:
        tables=expand(f"{RESULTS}/tables/table1.{{format}}", format=TABLE_FORMATS),
        provenance=f"{RESULTS}/provenance/table1.json",
    log:
        f"{LOGS}/table1.log",
    benchmark:
        f"{LOGS}/table1.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        folder=lambda w, output: os.path.dirname(output.tables[0]),
    shell:
        "python src/tables/make_table.py table1"
        " --literature {input.literature:q}"
        " --layers {input.layers:q}"
        " --output-dir {params.folder:q}"
        " --provenance {output.provenance:q}"
        " > {log:q} 2>&1"


TABLE2_FOLDERS = expand(f"{RESULTS}/runs/{{run}}/{{pair}}", run=TABLE2_RUNS, pair=SETTINGS.pairs)


rule table2:
    """Make Table 2.

    Test with: snakemake --cores all results/demo/tables/table2.tex
    """
    input:
        scores=expand(
            "{folder}/{file}.json",
            folder=TABLE2_FOLDERS,
            file=["config", "training", "timing", "perplexity", "scores"],
        ),
        literature="config/literature.yaml",
        schema="workflow/schemas/literature.schema.yaml",
        code=code_of("src/tables/make_table.py"),
    output:
        tables=expand(f"{RESULTS}/tables/table2.{{format}}", format=TABLE_FORMATS),
        cost=f"{RESULTS}/tables/cost.csv",
        provenance=f"{RESULTS}/provenance.json",
    log:
        f"{LOGS}/table2.log",
    benchmark:
        f"{LOGS}/table2.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        folders=TABLE2_FOLDERS,
        folder=lambda w, output: os.path.dirname(output.cost),
    shell:
        "python src/tables/make_table.py table2"
        " --literature {input.literature:q}"
        " --runs {params.folders:q}"
        " --output-dir {params.folder:q}"
        " --provenance {output.provenance:q}"
        " > {log:q} 2>&1"


TABLE3_FOLDERS = [f"{RESULTS}/runs/{name}/en-de" for run in TABLE3_RUNS for name in SETTINGS.seeded(run)]


rule table3:
    """Make Table 3.

    Test with: snakemake --cores all results/demo/tables/table3.tex
    """
    input:
        scores=expand(
            "{folder}/{file}.json",
            folder=TABLE3_FOLDERS,
            file=["config", "training", "timing", "last/perplexity", "last/scores"],
        ),
        literature="config/literature.yaml",
        settings="config/runs.yaml",
        schema="workflow/schemas/literature.schema.yaml",
        code=code_of("src/tables/make_table.py"),
    output:
        tables=expand(f"{RESULTS}/tables/table3.{{format}}", format=TABLE_FORMATS),
        provenance=f"{RESULTS}/provenance/table3.json",
    log:
        f"{LOGS}/table3.log",
    benchmark:
        f"{LOGS}/table3.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        folders=TABLE3_FOLDERS,
        folder=lambda w, output: os.path.dirname(output.tables[0]),
    shell:
        "python src/tables/make_table.py table3"
        " --literature {input.literature:q}"
        " --paper-settings {input.settings:q}"
        " --runs {params.folders:q}"
        " --output-dir {params.folder:q}"
        " --provenance {output.provenance:q}"
        " > {log:q} 2>&1"


TABLE4_FOLDERS = [f"{RESULTS}/runs/{run}/{pair}" for run, pair in PARSERS.items()]


rule table4:
    """Make Table 4.

    Test with: snakemake --cores all results/demo/tables/table4.tex
    """
    input:
        scores=expand(
            "{folder}/{file}.json",
            folder=TABLE4_FOLDERS,
            file=["config", "training", "timing", "parses", "unconstrained"],
        ),
        literature="config/literature.yaml",
        schema="workflow/schemas/literature.schema.yaml",
        code=code_of("src/tables/make_table.py"),
    output:
        tables=expand(f"{RESULTS}/tables/table4.{{format}}", format=TABLE_FORMATS),
        provenance=f"{RESULTS}/provenance/table4.json",
    log:
        f"{LOGS}/table4.log",
    benchmark:
        f"{LOGS}/table4.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        folders=TABLE4_FOLDERS,
        folder=lambda w, output: os.path.dirname(output.tables[0]),
    shell:
        "python src/tables/make_table.py table4"
        " --literature {input.literature:q}"
        " --runs {params.folders:q}"
        " --output-dir {params.folder:q}"
        " --provenance {output.provenance:q}"
        " > {log:q} 2>&1"


rule compare:
    """Put the paper's numbers and ours side by side.

    Test with: snakemake --cores all results/comparison.md
    """
    input:
        tables=expand(f"{RESULTS}/tables/{{table}}.csv", table=TABLES),
        code=code_of("src/tables/compare.py"),
    output:
        tables=expand(f"{RESULTS}/tables/comparison.{{format}}", format=TABLE_FORMATS),
        provenance=f"{RESULTS}/provenance/comparison.json",
    log:
        f"{LOGS}/compare.log",
    benchmark:
        f"{LOGS}/compare.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        folder=lambda w, output: os.path.dirname(output.tables[0]),
    shell:
        "python src/tables/compare.py"
        " --tables {input.tables:q}"
        " --output-dir {params.folder:q}"
        " --provenance {output.provenance:q}"
        " > {log:q} 2>&1"


# results/table2.tex is the table of the active scale, and so are its .csv and .md.
rule publish_table:
    """Copy a table of the active scale to where one looks for it.

    Test with: snakemake --cores all results/table2.tex
    """
    input:
        expand(f"{RESULTS}/tables/{{{{table}}}}.{{format}}", format=TABLE_FORMATS),
    output:
        expand("results/{{table}}.{format}", format=TABLE_FORMATS),
    log:
        f"{LOGS}/publish_table/{{table}}.log",
    benchmark:
        f"{LOGS}/publish_table/{{table}}.benchmark.tsv"
    wildcard_constraints:
        table=r"table\d|comparison",
    conda:
        "../../envs/transformer.yaml"
    shell:
        "cp {input:q} results/ 2> {log:q}"


PARSER_FOLDERS = TABLE4_FOLDERS if TREEBANK else []


rule metrics:
    """Collect what `dvc metrics` and `dvc plots` show, of the active scale.

    Test with: snakemake --cores all results/metrics.json
    """
    input:
        scores=expand(
            "{folder}/{file}",
            folder=TABLE2_FOLDERS,
            file=[
                "config.json",
                "training.json",
                "timing.json",
                "perplexity.json",
                "scores.json",
                "metrics.jsonl",
            ],
        ),
        parses=expand(
            "{folder}/{file}",
            folder=PARSER_FOLDERS,
            file=[
                "config.json",
                "training.json",
                "timing.json",
                "parses.json",
                "unconstrained.json",
                "metrics.jsonl",
            ],
        ),
        code=code_of("src/tables/collect_metrics.py"),
    output:
        metrics="results/metrics.json",
        curves=[
            *expand("results/curves/{run}.{pair}.csv", run=TABLE2_RUNS, pair=SETTINGS.pairs),
            *(f"results/curves/{run}.{pair}.csv" for run, pair in PARSERS.items() if TREEBANK),
        ],
    log:
        f"{LOGS}/metrics.log",
    benchmark:
        f"{LOGS}/metrics.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        folders=TABLE2_FOLDERS,
        parsers=PARSER_FOLDERS,
        curves=lambda w, output: os.path.dirname(output.curves[0]),
    shell:
        "python src/tables/collect_metrics.py"
        " --runs {params.folders:q}"
        " --parsers {params.parsers:q}"
        " --metrics {output.metrics:q}"
        " --curves {params.curves:q}"
        " > {log:q} 2>&1"
