"""Rebuild the tables of *Attention Is All You Need* from data.

    snakemake --cores all results/table2.tex
    snakemake --cores all --config scale=small

config/ holds the settings, and workflow/rules/ one file for each stage of the work.
"""


configfile: "config/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/corpus.smk"
include: "workflow/rules/subwords.smk"
include: "workflow/rules/training.smk"
include: "workflow/rules/decoding.smk"
include: "workflow/rules/scoring.smk"
include: "workflow/rules/parsing_data.smk"
include: "workflow/rules/parsing.smk"
include: "workflow/rules/parsing_silver.smk"
include: "workflow/rules/inspection.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/planning.smk"
include: "workflow/rules/export.smk"


rule all:
    default_target: True
    input:
        PUBLISHED,
        "results/report.html",
        "results/README.md",


# The rules leave out what all of them have in common: log, benchmark, conda environment and the hash of their code.
or_exit(complete_rules, workflow.rules, LOGS)
