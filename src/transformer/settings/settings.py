"""The configuration: the files of config/ and the command line, read, merged, checked and resolved in one pass.

``config/runs.yaml`` has the paper's runs at the paper's size; ``config/<scale>.yaml`` divides and overrides them.  Both
may have runs of the user's own.  A scale may inherit another, and its corpus may be the user's own files.
``params.yaml`` changes the scale for an experiment.  ``transformer.model.config`` declares the settings of runs, and
the schemas in ``workflow/schemas`` declare all other keys.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformer.common.declared import check_given
from transformer.common.errors import UserError, unknown
from transformer.common.project import SCHEMAS, config_file
from transformer.common.yaml_files import Schema, read_yaml
from transformer.corpus.licences import NOT_STATED
from transformer.corpus.registry import read_sources
from transformer.settings.free_text import check_marked_words, check_values, with_plain_names
from transformer.settings.merging import DIVISIBLE, SETTINGS, group_settings, layers, merge
from transformer.settings.own_files import further_test_names
from transformer.settings.paper_runs import (
    LAYER_RUNS,
    T2T_RUNS,
    check_names,
    name_and_seed,
    read_paper_runs,
)
from transformer.settings.scale_file import pairs_of_all_scales, read_scale, with_changes
from transformer.settings.sources import (
    SPLITS,
    Downloads,
    check_caption,
    find_archives,
    find_downloads,
    find_further_tests,
)

# What results/plan.md assumes of a corpus that the scale's `expected` leaves out.
EXPECTED = {"pairs": 100_000, "source_tokens": 20, "target_tokens": 20, "test_sentences": 1000}

# The parsers of Table 4, and the data that each is trained on: the treebank, or the treebank and silver trees.
PARSERS = {"parser": "en-trees", "parser-semi": "en-silver"}

# Keys of config/config.yaml that go into Settings as they are.
AS_GIVEN = ("mirror", "track", "plan_device", "treebank", "silver_text", "silver_trees")

COMMAND = "config/config.yaml or --config"
RUNS = "config/runs.yaml"


@dataclass(frozen=True)
class Settings:
    """The whole configuration."""

    scale: str
    seed: int
    seeds: tuple[int, ...]  # of the trainings of the tables; only `seed` unless the user gives several
    mirror: str | None
    track: str | None  # what shows training curves: tensorboard or dvclive
    corpus: str  # its name in captions
    scale_files: tuple[str, ...]  # the names in config/ of the scale's file and of those that it inherits
    grammar: dict[str, int] | None  # split → sentences to generate; None: no generated corpus
    # "de-en" → the section `files`, for the pairs that have one; `own_corpora` finds the files, which only the workflow
    # needs: a trained model is used without them
    own_files: dict[str, dict[str, Any]]
    own_terms: dict[str, str]  # "licence" and "citation" of these files
    downloads: Downloads
    archives: dict[str, list[str]]  # path of each downloaded archive → the members to unpack
    subwords: dict[str, dict[str, Any]]  # "en-de" → {"kind", "vocab_size"}
    expected: dict[str, dict[str, Any]]  # "en-de" → the sizes that the plan assumes
    plan_device: str | None
    parsing: dict[str, Any] | None  # the section of the scale's file; None: no parser is trained
    treebank: str | None  # the folder of the user's own treebank
    silver_text: str | None  # the user's own file of raw English
    silver_trees: str | None  # the user's own file of silver trees, which replaces the text and its parsing
    table2_runs: list[str]  # the rows of Table 2: those that the user chose, by default the paper's
    # "long_distance" and "anaphora" → "sentence" or "test_line", "word" and "antecedent", for the figures of attention;
    # None: they show a sentence of the test set
    attention: dict[str, dict[str, Any]] | None
    clean: dict[str, dict[str, Any]]  # "en-de" → the limits for its training text
    data_threads: int  # processes of each job that cleans or encodes; the output does not depend on it
    paper_runs: dict[str, list[str]]  # "table2", "table3" and "table4" → the runs that rebuild its rows
    # (run, pair) → group of ``transformer.model.config`` → the settings of that group
    merged: dict[tuple[str, str], dict[str, dict[str, Any]]]

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

    def average_checkpoints(self, run: str, pair: str) -> int:
        """Return how many of the last checkpoints are averaged (section 6.1)."""
        return self._groups(run, pair)["averaging"]["average_checkpoints"]

    def choose_on_dev(self, run: str, pair: str) -> bool:
        """Return whether the checkpoints to average are those with the best F1 on the development set."""
        return self._groups(run, pair)["averaging"]["choose_on_dev"]

    def decoding(self, run: str, pair: str) -> dict[str, Any]:
        """Return the settings of beam search (section 6.1); training does not depend on them."""
        return self._groups(run, pair)["decoding"]

    def precision(self, run: str, pair: str) -> str:
        """Return the number format of matrix products, in training as in decoding."""
        return self._groups(run, pair)["training"]["precision"]

    def engine(self, run: str, pair: str) -> dict[str, Any]:
        """Return the settings of what searches, our own beam search or CTranslate2's."""
        return self._groups(run, pair)["engine"]

    def hardware(self, run: str, pair: str) -> dict[str, Any]:
        """Return the hardware settings (section 5.2), which affect the result only by rounding."""
        return self._groups(run, pair)["hardware"]

    def seeded(self, run: str) -> list[str]:
        """Return the names of ``run`` with each of the seeds; with the configured seed, that is ``run`` itself."""
        return [run if seed == self.seed else f"{run}-seed{seed}" for seed in self.seeds]

    @property
    def pairs(self) -> list[str]:
        """The language pairs of this scale, e.g. ``en-de``; Table 3 and the figures show the first."""
        return list(self.subwords)

    @property
    def further_tests(self) -> dict[str, list[str]]:
        """The further test sets of each language pair, by the names of their sources or of the user's own files."""
        splits = dict.fromkeys(
            (pair, split) for pair, split, _ in self.downloads if split.startswith("tests/")
        )
        return {
            pair: [
                *further_test_names(self.own_files.get(pair, {})),
                *(split.removeprefix("tests/") for of, split in splits if of == pair),
            ]
            for pair in self.pairs
        }

    @property
    def runs(self) -> list[str]:
        """The translation runs: those of config/runs.yaml, in its order, then those of the scale alone."""
        return list(dict.fromkeys(run for run, _ in self.merged if run not in PARSERS))

    @property
    def extra_runs(self) -> list[str]:
        """The project's runs for which the paper has no row; Table 3 leaves them out."""
        return [run for run in (*T2T_RUNS, *LAYER_RUNS) if run in self.runs]

    @property
    def own_runs(self) -> list[str]:
        """The user's runs: neither rows of the paper nor the project's ``extra_runs``."""
        known = {*self.extra_runs, *(run for runs in self.paper_runs.values() for run in runs)}
        return [run for run in self.runs if run not in known]

    def _groups(self, run: str, pair: str) -> dict[str, dict[str, Any]]:
        name, _ = name_and_seed(run, self.seed)
        runs = sorted({name for name, _ in self.merged})
        if name not in runs:
            raise UserError(f"config/runs.yaml: {unknown('run', name, runs)}")
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
    scale, files, file = read_whole_scale(values, root)
    runs = read_runs(root)
    _check_pairs(runs, scale["translation"], root)
    check_names(scale.get("runs", {}), f"{file}: runs", others=runs)
    paper = read_paper_runs(config_file("literature.yaml", root), SCHEMAS / "literature.schema.yaml", runs)
    merged = _merge_runs(runs, scale, file)
    sources = read_sources(config_file("sources.yaml", root))
    downloads = find_downloads(scale, sources, file)
    tests, where = values.get("further_tests"), COMMAND
    if tests is None:
        tests, where = scale.get("further_tests", []), file
    downloads |= find_further_tests(tests, scale, sources, where)
    translated = [run for run in dict.fromkeys([*runs, *scale.get("runs", {})]) if run not in PARSERS]
    return Settings(
        scale=values["scale"],
        seed=values["seed"],
        seeds=tuple(values.get("seeds") or [values["seed"]]),
        corpus=scale["corpus"],
        scale_files=tuple(files),
        # Grammar and subwords are put into a fixed order, since Snakemake compares parameters as text.
        grammar={split: scale["grammar"][split] for split in SPLITS} if "grammar" in scale else None,
        own_files={pair: given["files"] for pair, given in scale["translation"].items() if "files" in given},
        own_terms={key: scale.get(key, nothing) for key, nothing in NOT_STATED.items()},
        downloads=downloads,
        archives=find_archives(downloads, sources),
        subwords={pair: dict(sorted(own["subwords"].items())) for pair, own in scale["translation"].items()},
        expected={
            pair: scale.get("expected", {}).get(pair, EXPECTED)
            for pair in (*scale["translation"], *PARSERS.values())
        },
        parsing=scale.get("parsing"),
        table2_runs=_table2(values, scale, translated, paper["table2"]),
        attention=_own_attention(values) or scale.get("attention"),
        clean={pair: scale["clean"] | own.get("clean", {}) for pair, own in scale["translation"].items()},
        data_threads=scale["data_threads"],
        paper_runs=paper,
        merged=merged,
        **{key: values.get(key) for key in AS_GIVEN},
    )


def _checked_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of config/config.yaml and the command line, checked, with null and seeds as such.

    `--config track=null 'seeds=[1,2]'` gives these as texts.
    """
    plain = {key: None if value == "null" else value for key, value in values.items()}
    if isinstance(seeds := plain.get("seeds"), list):
        plain["seeds"] = [int(seed) if re.fullmatch("[0-9]{1,10}", str(seed)) else seed for seed in seeds]
    schema = Schema(SCHEMAS / "config.schema.yaml")
    of_a_scale = Schema(SCHEMAS / "scale.schema.yaml").content["properties"]
    file = f"config/{plain.get('scale')}.yaml"
    for key in plain:
        if key in SETTINGS:
            raise UserError(
                f"{COMMAND}: {key} is a setting of runs; write it to {file}, under `settings` for all runs or under "
                "`runs` for one"
            )
        if key in of_a_scale and key not in schema.content["properties"]:
            raise UserError(f"{COMMAND}: {key} is a key of a scale; write it to {file}")
    schema.check(plain, COMMAND)
    check_values(plain, COMMAND)
    if plain.get("silver_text") is not None and plain.get("silver_trees") is not None:
        raise UserError(
            f"{COMMAND}: silver_text and silver_trees are both set; the trees replace the text, so give one"
        )
    return plain


def read_whole_scale(values: Mapping[str, Any], root: Path | str) -> tuple[dict[str, Any], list[str], str]:
    """Return the content of the scale that ``values`` name, checked, its files in config/, and what messages call it.

    It has what the scale inherits, what params.yaml changes, and the silver text of the command line.
    """
    schema = Schema(SCHEMAS / "scale.schema.yaml")
    scale, files = read_scale(values["scale"], schema, root, COMMAND)
    scale, file = with_changes(scale, f"config/{files[0]}", schema, root)
    scale = with_plain_names(scale, file)
    for name, shown in scale.get("attention", {}).items():
        check_marked_words(shown, f"{file}: attention.{name}")
    for key in scale["shrink"]:
        if key not in DIVISIBLE:
            raise UserError(f"{file}: shrink: {unknown('key', key, DIVISIBLE)}")
    check_given(scale["settings"], SETTINGS, f"{file}: settings")
    for run, changes in scale.get("runs", {}).items():
        check_given(changes, SETTINGS, f"{file}: runs.{run}")
    check_caption(scale, file)
    if values.get("silver_text") is not None and "parsing" in scale:
        silver = scale["parsing"]["silver"] | {"text": "file"}
        scale["parsing"] = scale["parsing"] | {"silver": silver}
    return scale, files, file


def read_runs(root: Path | str) -> dict[str, Any]:
    """Return the content of config/runs.yaml, checked."""
    runs: dict[str, Any] = read_yaml(config_file("runs.yaml", root))
    Schema(SCHEMAS / "runs.schema.yaml").check(runs, RUNS)
    for name, changes in runs.items():
        check_given({key: changes[key] for key in changes if key != "pairs"}, SETTINGS, f"{RUNS}: {name}")
        for pair, own in changes.get("pairs", {}).items():
            check_given(own, SETTINGS, f"{RUNS}: {name}.pairs.{pair}")
    check_names(runs, RUNS)
    return runs


def _check_pairs(runs: dict[str, Any], of_the_scale: Collection[str], root: Path | str) -> None:
    """Raise UserError when a run has settings for a language pair that no scale has: they would never be used."""
    others = [
        (run, pair)
        for run, changes in runs.items()
        for pair in changes.get("pairs", {})
        if pair not in of_the_scale
    ]
    pairs = pairs_of_all_scales(root) if others else set()
    for run, pair in others:
        if pair not in pairs:
            raise UserError(f"{RUNS}: {run}.pairs: {unknown('language pair', pair, sorted(pairs))}")


def _merge_runs(
    runs: dict[str, Any], scale: dict[str, Any], file: str
) -> dict[tuple[str, str], dict[str, dict[str, Any]]]:
    """Return the settings of each run and pair, of those of config/runs.yaml first, then of the scale's own runs."""
    merged = {}
    for run in dict.fromkeys([*runs, *scale.get("runs", {})]):
        if run in PARSERS and "parsing" not in scale:
            continue
        for pair in [PARSERS[run]] if run in PARSERS else scale["translation"]:
            settings, where = merge(layers(runs, scale, run, pair)), f"{file}: run {run}, {pair}"
            merged[run, pair] = group_settings(settings, where)
            if settings["choose_on_dev"] and run not in PARSERS:
                raise UserError(
                    f"{where}: choose_on_dev is for parsers; the paper averages the last checkpoints of a translation "
                    "model, so set it to false"
                )
            if settings["decoder"] == "ctranslate2" and run in PARSERS:
                raise UserError(
                    f"{where}: decoder is ctranslate2, but the model is a parser, and CTranslate2 has no vocabulary of "
                    "trees; set it to torch for this run"
                )
    return merged


def _table2(
    values: Mapping[str, Any], scale: Mapping[str, Any], runs: Collection[str], paper: Collection[str]
) -> list[str]:
    """Return the rows of Table 2 that the command line chooses, or else the scale, or else the ``paper``.

    Behind them are the project's own that the user asks for.  Raises UserError for a row that is none of ``runs``.
    """
    where, chosen = COMMAND, values.get("table2")
    if chosen is None:
        where, chosen = f"config/{values['scale']}.yaml", scale.get("table2", paper)
    for run in chosen:
        if run not in runs:
            raise UserError(f"{where}: table2: {unknown('run', run, runs)}")
    # The command line gives texts.
    asked = {"t2t_rows": T2T_RUNS, "layer_rows": LAYER_RUNS}
    extra = [run for key, extras in asked.items() if values.get(key) in (True, "true") for run in extras]
    return list(dict.fromkeys([*chosen, *(run for run in extra if run in runs)]))


def _own_attention(values: Mapping[str, Any]) -> dict[str, dict[str, str]] | None:
    """Return the user's sentence, which replaces both sentences of the scale; None if the user gives none."""
    own = {key: values[key] for key in ("sentence", "word", "antecedent") if values.get(key) is not None}
    missing = [key for key in ("sentence", "word", "antecedent") if key not in own]
    if own and missing:
        raise UserError(f"{COMMAND}: missing key '{missing[0]}'; sentence, word and antecedent go together")
    check_marked_words(own, COMMAND)
    return {"long_distance": own, "anaphora": own} if own else None
