# This file has what several rules share: the settings, the folders, and functions that are too long for a rule.

import functools
import json
import logging
import os
import sys
from dataclasses import replace
from pathlib import Path

from snakemake.common import dict_to_key_value_args
from snakemake.logging import logger
from snakemake_logger_plugin_attention import story
from transformer.common.code_hash import code_hash
from transformer.common.errors import explanation
from transformer.common.optional_packages import require
from transformer.common.yaml_files import check_for_snakemake, read_yaml
from transformer.corpus.addresses import download_path
from transformer.corpus.registry import own_registry
from transformer.export.formats import reason_against
from transformer.planning.host_memory import averaging_mb, decoding_mb, memory_here, scoring_mb
from transformer.report.latex import INSTALL, find_latex
from transformer.settings.free_text import texts_as_written
from transformer.settings.own_files import FETCHED, own_corpora
from transformer.settings.scale_file import CHANGES
from transformer.settings.settings import PARSERS, load_settings
from transformer.settings.sources import SPLITS
from transformer.tables.claims_file import averaged_rows, read_claims
from transformer.tables.entries import ENTRIES
from transformer.tables.measures import DEFAULT, TEXTS, chosen_measures
from transformer.training.version import TRAINING_VERSION
from transformer.workflow.contents import contents_below, content_of
from transformer.workflow.data_terms import DataTerms
from transformer.workflow.job_inputs import (
    PARSING_DATA,
    JobInputs,
    files_in,
    of_model,
    parsed,
    translated,
)
from transformer.workflow.job_resources import JobResources, unrecorded
from transformer.workflow.records import again_without_record, check_records, tell_unrecorded
from transformer.workflow.reserve import visible_gpus
from transformer.workflow.run_end import tell_result
from transformer.workflow.run_start import announce, check_config_once
from transformer.workflow.sigterm import handle_in_a_thread


def or_exit(function, *arguments):
    """Call the function; an error that the user can mend ends Snakemake with one line instead of a traceback."""
    try:
        return function(*arguments)
    except Exception as error:
        if (said := explanation(error)) is None:
            raise
        stop(said)


# A module has another's command line.  A program that starts Snakemake gives values instead, in the form of the second
# list.
IS_MAIN = MODIFIER.parent_modifier is None
written = workflow.config_settings
if IS_MAIN and written.config_args != dict_to_key_value_args(written.config, repr_obj=True):
    config.update(texts_as_written(written.config_args))
DEFAULTS = or_exit(read_yaml, Path(PROJECT, "config", "config.yaml"))
for file in workflow.configfiles:
    or_exit(check_for_snakemake, file, DEFAULTS)
# What a config.yaml of another folder, or the `config` of a module, does not set has the project's value.
for key, value in DEFAULTS.items():
    config.setdefault(key, value)

SETTINGS = or_exit(load_settings, config)

# Whether jobs run on this machine, rather than being submitted to a cluster (--jobs, also in a dry run) or run by one.
IS_HERE = workflow.is_main_process and workflow.resource_settings.nodes is None
# How many GPUs a training may use: those of this machine, or N with --resources gpu=N.  On a cluster, N is the number of
# a node (profiles/slurm), and the Snakemake of a job counts those that the job has.
if not hasattr(workflow, "gpus_given"):  # what is registered below replaces it, perhaps by another module
    workflow.gpus_given = workflow.global_resources.get("gpu").value if workflow.is_main_process else None
allowed = workflow.gpus_given
GPUS = len(visible_gpus()) if allowed is None else allowed
if GPUS:
    SETTINGS = replace(SETTINGS, gpus=GPUS)
# Jobs that run here declare no more memory together than there is, or than --resources mem_mb=N allows; one that declares
# more than all of it runs alone.  The profile does not say this: it would have to import this package, perhaps of another
# checkout, and --resources gpu=N would replace it.
if IS_HERE and IS_MAIN and workflow.global_resources.get("mem_mb").value is None:
    workflow.register_resource("mem_mb", memory_here())
OWN = or_exit(own_corpora, SETTINGS.own_files, SETTINGS.scale)  # "de-en" → the user's own corpus
of_cluster = workflow.resource_settings.default_resources or {}  # in the profile; texts may be in quotes
gpu_type, gpu_share = (
    str(found.raw or "").strip("'") if (found := of_cluster.get(key)) else ""
    for key in ("gpu_type", "gpu_share")
)
JOBS = JobResources(SETTINGS, IS_HERE, GPUS, not workflow.is_main_process, gpu_type, gpu_share)
if GPUS and workflow.is_main_process:
    workflow.register_resource("gpu", JOBS.gpu_places)
INPUTS = JobInputs(SETTINGS, OWN)
TERMS = DataTerms(SETTINGS, OWN)
or_exit(INPUTS.check)
if IS_MAIN and workflow.is_main_process:
    or_exit(check_config_once, sys.argv[1:], written.config_args or ())
    or_exit(check_records, SETTINGS.scale)

# The files that say what the scale is.
SCALE_FILES = [
    local(file) if file == CHANGES else config_input(os.path.basename(file)) for file in SETTINGS.scale_files
]

# The registry of downloads: the project's, and what the user adds to it.
SOURCES = [
    resource_input("sources.yaml"),
    *(local(str(file)) for file in [own_registry()] if file.exists()),
]

DATA = f"data/{SETTINGS.scale}"
RESULTS = f"results/{SETTINGS.scale}"
LOGS = f"logs/{SETTINGS.scale}"

# The same in the paths of rules: `<data>/clean`, `<results>/tables`.


pathvars:
    data=DATA,
    results=RESULTS,
    logs=LOGS,


TABLE2_RUNS = SETTINGS.table2_runs
TABLE3_RUNS = SETTINGS.table3_runs

# The figures of results/ and the report, in their order.
CONTENTS = read_yaml(workflow_input("report/contents.yaml"))
FIGURES = list(CONTENTS["figures"])

TABLE_FORMATS = ["tex", "csv", "md"]
FIGURE_FORMATS = ["pdf", "svg"]

# The treebank of the paper must be bought, and a corpus of the user's own has none unless the scale names one.  Without
# it, everything but Table 4 and the figure of a parse is made.
TREEBANK = SETTINGS.parsing is not None and (
    SETTINGS.parsing["source"] != "wsj" or SETTINGS.treebank is not None
)
NO_TREEBANK = "results/table4.tex is left out, and so is the figure parse_tree: " + (
    "give your copy of the treebank with --config treebank=FOLDER"
    if SETTINGS.parsing
    else f"config/{SETTINGS.scale}.yaml has no `parsing`"
)
if not TREEBANK:
    FIGURES.remove("parse_tree")

# Table 3 and the figures of a trained model show one language pair.
PAIR = SETTINGS.pairs[0]

# Of the user's own text, nobody has named a sentence.
OF_ATTENTION = [name for name in FIGURES if name.startswith("attention_") and name != "attention_block"]
NO_ATTENTION = (
    "the figures of attention are left out: give a sentence with --config sentence=… word=… antecedent=…"
)
if SETTINGS.attention is None:
    FIGURES = [name for name in FIGURES if name not in OF_ATTENTION]

WSJ_SECTIONS = {"train": "2 21", "dev": "22 22", "test": "23 23"}  # the first and the last

RUN_NAMES = "|".join([*SETTINGS.runs, *PARSERS])

# With --jobs, as on a cluster, Snakemake limits how many jobs run, but still gives none more threads than `cores: all` of
# profiles/default counts here, on the login node.
if workflow.resource_settings.nodes is not None:
    workflow.global_resources["_cores"] = sys.maxsize


wildcard_constraints:
    source="[a-z]{2,3}",
    target="[a-z]{2,3}",  # the rules of training and parsing allow PARSING_DATA as well
    split="|".join([*SPLITS, "tests/[a-z0-9-]+"]),
    set="|last/|tests/[a-z0-9-]+/",
    run=f"(?:{RUN_NAMES})(?:-seed[0-9]+)?",


onstart:
    handle_in_a_thread()
    # On a full disk, Snakemake cannot write its own log, and Python would print a traceback for each line of that.
    logging.raiseExceptions = False
    if not workflow.touch:
        planned = workflow.dag.needrun_jobs()
        or_exit(JOBS.check, [job.wildcards for job in planned if job.rule.name == "train"])
        if SETTINGS.track is not None:
            or_exit(require, SETTINGS.track)
        announce(workflow)
    if IS_HERE:
        # With a limit of submissions, Snakemake 9.27 looks for ready jobs once in each time span for every job that has
        # ended: after 150 jobs, that took a fifth of a core.
        workflow.scheduler.job_rate_limiter = None


onsuccess:
    tell_result(workflow, SETTINGS.scale)


# Input functions are called several times.
warn_once = functools.cache(logger.warning)


def program(script, code=None):
    """Return parameters for a program: a hash of all its code, and where it and its imports lie.

    An edit of that code runs the rule again, unless the rule gives its own ``code``; a project that was moved makes
    nothing again.
    """
    try:
        hashed = code or code_hash(f"src/transformer/{script}", PROJECT)
    except FileNotFoundError:
        stop(f"src/transformer/{script}, which a rule runs, does not exist; restore it from git")
    # Without what the user's own PYTHONPATH names: it would come before the packages of the environment.
    return {"code": hashed, "src": unrecorded(SRC), "path": unrecorded(os.path.join(PROJECT, "src"))}


def averaged_in_claims():
    """Return the rows of Table 3 whose averages the claims are about, or end with what is wrong in an entry."""
    claims = or_exit(read_claims, resource_file("claims.yaml"))
    return [row for row in averaged_rows(claims) if row in TABLE3_RUNS]
