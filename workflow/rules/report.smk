# Make the page of all results, and the report as PDF.


# Without LaTeX, everything but the PDF is made.  LaTeX is looked for on this machine, not on the nodes of a cluster, so
# these rules are local.
LATEX = find_latex() is not None
NO_LATEX = f"results/report.pdf is left out: it needs pdflatex; {INSTALL}"
# What is left out, by the beginning of its path, and why.
CANNOT_BE_MADE = {
    **({} if LATEX else {"results/report.pdf": NO_LATEX}),
    **({} if TREEBANK else {"results/table4.": NO_TREEBANK, "results/figures/parse_tree.": NO_TREEBANK}),
    **({} if SETTINGS.attention else {f"results/figures/{name}.": NO_ATTENTION for name in OF_ATTENTION}),
}
LEFT_OUT = [*dict.fromkeys(CANNOT_BE_MADE.values())]
RESULT_FILES = [
    *expand("results/{table}.{format}", table=MADE_TABLES, format=TABLE_FORMATS),
    *expand("results/figures/{figure}.{format}", figure=FIGURES, format=FIGURE_FORMATS),
    "results/metrics.json",
    "results/scores.csv",
    *(["results/report.pdf"] if LATEX else []),
]


rule report_pdf:
    """Compile a document of all tables and figures."""
    input:
        tables=expand("results/{table}.tex", table=MADE_TABLES),
        figures=expand("results/figures/{figure}.pdf", figure=FIGURES),
        template=lambda w: workflow_input("report/report.tex") if LATEX else stop(NO_LATEX),
        contents=workflow_input("report/contents.yaml"),
        config=[config_input("runs.yaml"), *SCALE_FILES, *SOURCES],
        again=lambda w: again_without_record(workflow, "results/report.pdf"),
    output:
        "results/report.pdf",
    log:
        "<logs>/report_pdf.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        **program("report/make_report.py"),
        config=json.dumps({key: getattr(SETTINGS, key) for key in ("scale", "seed", "seeds")}),
        data=lambda w: TERMS.options(*ALL_CORPORA, tests=True),
    shell:
        "PYTHONPATH={params.path:q} python {params.src:q}/transformer/report/make_report.py"
        " --config {params.config:q}"
        " --template {input.template:q}"
        " --contents {input.contents:q}"
        " --tables {input.tables:q}"
        " --figures {input.figures:q}"
        " --data {params.data:q}"
        " --output {output:q}"
        " > {log:q} 2>&1"


rule page:
    """Show on one page what there is, with the trained models in it.

    With other results in the same command, as `make results/table2.tex` has them, it needs these and nothing else.
    """
    input:
        files=shown_on_page,
        contents=workflow_input("report/contents.yaml"),
        again=lambda w: again_without_record(workflow, "results/index.html"),
    output:
        "results/index.html",
    log:
        "<logs>/page.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        **program("page/make_page.py"),
        results=placed([RESULTS]),
        runs=[],
    shell:
        "PYTHONPATH={params.path:q} python {params.src:q}/transformer/page/make_page.py"
        " --results {params.results:q}"
        " --files {input.files:q}"
        " --runs {params.runs:q}"
        " --output {output:q}"
        " > {log:q} 2>&1"


# The first model of Table 2, before the others are trained.
use rule page as first_page with:
    input:
        files_in(FIRST_FOLDERS, *TRAINED, "perplexity.json", "scores.json"),
        files=[],
        again=lambda w: again_without_record(workflow, "results/first.html"),
    output:
        "results/first.html",
    log:
        "<logs>/first_page.log",
    params:
        **program("page/make_page.py"),
        results=placed([RESULTS]),
        runs=placed(FIRST_FOLDERS),
