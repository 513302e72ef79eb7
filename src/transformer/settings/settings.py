"""The configuration: the files of config/ and the command line, read, merged, checked and resolved in one pass.

``config/runs.yaml`` has the paper's runs at the paper's size; ``config/<scale>.yaml`` divides and overrides them.  Both
may have runs of the user's own.  A scale may inherit another, and its corpus may be the user's own files.
``run_settings.py`` declares the settings of runs, and ``config_files.py`` all other keys.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformer.common.checked import Checked, checked
from transformer.common.errors import UserError, unknown
from transformer.common.project import resource_file
from transformer.common.yaml_files import read_yaml
from transformer.corpus.licences import NOT_STATED
from transformer.corpus.registry import read_sources
from transformer.settings.config_files import PARSERS, Command, Expected, ScaleFile
from transformer.settings.gone import GONE_OF_CONFIG, refuse_elsewhere, refuse_gone
from transformer.settings.merging import check_read, group_settings, merge
from transformer.settings.run_names import name_and_seed
from transformer.settings.runs_file import (
    LAYER_RUNS,
    RUNS,
    T2T_RUNS,
    check_names,
    read_runs,
    rows_of_the_paper,
)
from transformer.settings.scale_file import Scale, read_scale
from transformer.settings.sources import Downloads, find_downloads

COMMAND = "config/config.yaml or --config"


@dataclass(frozen=True)
class Settings:
    """The whole configuration."""

    scale: str
    seed: int
    seeds: tuple[int, ...]  # of the trainings of the tables; only `seed` unless the user gives several
    mirror: str | None
    jobs_per_gpu: int  # that share it, of those that use one GPU
    track: str | None  # what shows training curves: tensorboard
    corpus: str  # its name in captions
    scale_files: tuple[str, ...]  # that say what the scale is: its own, those that it inherits
    grammar: dict[str, int] | None  # split → sentences to generate; None: no generated corpus
    # "de-en" → the section `files`, for the pairs that have one; `own_corpora` finds the files, which only the workflow
    # needs: a trained model is used without them
    own_files: dict[str, dict[str, Any]]
    own_terms: dict[str, str]  # "licence" and "citation" of these files
    sources: dict[str, Any]  # the registry: each source of downloads by its name
    downloads: Downloads
    subwords: dict[str, dict[str, Any]]  # "en-de" → {"kind", "vocab_size"}
    expected: dict[str, Expected]  # "en-de" → the size that memory and the plan assume
    plan_device: str | None
    parsing: dict[str, Any] | None  # the section of the scale's file; None: no parser is trained
    treebank: str | None  # the folder of the user's own treebank
    silver_text: str | None  # the user's own file of raw English
    silver_trees: str | None  # the user's own file of silver trees, which replaces the text and its parsing
    table2_runs: list[str]  # the rows of Table 2: those that the user chose, by default the paper's
    # "long_distance" and "anaphora" → "sentence" or "test_line", "word" and "antecedent", for the figures of attention;
    # None: they are left out
    attention: dict[str, dict[str, Any]] | None
    clean: dict[str, dict[str, Any]]  # "en-de" → the limits for its training text
    data_threads: int  # processes of each job that encodes; the output does not depend on it
    paper_runs: dict[str, list[str]]  # "table2", "table3" and "table4" → the runs that rebuild its rows
    # (run, pair) → group of ``run_settings.GROUPS`` → the settings of that group
    merged: dict[tuple[str, str], dict[str, dict[str, Any]]]
    gpus: int  # of a machine, for `processes: auto`: 8, as in the paper, until the workflow knows better

    def run(self, run: str, pair: str) -> dict[str, Any]:
        """Return the content of the run's config.json: all settings that training ``run`` on ``pair`` depends on.

        ``base-seed2`` is the run ``base`` with seed 2 instead of the configured one.
        """
        groups = self._groups(run, pair)
        run, seed = name_and_seed(run, self.seed)
        task = {"treebank": self._treebank(run)} if run in PARSERS else {"corpus": self.corpus}
        model = dict(groups["model"])
        # config.json has them after tied_softmax, and model.json before it.
        for name in "encoder_layer kernel_size window_size target_space vocabulary_rows max_length".split():
            model[name] = model.pop(name)
        identity = {"run": run, "pair": pair, "scale": self.scale, **task, "seed": seed}
        return identity | {"model": model, "training": groups["training"] | {"seed": seed}}

    def _treebank(self, run: str) -> dict[str, Any]:
        """Return what a parser is trained on, for the notes of Table 4."""
        parsing, semi = self.parsing or {}, PARSERS[run] == "en-silver"
        silver = {key: parsing["silver"][key] for key in ("text", "min_f1", "oversample")}
        if self.silver_trees is not None:
            silver = {"text": "trees", "oversample": silver["oversample"]}
        names = "input_tags words shared_vocabulary constituents copies bpe_dropout".split()
        return {
            "name": parsing["treebank"],
            **{name: parsing[name] for name in names},
            "vocab_size": (parsing["silver"] if semi else parsing["subwords"])["vocab_size"],
            **({"silver": silver} if semi else {}),
        }

    def averaging(self, run: str, pair: str) -> dict[str, Any]:
        """Return how many checkpoints are averaged (section 6.1)."""
        return self._groups(run, pair)["averaging"]

    def decoding(self, run: str, pair: str) -> dict[str, Any]:
        """Return the settings of beam search (section 6.1); training does not depend on them."""
        return self._groups(run, pair)["decoding"]

    def hardware(self, run: str, pair: str) -> dict[str, Any]:
        """Return the hardware settings (section 5.2), which affect the result only by rounding."""
        groups = self._groups(run, pair)
        portable = groups["training"]["numerics"] == "portable"
        return groups["hardware"] | ({"device": "cpu"} if portable else {})

    def processes(self, run: str, pair: str) -> int:
        """Return how many processes train a run on each machine.

        With ``auto``, a row of Table 2 or 4 takes all GPUs.  Rows that only Table 3 has are many, and small, so each
        takes one GPU, and they are trained side by side.
        """
        hardware = self.hardware(run, pair)
        processes: int | str = hardware["processes"]
        if isinstance(processes, int):
            return processes
        name, _ = name_and_seed(run, self.seed)
        large = {*self.table2_runs, *self.paper_runs["table2"], *self.paper_runs["table4"]}
        return self.gpus if hardware["device"] == "cuda" and name in large else 1

    def seeded(self, run: str) -> list[str]:
        """Return the names of ``run`` with each of the seeds; with the configured seed, that is ``run`` itself."""
        return [run if seed == self.seed else f"{run}-seed{seed}" for seed in self.seeds]

    def first_seed(self, run: str) -> str:
        """Return the name of ``run`` with the first of the seeds: the one model that figures and the page show."""
        return self.seeded(run)[0]

    @property
    def pairs(self) -> list[str]:
        """The language pairs of this scale, e.g. ``en-de``; Table 3 and the figures show the first."""
        return list(self.subwords)

    @property
    def runs(self) -> list[str]:
        """The translation runs: those of config/runs.yaml, in its order, then those of the scale alone."""
        return list(dict.fromkeys(run for run, _ in self.merged if run not in PARSERS))

    @property
    def project_runs(self) -> list[str]:
        """The project's runs for which the paper has no row; Table 3 leaves them out."""
        return [run for run in (*T2T_RUNS, *LAYER_RUNS) if run in self.runs]

    @property
    def table3_runs(self) -> list[str]:
        """The rows of Table 3: the paper's and the user's runs."""
        return [run for run in self.runs if run not in self.project_runs]

    @property
    def user_runs(self) -> list[str]:
        """The user's runs: neither the paper's nor the project's."""
        known = {*self.project_runs, *(run for runs in self.paper_runs.values() for run in runs)}
        return [run for run in self.runs if run not in known]

    def _groups(self, run: str, pair: str) -> dict[str, dict[str, Any]]:
        name, _ = name_and_seed(run, self.seed)
        runs = sorted({name for name, _ in self.merged})
        if name not in runs:
            raise UserError(f"{RUNS}: {unknown('run', name, runs)}")
        pairs = [PARSERS[name]] if name in PARSERS else self.pairs
        if pair not in pairs:
            raise UserError(f"config/{self.scale}.yaml: {unknown('language pair', pair, pairs)}")
        return self.merged[name, pair]


def load_settings(values: Mapping[str, Any], root: Path | str = ".") -> Settings:
    """Read, merge, check and resolve the configuration for work in ``root``: its files of config/ and the project's.

    ``values`` is the content of config/config.yaml with the changes of the command line.  Raises UserError, which names
    the file and the key and says what is valid.
    """
    # Snakemake, which has read it, refuses no key that stands twice.
    read_yaml(Path(root, "config", "config.yaml"))
    command = _command(values)
    scale = read_scale(command.scale, root, COMMAND)
    runs = read_runs(root, scale.keys.translation)
    rows = rows_of_the_paper(runs)
    sources = read_sources(resource_file("sources.yaml"), root)
    merged = _merge_runs(runs, scale)
    keys = scale.keys
    _check_parsing_data(command, keys, scale.label)
    if keys.parsing and command.silver_text is not None:
        silver = keys.parsing.silver.model_copy(update={"text": "file"})
        keys = keys.model_copy(update={"parsing": keys.parsing.model_copy(update={"silver": silver})})
    corpora = [*keys.translation, *PARSERS.values()]
    return Settings(
        scale=command.scale,
        seed=command.seed,
        seeds=tuple(command.seeds or [command.seed]),
        corpus=keys.corpus,
        scale_files=scale.files,
        grammar=_plain(keys.grammar),
        own_files={pair: _plain(own.files) for pair, own in keys.translation.items() if own.files},
        own_terms={key: getattr(keys, key) or nothing for key, nothing in NOT_STATED.items()},
        sources=sources,
        downloads=find_downloads(keys, sources, scale.label),
        subwords={pair: _plain(own.subwords) for pair, own in keys.translation.items()},
        expected={corpus: (keys.expected or {}).get(corpus, Expected()) for corpus in corpora},
        parsing=_plain(keys.parsing),
        table2_runs=_table2(command, scale, [run for run, _ in merged], rows["table2"]),
        attention=_plain(keys.attention),
        clean={pair: _plain(limits) for pair, limits in scale.clean.items()},
        data_threads=keys.data_threads,
        paper_runs=rows,
        merged=merged,
        gpus=8,
        jobs_per_gpu=command.jobs_per_gpu or 1,
        **command.model_dump(
            include={"mirror", "track", "plan_device", "treebank", "silver_text", "silver_trees"}
        ),
    )


def _plain(section: Checked | None) -> Any:
    """Return a section as the rules of the workflow take it: Snakemake compares parameters as text."""
    return None if section is None else section.model_dump(exclude_none=True)


def _command(values: Mapping[str, Any]) -> Command:
    """Return the values of config/config.yaml and the command line, checked.

    `--config track=null t2t_rows=true 'seeds=[1,2]'` gives texts.
    """
    words = {"null": None, "true": True, "false": False}
    plain = {
        key: words.get(value, value) if isinstance(value, str) else value for key, value in values.items()
    }
    if isinstance(seeds := plain.get("seeds"), list):
        plain["seeds"] = [int(seed) if re.fullmatch("[0-9]{1,10}", str(seed)) else seed for seed in seeds]
    refuse_gone(plain, COMMAND, GONE_OF_CONFIG)
    refuse_elsewhere(plain, COMMAND)
    return checked(Command, plain, COMMAND)


def _check_parsing_data(command: Command, scale: ScaleFile, label: str) -> None:
    """Raise UserError when the user gives data of parsers that the scale does not read."""
    parsing = scale.parsing
    if command.treebank is not None and (parsing is None or parsing.source != "wsj"):
        raise UserError(
            f"{COMMAND}: treebank: only a scale with `parsing: source: wsj` reads it, as paper does, and {label} has "
            f"{'none' if parsing is None else parsing.source}; give treebank=null"
        )
    for key in ("silver_text", "silver_trees"):
        if getattr(command, key) is not None and parsing is None:
            raise UserError(
                f"{COMMAND}: {key}: no parser is trained, since {label} has no `parsing`; give {key}=null"
            )


def _merge_runs(runs: Mapping[str, Any], scale: Scale) -> dict[tuple[str, str], dict[str, dict[str, Any]]]:
    """Return the settings of each run and pair, of those of config/runs.yaml first, then of the scale's own runs."""
    keys = scale.keys
    own = keys.runs or {}
    check_names(own, f"{scale.label}: runs")
    merged = {}
    for run in dict.fromkeys([*runs, *own]):
        if run in PARSERS and keys.parsing is None:
            continue
        for pair in [PARSERS[run]] if run in PARSERS else keys.translation:
            where = f"{scale.label}: run {run}, {pair}"
            settings, of_run = merge(runs, keys, run, pair)
            check_read(settings, of_run, where)
            merged[run, pair] = group_settings(settings, where)
    return merged


def _table2(command: Command, scale: Scale, runs: list[str], paper: list[str]) -> list[str]:
    """Return the rows of Table 2: the chosen ones, by default the ``paper``'s, then the project's that are asked for.

    Raises UserError for a row that is none of ``runs``.
    """
    translated = [run for run in dict.fromkeys(runs) if run not in PARSERS]
    chosen = command.table2 or scale.keys.table2 or paper
    for run in chosen:
        if run not in translated:
            where = COMMAND if command.table2 else scale.label
            raise UserError(f"{where}: table2: {unknown('run', run, translated)}")
    asked = {"t2t_rows": T2T_RUNS, "layer_rows": LAYER_RUNS}
    extra = [run for key, extras in asked.items() if getattr(command, key) for run in extras]
    return list(dict.fromkeys([*chosen, *(run for run in extra if run in translated)]))
