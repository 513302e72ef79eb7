# Make the page of all results.


# What is left out, by the beginning of its path, and why.
CANNOT_BE_MADE = {
    **({} if TREEBANK else {"results/table4.": NO_TREEBANK, "results/figures/parse_tree.": NO_TREEBANK}),
    **({} if SETTINGS.attention else {f"results/figures/{name}.": NO_ATTENTION for name in OF_ATTENTION}),
}
# The same as names for the page, which offers no command for them.
CANNOT_BE_SHOWN = [start.removeprefix("results/").rstrip(".") for start in CANNOT_BE_MADE]
LEFT_OUT = [*dict.fromkeys(CANNOT_BE_MADE.values())]
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
        contents="workflow/report/contents.yaml",
    output:
        "results/index.html",
    log:
        "<logs>/page.log",
    localrule: True
    params:
        code=code_of("transformer.page.make_page"),
        results=RESULTS,
        runs=[],
        cannot=CANNOT_BE_SHOWN,
    shell:
        "python -m transformer.page.make_page"
        " --results {params.results:q}"
        " --files {input.files:q}"
        " --runs {params.runs:q}"
        " --cannot {params.cannot:q}"
        " --output {output:q}"
        " > {log:q} 2>&1"


use rule page as page_of_table with:
    """Show one table on a page, with its models in it."""
    input:
        files=expand("results/{{table}}.{format}", format=TABLE_FORMATS),
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
        cannot=CANNOT_BE_SHOWN,
