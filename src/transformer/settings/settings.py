"""The configuration: the files of config/ and the command line, read, merged, checked and resolved in one pass.

``config/runs.yaml`` has the paper's runs at the paper's size; ``config/<scale>.yaml`` divides and overrides them.  Both
may have runs of the user's own.  A scale may inherit another, and its corpus may be the user's own files.
``transformer.model.config`` declares the settings of runs, and the schemas in this folder declare all other keys.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError, unknown
from transformer.common.project import resource_file
from transformer.common.schema import check
from transformer.corpus.licences import NOT_STATED
from transformer.corpus.registry import read_sources
from transformer.settings.free_text import check_text
from transformer.settings.gone import GONE_OF_CONFIG, refuse_gone
from transformer.settings.merging import check_read, group_settings, layers, merge
from transformer.settings.run_names import name_and_seed
from transformer.settings.runs_file import (
    LAYER_RUNS,
    PARSERS,
    RUNS,
    T2T_RUNS,
    check_names,
    read_runs,
    rows_of_the_paper,
)
from transformer.settings.scale_file import Scale, read_scale
from transformer.settings.schemas import schema
from transformer.settings.sources import (
    SPLITS,
    Downloads,
    find_downloads,
)

# What results/plan.md assumes of a corpus that the scale's `expected` leaves out.
EXPECTED = {"pairs": 100_000, "source_tokens": 20, "target_tokens": 20}

# Keys of config/config.yaml that go into Settings as they are.
AS_GIVEN = ("mirror", "track", "plan_device", "treebank", "silver_text", "silver_trees")

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
    expected: dict[str, dict[str, Any]]  # "en-de" → the sizes that the plan assumes
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
    # (run, pair) → group of ``transformer.model.config`` → the settings of that group
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
        """Return how many checkpoints are averaged (section 6.1), and whether the development set chooses them."""
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
    values = _checked_values(values)
    scale = read_scale(values["scale"], root, COMMAND)
    runs = read_runs(root, scale.content["translation"])
    rows = rows_of_the_paper(runs)
    sources = read_sources(resource_file("sources.yaml"), root)
    return _resolve(values, scale, sources, rows, _merge_runs(runs, scale))


def _resolve(
    values: Mapping[str, Any],
    scale: Scale,
    sources: dict[str, Any],
    rows: dict[str, list[str]],
    merged: dict[tuple[str, str], dict[str, dict[str, Any]]],
) -> Settings:
    """Return the configuration of a scale, from the values of the command line and the merged settings of its runs."""
    content = scale.content
    pairs, parsing = content["translation"], content.get("parsing")
    if parsing and values.get("silver_text") is not None:
        parsing = parsing | {"silver": parsing["silver"] | {"text": "file"}}
        content = content | {"parsing": parsing}
    _check_parsing_data(values, parsing, scale.label)
    downloads = find_downloads(content, sources, scale.label)
    return Settings(
        scale=values["scale"],
        seed=values["seed"],
        seeds=tuple(values.get("seeds") or [values["seed"]]),
        corpus=content["corpus"],
        scale_files=tuple(scale.files),
        # Grammar and subwords are put into a fixed order, since Snakemake compares parameters as text.
        grammar={split: content["grammar"][split] for split in SPLITS} if "grammar" in content else None,
        own_files={pair: section["files"] for pair, section in pairs.items() if "files" in section},
        own_terms={key: content.get(key, nothing) for key, nothing in NOT_STATED.items()},
        sources=sources,
        downloads=downloads,
        subwords={pair: dict(sorted(own["subwords"].items())) for pair, own in pairs.items()},
        expected={
            pair: content.get("expected", {}).get(pair, EXPECTED) for pair in (*pairs, *PARSERS.values())
        },
        parsing=parsing,
        table2_runs=_table2(values, scale, [run for run, _ in merged], rows["table2"]),
        attention=content.get("attention"),
        clean={pair: content["clean"] | own.get("clean", {}) for pair, own in pairs.items()},
        data_threads=content["data_threads"],
        paper_runs=rows,
        merged=merged,
        gpus=8,
        jobs_per_gpu=values.get("jobs_per_gpu") or 1,
        **{key: values.get(key) for key in AS_GIVEN},
    )


def _checked_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of config/config.yaml and the command line, checked, with null and seeds as such.

    `--config track=null 'seeds=[1,2]'` gives these as texts.
    """
    plain = {key: None if value == "null" else value for key, value in values.items()}
    if isinstance(seeds := plain.get("seeds"), list):
        plain["seeds"] = [int(seed) if re.fullmatch("[0-9]{1,10}", str(seed)) else seed for seed in seeds]
    refuse_gone(plain, COMMAND, GONE_OF_CONFIG)
    check(plain, schema("config"), COMMAND)
    for key, value in plain.items():
        # The name of a scale has rules of its own.
        if isinstance(value, str) and key != "scale":
            check_text(value, f"{COMMAND}: {key}")
    if plain.get("silver_text") is not None and plain.get("silver_trees") is not None:
        raise UserError(
            f"{COMMAND}: silver_text and silver_trees are both set; the trees replace the text, so give one"
        )
    return plain


def _check_parsing_data(values: Mapping[str, Any], parsing: Mapping[str, Any] | None, label: str) -> None:
    """Raise UserError when the user gives data of parsers that the scale does not read."""
    if values.get("treebank") is not None and (parsing is None or parsing["source"] != "wsj"):
        raise UserError(
            f"{COMMAND}: treebank: only a scale with `parsing: source: wsj` reads it, as paper does, and {label} has "
            f"{'none' if parsing is None else parsing['source']}; give treebank=null"
        )
    for key in ("silver_text", "silver_trees"):
        if values.get(key) is not None and parsing is None:
            raise UserError(
                f"{COMMAND}: {key}: no parser is trained, since {label} has no `parsing`; give {key}=null"
            )


def _merge_runs(runs: Mapping[str, Any], scale: Scale) -> dict[tuple[str, str], dict[str, dict[str, Any]]]:
    """Return the settings of each run and pair, of those of config/runs.yaml first, then of the scale's own runs."""
    content = scale.content
    own = content.get("runs", {})
    check_names(own, f"{scale.label}: runs")
    merged = {}
    for run in dict.fromkeys([*runs, *own]):
        if run in PARSERS and "parsing" not in content:
            continue
        for pair in [PARSERS[run]] if run in PARSERS else content["translation"]:
            where = f"{scale.label}: run {run}, {pair}"
            layered = layers(runs, content, run, pair)
            check_read(layered, run, where)
            merged[run, pair] = group_settings(merge(layered), where)
    return merged


def _chosen(key: str, values: Mapping[str, Any], scale: Scale, default: list[str]) -> tuple[list[str], str]:
    """Return the list that the command line gives, or else the scale, or else the default, and its label."""
    if values.get(key) is not None:
        return values[key], COMMAND
    return scale.content.get(key, default), scale.label


def _table2(values: Mapping[str, Any], scale: Scale, runs: Iterable[str], paper: list[str]) -> list[str]:
    """Return the rows of Table 2: the chosen ones, by default the ``paper``'s, then the project's that are asked for.

    Raises UserError for a row that is none of ``runs``.
    """
    translated = [run for run in dict.fromkeys(runs) if run not in PARSERS]
    chosen, where = _chosen("table2", values, scale, paper)
    for run in chosen:
        if run not in translated:
            raise UserError(f"{where}: table2: {unknown('run', run, translated)}")
    # The command line gives texts.
    asked = {"t2t_rows": T2T_RUNS, "layer_rows": LAYER_RUNS}
    extra = [run for key, extras in asked.items() if values.get(key) in (True, "true") for run in extras]
    return list(dict.fromkeys([*chosen, *(run for run in extra if run in translated)]))
