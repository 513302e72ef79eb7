# This file has what several rules share: the settings, the folders, and functions that are too long for a rule.

import json
import re
from pathlib import Path

from code_hash import code_hash
from gpus import visible_gpus
from killed_jobs import killed_jobs
from lost_records import check_records
from locks import drop_dead_locks
from rule_defaults import complete_rules
from run_plan import announce
from run_result import tell_result
from snakemake.logging import logger
from tracker import start_tracker
from transformer.common.errors import UserError
from transformer.common.optional_packages import require
from transformer.common.yaml_files import read_yaml
from transformer.corpus.licences import OWN_DATA, licence_note, terms_of, with_own
from transformer.model.config import TransformerConfig
from transformer.planning.host_memory import averaging_mb, decoding_mb, scoring_mb, training_mb
from transformer.planning.plan import parameters
from transformer.report.captions import caption_of
from transformer.report.latex import INSTALL, find_latex
from transformer.settings.experiment import changes_file
from transformer.settings.own_files import FETCHED, download_path, own_corpora
from transformer.settings.settings import PARSERS, load_settings
from transformer.settings.sources import SPLITS
from transformer.training.version import TRAINING_VERSION


def or_exit(function, *arguments):
    """Call the function; a UserError ends Snakemake with one line instead of a traceback."""
    try:
        return function(*arguments)
    except UserError as error:
        sys.exit(f"error: {error}")


# What a config.yaml of another folder, or the `config` of a module, does not set has the project's value.
for key, value in or_exit(read_yaml, Path(PROJECT, "config", "config.yaml")).items():
    config.setdefault(key, value)

SETTINGS = or_exit(load_settings, config)
OWN = or_exit(own_corpora, SETTINGS.own_files, SETTINGS.scale)  # "de-en" → the user's own corpus
if SETTINGS.silver_trees is not None:
    from transformer.parsing.treebank import check_first_trees  # loads nltk, which takes half a second

    or_exit(check_first_trees, SETTINGS.silver_trees)
ALIVE = drop_dead_locks()  # a file that must stay open until Snakemake ends
or_exit(check_records, SETTINGS.scale)

# The files that say what the scale is.
SCALE_FILES = [
    *map(config_input, SETTINGS.scale_files),
    *(local(str(file)) for file in [changes_file()] if file),
]

DATA = f"data/{SETTINGS.scale}"
RESULTS = f"results/{SETTINGS.scale}"
LOGS = f"logs/{SETTINGS.scale}"
RUN = f"{RESULTS}/runs/{{run}}/{{source}}-{{target}}"  # the folder of one trained model
TABLE2_RUNS = SETTINGS.table2_runs
TABLE3_RUNS = [run for run in SETTINGS.runs if run not in SETTINGS.extra_runs]

# The tables and figures of results/ and the report, in their order.
CONTENTS = read_yaml(workflow_input("report/contents.yaml"))
TABLES, FIGURES = list(CONTENTS["tables"]), list(CONTENTS["figures"])

TABLE_FORMATS = ["tex", "csv", "md", "html"]
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
WSJ_SECTIONS = {"train": "2-21", "dev": "22", "test": "23"}

# At most as many GPUs as this machine has are given to jobs at the same time, or as many as --resources gpu=N allows.
if workflow.is_main_process and "gpu" not in workflow.global_resources:
    if found := visible_gpus():
        workflow.register_resource("gpu", len(found))
GPUS = workflow.global_resources["gpu"].value if "gpu" in workflow.global_resources else 0


wildcard_constraints:
    source="[a-z]{2,3}",
    target="[a-z]{2,3}",  # the rules of training and parsing allow PARSING_DATA as well
    pair="[a-z]{2,3}-[a-z]{2,3}",
    side="[a-z]{2,3}",
    split="|".join([*SPLITS, "tests/[a-z0-9-]+"]),
    test="[a-z0-9-]+",  # a further test set
    run="[^/]+",


onstart:
    or_exit(check_gpus)
    or_exit(check_ctranslate2)
    or_exit(start_tracking)
    or_exit(announce, workflow, SETTINGS, GPUS)


onsuccess:
    tell_result(workflow, SETTINGS.scale)


onerror:
    for line in killed_jobs(log):
        logger.error(line)


def folder_of_input(wildcards, input):
    """Return the folder that holds the first input of a job."""
    return os.path.dirname(input[0])


def folder_of_output(wildcards, output):
    """Return the folder that holds the first output of a job."""
    return os.path.dirname(output[0])


def cleaning_options(wildcards):
    """Return the limits for training pairs; nothing is dropped from the development and test sets."""
    if wildcards.split != "train":
        return "--keep-all"
    limits = SETTINGS.clean[f"{wildcards.source}-{wildcards.target}"]
    deduplicate = " --deduplicate" if limits["deduplicate"] else ""
    pairs = f" --max-pairs {limits['max_pairs']}" if "max_pairs" in limits else ""
    return f"--max-length {limits['max_length']} --max-ratio {limits['max_ratio']}{deduplicate}{pairs}"


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


def decoding_of(wildcards):
    """Return the settings of the beam search for a run."""
    return SETTINGS.decoding(wildcards.run, f"{wildcards.source}-{wildcards.target}")


def engine_options(wildcards):
    """Return the options for what translates a run; none if it is the project's own beam search."""
    engine = SETTINGS.engine(wildcards.run, f"{wildcards.source}-{wildcards.target}")
    if engine["decoder"] == "torch":
        return []
    return ["--engine", engine["decoder"], "--compute-type", engine["compute_type"]]


def translation_code(wildcards):
    """Return the hash of the code that translates a run."""
    engine = ["src/transformer/export/ctranslate2_engine.py"] if engine_options(wildcards) else []
    return " ".join(code_hash(script, PROJECT) for script in ["src/decoding/translate.py", *engine])


def hardware(wildcards):
    """Return the hardware that a run is trained on."""
    return SETTINGS.hardware(wildcards.run, f"{wildcards.source}-{wildcards.target}")


def training_options(wildcards):
    """Return the options of a training that decide how it uses its hardware."""
    chosen = hardware(wildcards)
    flags = [f"--{name}" for name in ("compile", "deterministic") if chosen[name]]
    return " ".join([f"--max-tokens {chosen['max_tokens']}", *flags])


def run_of(wildcards):
    """Return the run and the pair that a job is for; without wildcards, as for raw text, it is the first parser.

    If no parser is trained, it is base.
    """
    if not wildcards:
        return ("parser", PARSERS["parser"]) if SETTINGS.parsing else ("base", PAIR)
    return wildcards.run, f"{wildcards.source}-{wildcards.target}"


def runs_here():
    """Return whether jobs run on this machine, rather than being submitted to a cluster or run by one."""
    return workflow.local_exec and workflow.is_main_process


def on_gpu(run, pair):
    """Return whether the jobs of a run use GPUs."""
    return SETTINGS.hardware(run, pair)["device"] == "cuda" or (runs_here() and GPUS > 0)


def gpus_here(wildcards, count=1):
    """Return how many GPUs of this machine a job claims, of ``count`` that it can use."""
    return count if runs_here() and on_gpu(*run_of(wildcards)) else 0


def gres(wildcards, count=1):
    """Return what a job asks SLURM for, per node."""
    return f"gpu:{count}" if not runs_here() and on_gpu(*run_of(wildcards)) else ""


def memory(estimate):
    """Return a function that gives a job's memory in MB, by an estimate of host_memory.py."""
    return lambda wildcards: estimate(SETTINGS, *run_of(wildcards), on_gpu(*run_of(wildcards)))


def check_gpus():
    """Raise UserError if a training of this workflow needs more GPUs than it may use at a time."""
    trainings = [job.wildcards for job in workflow.dag.needrun_jobs() if job.rule.name == "train"]
    for wildcards in trainings if runs_here() else []:
        needed = gpus_here(wildcards, hardware(wildcards)["processes"])
        if needed > GPUS:
            raise UserError(
                f"training {wildcards.run} needs {needed} GPUs, and this workflow can use {GPUS}; lower `processes` in "
                f"config/{SETTINGS.scale}.yaml (batches stay as large, training takes longer), or use a machine with more"
            )


def check_ctranslate2():
    """Raise UserError if this workflow needs CTranslate2, which is not installed."""
    for job in workflow.dag.needrun_jobs():
        translates = job.rule.name.startswith("translate") and engine_options(job.wildcards)
        if translates or job.rule.name == "export_ctranslate2":
            require("ctranslate2")


def start_tracking():
    """Start the program that shows training curves, if the settings ask for one."""
    if SETTINGS.track is not None and workflow.is_main_process:
        runs, folder = placed([f"{RESULTS}/runs", f"{LOGS}/tracking/{SETTINGS.track}"])
        start_tracker(SETTINGS.track, f"{SRC}/training/track.py", runs, folder)


def training_threads(wildcards):
    """Return the number of threads that all processes of a training use together on one node."""
    settings = SETTINGS.run(wildcards.run, f"{wildcards.source}-{wildcards.target}")
    return settings["training"]["threads"] * hardware(wildcards)["processes"]


def training_cores(wildcards):
    """Return the cores that a training asks SLURM for on each node.

    A process with a GPU has more threads than those of `threads`: for the backward pass, for the next batches, for
    checkpoints, and for NCCL.
    """
    cuda = hardware(wildcards)["device"] == "cuda"
    return CORES_PER_GPU * hardware(wildcards)["processes"] if cuda else training_threads(wildcards)


def longest_first(wildcards):
    """Return a training's priority: its work, plus that of the parser that waits for it, as a multiple of base's.

    The longest trainings start first, so that none of them runs alone at the end while other cores are idle.
    """
    run, pair = wildcards.run, f"{wildcards.source}-{wildcards.target}"
    total = training_work(run, pair)
    if run == "parser":
        total += training_work("parser-semi", PARSERS["parser-semi"])
    return round(total / training_work("base", SETTINGS.pairs[0]), 1)


def training_work(run, pair):
    """Estimate the operations of a training, up to a factor: updates × tokens per update × parameters of the layers."""
    settings = SETTINGS.run(run, pair)
    model, training = settings["model"], settings["training"]
    in_layers = parameters(TransformerConfig(vocab_size=1, **model))
    return training["steps"] * training["batch_tokens"] * in_layers


def figures(*names):
    """Return the files of the named figures at the active scale."""
    return expand(f"{RESULTS}/figures/{{figure}}.{{format}}", figure=names, format=FIGURE_FORMATS)


def attention_sentence(figure, *words):
    """Return the sentence of a figure, or its line in the test set, and the marked words."""
    shown = SETTINGS.attention[figure]
    return [shown.get("sentence", shown.get("test_line")), *(shown[word] for word in words)]


def run_folders(runs, pairs, seeds=True):
    """Return the folders of runs, one for each pair and seed, or for the first seed only."""
    named = [(run, pair) for run in runs for pair in pairs]
    return [
        f"{RESULTS}/runs/{name}/{pair}"
        for run, pair in named
        for name in SETTINGS.seeded(run)[: None if seeds else 1]
    ]
