# This file has what several rules share: the settings, the folders, and functions that are too long for a rule.

import functools
import getpass
import json
import logging
import os
import sys
from dataclasses import replace
from itertools import product

# What PYTHONPATH names comes last, so that it hides no package of the environment.
sys.path.sort(key=os.environ.get("PYTHONPATH", "").split(os.pathsep).__contains__)
SRC = os.path.abspath("src")
sys.path.insert(0, SRC)

from snakemake.logging import logger
from transformer.common.code_hash import code_hash
from transformer.common.errors import explanation
from transformer.common.optional_packages import require
from transformer.common.yaml_files import read_yaml
from transformer.corpus.registry import own_registry
from transformer.export.formats import reason_against
from transformer.planning.host_memory import averaging_mb, decoding_mb, scoring_mb
from transformer.settings.own_files import TextFile, own_corpora
from transformer.settings.settings import PARSERS, load_settings
from transformer.settings.sources import SPLITS
from transformer.tables.claims_file import averaged_rows, read_claims
from transformer.tables.entries import ENTRIES
from transformer.tables.runs import AVERAGED, LAST, PARSES
from transformer.training.version import TRAINING_VERSION
from transformer.workflow.contents import contents_below, content_of
from transformer.workflow.job_inputs import JobInputs, files_in, pair_of
from transformer.workflow.job_resources import JobResources
from transformer.workflow.machine import limit_jobs, machine_of
from transformer.workflow.records import check_recorded
from transformer.workflow.run_end import tell_result
from transformer.workflow.run_start import announce, check_config_once
from transformer.workflow.sigterm import handle_in_a_thread

# Jobs run the Python that runs Snakemake, even if its environment is not activated, and the code of this folder, even if
# the environment belongs to another; and they read and write UTF-8 in every locale.
os.environ.update(
    PATH=os.pathsep.join([os.path.dirname(sys.executable), *os.get_exec_path()]),
    PYTHONPATH=SRC,
    PYTHONUTF8="1",
)
# In a container, a user may have a number without a name, for which Snakemake and torch ask.
try:
    getpass.getuser()
except (KeyError, OSError):
    os.environ.update(USER=str(os.getuid()))


def stop(message):
    """End Snakemake with one line."""
    sys.exit(f"error: {message}")


def or_exit(function, *arguments):
    """Call the function; an error that the user can mend ends Snakemake with one line instead of a traceback."""
    try:
        return function(*arguments)
    except Exception as error:
        if (said := explanation(error)) is None:
            raise
        stop(said)


SETTINGS = or_exit(load_settings, config)
MACHINE = machine_of(workflow)
if MACHINE.gpus:
    SETTINGS = replace(SETTINGS, gpus=MACHINE.gpus)
OWN = or_exit(own_corpora, SETTINGS.own_files, SETTINGS.scale)  # "de-en" → the user's own corpus
JOBS = JobResources(SETTINGS, MACHINE)
limit_jobs(workflow, MACHINE, JOBS.gpu_places)
INPUTS = JobInputs(SETTINGS, OWN)
or_exit(INPUTS.check)
if not MACHINE.is_worker:
    or_exit(check_config_once, sys.argv[1:])
    or_exit(check_recorded, SETTINGS, sys.argv[1:])

# The registry of downloads: the project's, and what the user adds to it.
SOURCES = ["resources/sources.yaml", *(str(file) for file in [own_registry()] if file.exists())]

DATA = f"data/{SETTINGS.scale}"
RESULTS = f"results/{SETTINGS.scale}"
LOGS = f"logs/{SETTINGS.scale}"
CLEAN = f"{DATA}/clean/{{source}}-{{target}}"
SUBWORDS = f"{DATA}/subwords/{{source}}-{{target}}"

# The same in the paths of rules: `<data>/raw`, and in inputs `<run>/config.json`.  An output has its wildcards in its own
# path, since Snakemake does not constrain those of a path variable.


pathvars:
    data=DATA,
    results=RESULTS,
    logs=LOGS,
    clean=CLEAN,
    subwords=SUBWORDS,
    tokenized="<data>/tokenized/{source}-{target}",
    run="<results>/runs/{run}/{source}-{target}",


TABLE2_RUNS = SETTINGS.table2_runs
TABLE3_RUNS = SETTINGS.table3_runs

# Table 3 and the figures of a trained model show one language pair.
PAIR = SETTINGS.pairs[0]

# In the place of a target language stands one of these for a parser.
PARSING_DATA = "trees|silver"
LANGUAGE = "[a-z]{2,3}"

# The treebank of the paper must be bought, and a corpus of the user's own has none unless the scale names one.  Without
# it, everything but Table 4 and the figure of a parse is made.
TREEBANK = SETTINGS.parsing is not None and (
    SETTINGS.parsing["source"] != "wsj" or SETTINGS.treebank is not None
)

# The figures of results/, in the order of the page.  Of the user's own text, nobody has named a sentence.
CONTENTS = read_yaml("workflow/report/contents.yaml")
OF_ATTENTION = [
    name for name in CONTENTS["figures"] if name.startswith("attention_") and name != "attention_block"
]

# What is left out, by the beginning of its path, and why.
NO_TREEBANK = "results/table4.tex is left out, and so is the figure parse_tree: " + (
    "give your copy of the treebank with --config treebank=FOLDER"
    if SETTINGS.parsing
    else f"config/{SETTINGS.scale}.yaml has no `parsing`"
)
NO_ATTENTION = (
    "the figures of attention are left out: name sentences in a section `attention` of the scale's file"
)
CANNOT_BE_MADE = {
    **({} if TREEBANK else {"table4": NO_TREEBANK, "figures/parse_tree": NO_TREEBANK}),
    **({} if SETTINGS.attention else {f"figures/{name}": NO_ATTENTION for name in OF_ATTENTION}),
}


wildcard_constraints:
    source=LANGUAGE,
    target=f"{LANGUAGE}|{PARSING_DATA}",
    split="|".join(SPLITS),
    set="|last/",
    run=f"(?:{'|'.join([*SETTINGS.runs, *PARSERS])})(?:-seed[0-9]+)?",


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


onsuccess:
    tell_result(workflow, SETTINGS.scale)


@functools.cache
def warn_once(text):
    """Say what is left out, in a text that the project's logger prints as well; input functions are called often."""
    if not MACHINE.is_worker:
        logger.warning(text)


def code_of(module):
    """Return a hash of all code that a module runs, so that an edit of it makes again what its rule made."""
    return code_hash(f"src/{module.replace('.', '/')}.py")


# The functions of single rules stand here, since the linter finds fault with a file that has both rules and functions.


def model_of(wildcards):
    """Return the folder of the model that translates a set: the average, or the last checkpoint."""
    return f"<run>/{'last' if wildcards.set else 'averaged'}"


def search_options(wildcards):
    """Return the options of a translation for the settings of its beam search."""
    settings = SETTINGS.decoding(wildcards.run, pair_of(wildcards)).items()
    return [word for key, value in settings for word in (f"--{key.replace('_', '-')}", value)]


def averages(wildcards):
    """Return the perplexity of the averages of Table 3's rows that the claims are about."""
    rows = averaged_rows(or_exit(read_claims, "resources/claims.yaml"))
    folders = INPUTS.run_folders(product([row for row in rows if row in TABLE3_RUNS], [PAIR]))
    return files_in(folders, "perplexity.json", "perplexity.csv")


def originals(path, formats):
    """Return the files of the scale that are copied to results/, or end with the reason why they cannot be made."""
    name = path.removeprefix("tables/")
    if name in CANNOT_BE_MADE:
        stop(CANNOT_BE_MADE[name])
    return expand(f"<results>/{path}.{{format}}", format=formats)


def attention_options(wildcards):
    """Return the sentences of the figures of attention, or their lines in the test set, with their marked words."""
    if SETTINGS.attention is None:
        stop(NO_ATTENTION)
    options = []
    for figure, shown in SETTINGS.attention.items():
        sentence = shown.get("sentence", shown.get("test_line"))
        options += [f"--{figure.replace('_', '-')}", sentence, *(shown[word] for word in MARKED[figure])]
    return options


def everything(wildcards):
    """Return all results in all their formats, and say once which are left out, and why."""
    for reason in CANNOT_BE_MADE.values():
        warn_once(reason)
    return RESULT_FILES


def exports(wildcards):
    """Return the folders to export, and say once which runs are left out, and why: they would fail once trained."""
    folders = []
    for run in map(SETTINGS.first_seed, TABLE2_RUNS):
        for pair in SETTINGS.pairs:
            if reason := reason_against(SETTINGS.run(run, pair)["model"]):
                warn_once(f"{run}/{pair} is left out: {reason}")
            else:
                folders.append(f"<results>/export/{run}/{pair}/huggingface")
    return folders


def held_model(wildcards):
    """Return the weights to export, or end before anything is trained if it cannot be exported."""
    pair = pair_of(wildcards)
    if reason := reason_against(SETTINGS.run(wildcards.run, pair)["model"]):
        stop(f"{wildcards.run} {pair}: {reason}")
    return "<run>/averaged/model.safetensors"
