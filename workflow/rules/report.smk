# Make the page of all results.


FIGURES = [name for name in CONTENTS["figures"] if f"figures/{name}" not in CANNOT_BE_MADE]
FIRST_FOLDERS = INPUTS.run_folders(product(TABLE2_RUNS[:1], SETTINGS.pairs), seeds=False)
RESULT_FILES = [
    *expand("results/{table}.{format}", table=MADE_TABLES, format=TABLE_FORMATS),
    *expand("results/figures/{figure}.{format}", figure=FIGURES, format=FIGURE_FORMATS),
    "results/metrics.json",
    "results/scores.csv",
]


rule page:
    """Show all results on one page, with the trained models in it."""
    input:
        files=everything,
        cells=expand("<results>/tables/{table}.json", table=MADE_TABLES),
        contents="workflow/report/contents.yaml",
    output:
        "results/index.html",
    log:
        "<logs>/page.log",
    localrule: True
    params:
        code=code_of("transformer.page.make_page"),
        results=lambda w: RESULTS,  # as a text, the linter would take it for the path of an input
        runs=[],
    shell:
        "python -m transformer.page.make_page"
        " --results {params.results:q}"
        " --files {input.files:q}"
        " --runs {params.runs:q}"
        " --output {output:q} > {log:q} 2>&1"


use rule page as page_of_table with:
    """Show one table on a page, with its models in it."""
    input:
        files=expand("results/{{table}}.{format}", format=TABLE_FORMATS),
        cells="<results>/tables/{table}.json",
        contents="workflow/report/contents.yaml",
    output:
        "results/{table}.html",
    log:
        "<logs>/page_of_table/{table}.log",
    wildcard_constraints:
        table="|".join(ENTRIES),


use rule page as first_page with:
    """Show the first model of Table 2 on a page, before the others are trained."""
    input:
        files_in(FIRST_FOLDERS, *TRAINED, "perplexity.json", "scores.json"),
        files=[],
    output:
        "results/first.html",
    log:
        "<logs>/first_page.log",
    params:
        code=code_of("transformer.page.make_page"),
        results=subpath(input[0], ancestor=4),
        runs=FIRST_FOLDERS,
