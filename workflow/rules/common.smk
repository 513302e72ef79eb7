# This file has what several rules share: the settings, the folders, and functions that are too long for a rule.

import filecmp
import functools
import json
import logging
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

from snakemake.common import dict_to_key_value_args
from snakemake.logging import logger
from transformer.common.errors import explanation, one_line
from transformer.common.optional_packages import require
from transformer.common.yaml_files import check_for_snakemake, read_yaml
from transformer.corpus.licences import OWN_DATA, licence_note, terms_of, with_own
from transformer.corpus.registry import own_registry
from transformer.export.formats import reasons_against
from transformer.model.config import TransformerConfig
from transformer.planning.host_memory import averaging_mb, decoding_mb, memory_here, scoring_mb, training_mb
from transformer.planning.plan import parameters
from transformer.report.captions import caption_of
from transformer.report.latex import INSTALL, find_latex
from transformer.settings.free_text import texts_as_written
from transformer.settings.own_files import FETCHED, download_path, own_corpora
from transformer.settings.scale_file import CHANGES
from transformer.settings.settings import PARSERS, load_settings
from transformer.settings.sources import SPLITS
from transformer.tables.claims_file import averaged_rows, read_claims
from transformer.training.version import TRAINING_VERSION
from transformer.workflow.code_hash import code_hash
from transformer.workflow.records import check_records, tell_unrecorded
from transformer.workflow.reserve import visible_gpus
from transformer.workflow.run_end import tell_result
from transformer.workflow.run_start import (
    announce,
    check_config_once,
    tell_ignored,
    tell_of_memory,
    what_it_takes,
)
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
allowed = workflow.global_resources.get("gpu").value if workflow.is_main_process else None
GPUS = len(visible_gpus()) if allowed is None else allowed
if GPUS:
    SETTINGS = replace(SETTINGS, gpus=GPUS)
    if workflow.is_main_process:
        workflow.register_resource("gpu", GPUS)
# Jobs that run here declare no more memory together than there is, or than --resources mem_mb=N allows; one that declares
# more than all of it runs alone.  The profile does not say this: it would have to import this package, perhaps of another
# checkout, and --resources gpu=N would replace it.
if IS_HERE and IS_MAIN and workflow.global_resources.get("mem_mb").value is None:
    workflow.register_resource("mem_mb", memory_here())
OWN = or_exit(own_corpora, SETTINGS.own_files, SETTINGS.scale)  # "de-en" → the user's own corpus
for key, is_there, needed in [
    ("treebank", os.path.isdir, "folder; give the folder of your treebank"),
    ("silver_text", os.path.isfile, "file; give raw English, one sentence per line"),
    ("silver_trees", os.path.isfile, "file; give a file of bracketed trees"),
]:
    named = getattr(SETTINGS, key)
    if named is not None and not is_there(named):
        stop(one_line(f"{key}: {named}: no such {needed}"))
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
TABLE3_RUNS = [run for run in SETTINGS.runs if run not in SETTINGS.project_runs]

# The tables and figures of results/ and the report, in their order.
CONTENTS = read_yaml(workflow_input("report/contents.yaml"))
TABLES, FIGURES = list(CONTENTS["tables"]), list(CONTENTS["figures"])

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
    TABLES.remove("table4")
    FIGURES.remove("parse_tree")

# Table 3 and the figures of a trained model show one language pair.
PAIR = SETTINGS.pairs[0]

# Nobody has named a pronoun in the user's own text.
NO_ANAPHORA = (
    "the figure attention_anaphora is left out: give a sentence with --config sentence=… word=… antecedent=…"
)
if SETTINGS.attention is None:
    FIGURES.remove("attention_anaphora")

# Results that do not depend on a corpus.
WITHOUT_DATA = {
    "table1",
    "architecture",
    "attention_block",
    "positional_encoding",
    "learning_rate",
    "layer_times",
}

PARSING_DATA = "trees|silver"  # the data of a parser; in paths, it replaces the target language
CORES_PER_GPU = 4
WSJ_SECTIONS = {"train": "2 21", "dev": "22 22", "test": "23 23"}  # the first and the last

RUN_NAMES = "|".join([*SETTINGS.runs, *PARSERS])

# With --jobs, as on a cluster, Snakemake limits how many jobs run, but still gives none more threads than `cores: all` of
# profiles/default counts here, on the login node.
if workflow.resource_settings.nodes is not None:
    workflow.global_resources["_cores"] = sys.maxsize


wildcard_constraints:
    source="[a-z]{2,3}",
    target="[a-z]{2,3}",  # the rules of training and parsing allow PARSING_DATA as well
    pair="[a-z]{2,3}-[a-z]{2,3}",
    side="[a-z]{2,3}",
    split="|".join([*SPLITS, "tests/[a-z0-9-]+"]),
    set="|last/|tests/[a-z0-9-]+/",
    run=f"(?:{RUN_NAMES})(?:-seed[0-9]+)?",


onstart:
    handle_in_a_thread()
    # On a full disk, Snakemake cannot write its own log, and Python would print a traceback for each line of that.
    logging.raiseExceptions = False
    if not workflow.touch:
        or_exit(check_gpus)
        or_exit(check_packages)
        or_exit(announce, workflow, SETTINGS, GPUS)
        tell_of_memory(workflow)
    if IS_HERE:
        # With a limit of submissions, Snakemake 9.27 looks for ready jobs once in each time span for every job that has
        # ended: after 150 jobs, that took a fifth of a core.
        workflow.scheduler.job_rate_limiter = None


onsuccess:
    tell_result(workflow, SETTINGS.scale)


def program(script, code=None):
    """Return parameters for a program: a hash of all its code, and where it and its imports lie.

    An edit of that code runs the rule again, unless the rule gives its own ``code``.  What is a function of ``output``
    is not recorded by Snakemake, so a project that was moved makes nothing again.
    """
    try:
        hashed = code or code_hash(f"src/transformer/{script}", PROJECT)
    except FileNotFoundError:
        stop(f"src/transformer/{script}, which a rule runs, does not exist; restore it from git")
    path = os.pathsep.join(filter(None, [os.path.join(PROJECT, "src"), os.environ.get("PYTHONPATH")]))
    return {"code": hashed, "src": lambda wildcards, output: SRC, "path": lambda wildcards, output: path}


def cleaning_options(wildcards):
    """Return the limits for training pairs; nothing is dropped from the development and test sets."""
    if wildcards.split != "train":
        return "--keep-all"
    limits = SETTINGS.clean[f"{wildcards.source}-{wildcards.target}"]
    deduplicate = " --deduplicate" if limits["deduplicate"] else ""
    pairs = f" --max-pairs {limits['max_pairs']}" if "max_pairs" in limits else ""
    return f"--max-length {limits['max_length']} --max-ratio {limits['max_ratio']}{deduplicate}{pairs}"


def sets_of(wildcards):
    """Return the development and test sets of a language pair, by the names of their files."""
    pair = f"{wildcards.source}-{wildcards.target}"
    return ["dev", "test", *(f"tests/{name}" for name in SETTINGS.further_tests.get(pair, ()))]


def max_lengths_of(wildcards):
    """Return the lengths up to which the runs of the tables are trained on the pairs of a language pair."""
    pair = f"{wildcards.source}-{wildcards.target}"
    runs = [*TABLE2_RUNS, *(TABLE3_RUNS if pair == PAIR else [])]
    return sorted({SETTINGS.run(run, pair)["training"]["max_length"] for run in runs})


def raw_text(side):
    """Return a function that gives one side of a split before it is cleaned."""

    def path(wildcards):
        pair = f"{wildcards.source}-{wildcards.target}"
        held_out = OWN[pair].held_out if pair in OWN else ()
        folder = f"{pair}/held_out" if held_out and wildcards.split in ("train", *held_out) else pair
        return f"{DATA}/raw/{folder}/{wildcards.split}.{getattr(wildcards, side)}"

    return path


def sha256_of_download(path):
    """Return the hash that the registry gives for a file that this scale downloads, or None."""
    parts = (part for parts in SETTINGS.downloads.values() for part in parts)
    return next(part.get("sha256") for part in parts if part["path"] == path)


def parts_of(pair, split, side):
    """Return the files, downloaded or unpacked, that one side of a split consists of, in their order."""
    return [
        (
            f"data/unpacked/{part['path']}/{part['member']}"
            if part["member"]
            else f"data/downloads/{part['path']}"
        )
        for part in SETTINGS.downloads[pair, split, side]
    ]


def sources_of(*corpora, tests=False):
    """Return the names of the sources of corpora (language pairs, trees, silver), with ``tests`` of further tests too."""
    parts = [
        part
        for (corpus, split, _), parts in SETTINGS.downloads.items()
        if corpus in corpora and (tests or not split.startswith("tests/"))
        for part in parts
    ]
    return sorted({part["source"] for part in parts})


def treebank_files(wildcards):
    """Return the files that hold a split's trees, generated or unpacked."""
    if SETTINGS.parsing["source"] == "grammar":
        return [f"{DATA}/raw/trees/{wildcards.split}.trees"]
    return parts_of("trees", wildcards.split, "trees")


def silver_text(wildcards):
    """Return the files of raw English from which silver trees are made; none if the user names a file."""
    text = SETTINGS.parsing["silver"]["text"]
    if text == "grammar":
        return [f"{DATA}/raw/en-de/train.en"]
    return [] if text == "file" else parts_of("silver", "text", "en")


def trees_of(wildcards):
    """Return the trees of a split; the development and test sets are always the treebank's."""
    if wildcards.split == "train" and wildcards.target == "silver":
        return f"{DATA}/silver/train.trees"
    return f"{DATA}/clean/trees/{wildcards.split}.trees"


def tags_of(wildcards):
    """Return the second parser's trees if a parser reads their tags, and nothing if it reads the treebank's."""
    if SETTINGS.parsing["input_tags"] != "predicted" or wildcards.split == "train":
        return []
    return [f"{DATA}/silver/{wildcards.split}.pcfg.trees"]


def symbols_of(wildcards):
    """Return the vocabulary of the trees' symbols if a parser is trained, and nothing for a translation model."""
    if not re.fullmatch(PARSING_DATA, wildcards.target):
        return []
    return [f"{DATA}/subwords/{wildcards.source}-{wildcards.target}/symbols.json"]


def encoding_options(wildcards):
    """Return the options that encode a split's trees: training sentences several times, with other merges left out."""
    train = wildcards.split == "train"
    copies, dropout = (PARSING["copies"], PARSING["bpe_dropout"]) if train else (1, 0)
    return ["--copies", copies, "--dropout", dropout, "--seed", SETTINGS.seed]


def licensed_caption(name):
    """Return the caption of a result, with the licences of the scale's data if it shows what was made from them."""
    own = [pair for pair in SETTINGS.pairs if pair in OWN]
    terms = with_own(or_exit(terms_of, ALL_SOURCES, SETTINGS.sources), own_terms(own) if own else None)
    note = "" if name in WITHOUT_DATA else licence_note(terms)
    return f"{caption_of(Path(name), CONTENTS)} {note}".strip()


def data_of(wildcards):
    """Return the terms that a language pair's corpus is under, see `terms_options`."""
    return terms_options(f"{wildcards.source}-{wildcards.target}")


def terms_options(*corpora, tests=False):
    """Return the values of --data for corpora: names of sources, and the option that gives the user's own terms."""
    own = [corpus for corpus in corpora if corpus in OWN]
    return [*sources_of(*corpora, tests=tests), *([OWN_DATA, *own_terms(own)] if own else [])]


def own_terms(pairs):
    """Return name, licence and citation of the user's own files; the name says which sets were cut from the text."""
    cut = [split for split in ("dev", "test") if any(split in OWN[pair].held_out for pair in pairs)]
    name = SETTINGS.corpus + (f", {' and '.join(cut)} cut from the training text" if cut else "")
    return [name, SETTINGS.own_terms["licence"], SETTINGS.own_terms["citation"]]


def shown_on_page(wildcards):
    """Return the results that the command names beside the page, in all their formats, or else all results."""
    named = {os.path.splitext(target)[0] for target in workflow.dag_settings.targets}
    some = [file for file in ON_PAGE if os.path.splitext(file)[0] in named]
    if not some and IS_MAIN and workflow.is_main_process:
        tell_left_out()
    return some or RESULT_FILES


@functools.cache
def tell_left_out():
    """Say once, also in a dry run, which results are left out, and why."""
    for line in LEFT_OUT:
        logger.warning(line)  # the project's logger prints only warnings of such texts


def others_on_page(wildcards, output):
    """Return the scale's other tables and figures of which there is a copy; nothing is made for them.

    A copy may also be that of another scale's table.
    """
    shown_there = {*shown_on_page(wildcards)}
    copies = [file for file in ON_PAGE if file not in shown_there]
    made = [
        file.replace("results/", f"{RESULTS}/" if "figures/" in file else f"{RESULTS}/tables/")
        for file in copies
    ]
    there = zip(placed(copies), placed(made))
    return [
        copy
        for copy, original in there
        if os.path.exists(copy) and os.path.exists(original) and filecmp.cmp(copy, original, shallow=False)
    ]


def originals(stem, formats):
    """Return the files of the scale that are copied to results/, or end with the reason why they cannot be made."""
    for start, reason in CANNOT_BE_MADE.items():
        if f"results/{stem.removeprefix('tables/')}.".startswith(start):
            stop(reason)
    return expand(f"{RESULTS}/{stem}.{{format}}", format=formats)
