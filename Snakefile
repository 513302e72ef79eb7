"""Rebuild the tables of *Attention Is All You Need* from data.

    snakemake --cores all results/table2.tex
    snakemake --cores all --config scale=small

The settings are read here, once; each stage of the work is a file of workflow/rules.
"""

import json
import os
import re
import sys
from pathlib import Path

sys.path[:0] = [str(Path(workflow.basedir, folder)) for folder in ("src", "workflow")]

from imports import code_of
from killed_jobs import killed_jobs
from lost_records import check_records
from locks import drop_dead_locks
from transformer.common.errors import UserError
from transformer.model.config import TransformerConfig
from transformer.planning.plan import parameters
from transformer.report.captions import caption_of
from transformer.report.latex import INSTALL, find_latex
from transformer.common.yaml_files import read_yaml
from transformer.settings.settings import PARSERS, load_settings
from transformer.settings.sources import SPLITS


configfile: "config/config.yaml"


try:
    SETTINGS = load_settings(config, workflow.basedir)
except UserError as error:
    sys.exit(f"error: {error}")  # one line; an exception would add where in this file it came from

ALIVE = drop_dead_locks()
try:
    check_records(SETTINGS.scale)
except UserError as error:
    sys.exit(f"error: {error}")

# The rules' `python` is the one that runs this, whether or not its environment is activated, and finds this library.
os.environ.update(
    PATH=os.pathsep.join([os.path.dirname(sys.executable), *os.get_exec_path()]),
    PYTHONPATH=str(Path(workflow.basedir, "src")),
)

DATA = f"data/{SETTINGS.scale}"
RESULTS = f"results/{SETTINGS.scale}"
LOGS = f"logs/{SETTINGS.scale}"
RUN = f"{RESULTS}/runs/{{run}}/{{source}}-{{target}}"  # the folder of one trained model
TABLE2_RUNS = ["base", "big", *(SETTINGS.layer_runs if SETTINGS.layer_rows else [])]
TABLE3_RUNS = [run for run in SETTINGS.runs if run not in SETTINGS.layer_runs]

# What results/ and the report show, in this order.
CONTENTS = read_yaml(Path(workflow.basedir, "workflow/report/contents.yaml"))
TABLES, FIGURES = list(CONTENTS["tables"]), list(CONTENTS["figures"])

# Without the treebank, which has to be bought, everything but Table 4 is made.
TREEBANK = SETTINGS.parsing["source"] != "wsj" or SETTINGS.treebank is not None
NO_TREEBANK = "results/table4.tex is left out: give your copy of the treebank with --config treebank=FOLDER"
if not TREEBANK:
    TABLES.remove("table4")


wildcard_constraints:
    source="[a-z]{2}",
    target="[a-z]{2}",  # in parsing.smk and train.smk, PARSING_DATA as well
    pair="[a-z]{2}-[a-z]{2}",
    side="[a-z]{2}",
    split="|".join(SPLITS),
    run="[^/]+",


onerror:
    for line in killed_jobs(log):
        print(line, file=sys.stderr)


rule all:
    default_target: True
    input:
        lambda wildcards: PUBLISHED,
        "results/report.html",
        "results/README.md",


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/corpus.smk"
include: "workflow/rules/subwords.smk"
include: "workflow/rules/training.smk"
include: "workflow/rules/decoding.smk"
include: "workflow/rules/scoring.smk"
include: "workflow/rules/parsing.smk"
include: "workflow/rules/inspection.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/planning.smk"


# Whatever is short comes before the trainings that are ready: it makes others ready, or shows how one ended.
for step in workflow.rules:
    if step.name != "train":
        step.priority = 100
