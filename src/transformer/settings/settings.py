"""Settings: the configuration files, checked, merged, and resolved into what one run needs.

``config/runs.yaml`` holds the paper's runs at the paper's size; ``config/<scale>.yaml`` divides and overrides them.
The schemas in ``workflow/schemas`` say which keys there are and what they may hold.
"""

import difflib
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError
from referencing import Registry, Resource

from transformer.common.errors import UserError

SPLITS = ("train", "dev", "test")

_MODEL = (
    "N", "d_model", "d_ff", "h", "d_k", "d_v", "dropout", "attention_dropout", "relu_dropout", "positions",
    "attention_bias", "encoder_layer", "kernel_size", "window_size",
)  # fmt: skip
_TRAINING = (
    "steps", "warmup_steps", "learning_rate_scale", "batch_tokens", "max_tokens", "max_length",
    "label_smoothing", "adam_beta1", "adam_beta2", "adam_epsilon", "checkpoint_every_steps",
    "checkpoint_every_minutes", "keep_checkpoints", "validate_every_steps", "precision", "threads",
)  # fmt: skip
# The parsers of Table 4, and what each is trained on: the treebank, or that and silver trees.
PARSERS = {"parser": "en-trees", "parser-semi": "en-silver"}
_HARDWARE = ("nodes", "processes", "device", "compile")
_DECODING = ("beam_size", "alpha", "max_extra_tokens")

_NOT_SCALES = {
    "config",
    "runs",
    "sources",
    "sources.lock",
    "literature",
    "devices",
}  # the other files of config/


@dataclass(frozen=True)
class Settings:
    """All that the configuration says, checked and merged."""

    scale: str
    seed: int
    seeds: tuple[
        int, ...
    ]  # of the trainings that Table 3 takes the mean of; `seed` alone unless the user wants more
    mirror: str | None
    corpus: str  # what captions call it
    grammar: dict[str, int] | None  # split → sentences to generate; None: the corpus is downloaded
    # (pair, split, side) → the files of config/sources.yaml whose lines follow each other; each with the name of its
    # `source` and, where it is an archive, the `member` that is meant.
    downloads: dict[tuple[str, str, str], list[dict[str, Any]]]
    archives: dict[str, list[str]]  # path of each archive among them → every member that a source names
    subwords: dict[str, dict[str, Any]]  # "en-de" → {"kind", "vocab_size"}
    expected: dict[str, dict[str, Any]]  # "en-de" → what the plan reckons with
    plan_device: str | None
    parsing: dict[str, Any]  # the scale's section of that name
    treebank: str | None  # the folder of a treebank that cannot be downloaded
    silver_text: str | None  # the file of raw English, where the scale names none
    layer_rows: bool  # whether Table 2 has `layer_runs`, too
    # "long_distance" and "anaphora" → "sentence", "word" and "antecedent": what figures of attention show
    attention: dict[str, dict[str, str]]
    clean: dict[str, Any]
    data_threads: int  # of each job that cleans or encodes; its output is the same for any number
    merged: dict[
        tuple[str, str], dict[str, Any]
    ]  # (run, pair) → every setting of workflow/schemas/settings.schema.yaml

    def run(self, run: str, pair: str) -> dict[str, Any]:
        """What training ``run`` on ``pair`` depends on, besides its data: the content of the run's config.json.

        ``base-seed2`` is the run ``base`` with seed 2 in place of the configured one.
        """
        run, seed = self._seed_of(run)
        merged = self._merged(run, pair)
        treebank = {"name": self.parsing["treebank"], "input_tags": self.parsing["input_tags"]}
        task = {"treebank": treebank} if run in PARSERS else {"corpus": self.corpus}
        return {
            "run": run, "pair": pair, "scale": self.scale, **task, "seed": seed,
            "model": {key: merged[key] for key in _MODEL} | {"max_length": merged["max_positions"]},
            "training": {key: merged[key] for key in _TRAINING} | {"seed": seed},
        }  # fmt: skip

    def seeded(self, run: str) -> list[str]:
        """The names of ``run`` with each of the seeds; with the configured seed, the run's own name."""
        return [run if seed == self.seed else f"{run}-seed{seed}" for seed in self.seeds]

    def _seed_of(self, run: str) -> tuple[str, int]:
        found = re.fullmatch(r"(.+)-seed(\d+)", run)
        return (found[1], int(found[2])) if found else (run, self.seed)

    @property
    def pairs(self) -> list[str]:
        """The language pairs of this scale, e.g. ``en-de``."""
        return list(self.subwords)

    @property
    def runs(self) -> list[str]:
        """The runs of config/runs.yaml that translate, in its order."""
        return [run for run in dict.fromkeys(run for run, _ in self.merged) if run not in PARSERS]

    @property
    def layer_runs(self) -> list[str]:
        """Those whose encoder has another layer than self-attention (section 4): rows of no table of the paper."""
        first = self.pairs[0]
        return [run for run in self.runs if self.merged[run, first]["encoder_layer"] != "self-attention"]

    def average_checkpoints(self, run: str, pair: str) -> int:
        """How many of the last checkpoints are averaged (section 6.1)."""
        count: int = self._merged(self._seed_of(run)[0], pair)["average_checkpoints"]
        return count

    def decoding(self, run: str, pair: str) -> dict[str, Any]:
        """``beam_size``, ``alpha`` and ``max_extra_tokens`` (section 6.1)."""
        merged = self._merged(self._seed_of(run)[0], pair)
        return {key: merged[key] for key in _DECODING}

    def hardware(self, run: str, pair: str) -> dict[str, Any]:
        """``nodes``, ``processes`` of each, ``device``, ``compile``: how it trains (section 5.2), not what."""
        merged = self._merged(self._seed_of(run)[0], pair)
        return {key: merged[key] for key in _HARDWARE}

    def _merged(self, run: str, pair: str) -> dict[str, Any]:
        runs = sorted({name for name, _ in self.merged})
        if run not in runs:
            raise UserError(f"config/runs.yaml: {_unknown('run', run, runs)}")
        pairs = [PARSERS[run]] if run in PARSERS else self.pairs
        if pair not in pairs:
            raise UserError(f"config/{self.scale}.yaml: {_unknown('language pair', pair, pairs)}")
        return self.merged[run, pair]


def load_settings(values: Mapping[str, Any], root: Path | str = ".") -> Settings:
    """Check and merge the configuration of the project in ``root``.

    ``values`` are the keys of config/config.yaml, after what the command line has set.  Raises UserError, one line
    that names the file and the key and says what is valid.
    """
    root = Path(root)
    schemas = _Schemas(root / "workflow" / "schemas")
    schemas.check("config", values, "config/config.yaml or --config")
    scales = sorted(path.stem for path in (root / "config").glob("*.yaml") if path.stem not in _NOT_SCALES)
    if values["scale"] not in scales:
        raise UserError(f"config/config.yaml or --config: {_unknown('scale', values['scale'], scales)}")
    file = f"config/{values['scale']}.yaml"
    scale = read_yaml(root / file)
    schemas.check("scale", scale, file)
    runs = read_yaml(root / "config" / "runs.yaml")
    schemas.check("runs", runs, "config/runs.yaml")
    for name, changes in runs.items():
        own = {key: value for key, value in changes.items() if key != "pairs"}
        schemas.check("settings", own, "config/runs.yaml", name)
    for name in scale.get("runs", {}):
        if name not in runs:
            raise UserError(f"{file}: runs: {_unknown('run', name, sorted(runs))}")
    merged = {}
    for run in runs:
        for pair in [PARSERS[run]] if run in PARSERS else scale["translation"]:
            settings = _merge(runs, scale, run, pair)
            _check_merged(settings, schemas, f"{file}: run {run}, {pair}")
            merged[run, pair] = settings
    _check_caption(scale, file)
    sources = read_yaml(root / "config" / "sources.yaml")
    downloads = (
        _downloads(scale, sources, file) | _treebank(scale, sources, file) | _silver(scale, sources, file)
    )
    return Settings(
        scale=values["scale"],
        seed=values["seed"],
        seeds=tuple(map(int, values["seeds"] or [values["seed"]])),
        mirror=values["mirror"],
        corpus=scale["corpus"],
        grammar={split: scale["grammar"][split] for split in SPLITS} if "grammar" in scale else None,
        downloads=downloads,
        archives=_archives(downloads, sources),
        # In one order, whatever the file's: Snakemake compares parameters as text.
        subwords={
            pair: dict(sorted(values["subwords"].items())) for pair, values in scale["translation"].items()
        },
        expected=scale["expected"],
        plan_device=values.get("plan_device"),
        parsing=scale["parsing"],
        treebank=values.get("treebank"),
        silver_text=values.get("silver_text"),
        layer_rows=values.get("layer_rows") in (True, "true"),
        attention=_attention(values) or scale["attention"],
        clean=scale["clean"],
        data_threads=scale["data_threads"],
        merged=merged,
    )


def read_yaml(path: Path) -> Any:
    """Read a YAML file.  Raises UserError that names the file and line when it is none, or says a key twice."""
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_UniqueKeys)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: not UTF-8 text") from None
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise UserError(f"{path}{line}: not valid YAML ({error.problem})") from None


class _UniqueKeys(yaml.SafeLoader):
    """YAML forbids a key said twice; PyYAML silently takes the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key '{key.value}' twice", key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def _merge(runs: dict[str, Any], scale: dict[str, Any], run: str, pair: str) -> dict[str, Any]:
    """The settings of ``base`` at this scale, changed by what the run changes, divided as base's are."""
    base = _own(runs, scale, "base", pair) | scale["settings"] | scale.get("runs", {}).get("base", {})
    if run == "base":
        return base
    return base | _own(runs, scale, run, pair) | scale.get("runs", {}).get(run, {})


def _own(runs: dict[str, Any], scale: dict[str, Any], run: str, pair: str) -> dict[str, Any]:
    """What config/runs.yaml sets for this run itself, divided by the scale's divisors."""
    own = dict(runs[run])
    own |= own.pop("pairs", {}).get(pair, {})
    shrink = scale["shrink"]
    return {
        key: _divide(value, shrink[key]) if key in shrink and value is not None else value
        for key, value in own.items()
    }


def _divide(value: int, divisor: float) -> int:
    """Rounded to the nearest whole number, halves up, at least 1."""
    return max(1, math.floor(value / divisor + 0.5))


def _attention(values: Mapping[str, Any]) -> dict[str, dict[str, str]] | None:
    """The sentence that the user wants instead of the scale's two, for both; None when there is none."""
    given = {key: values.get(key) for key in ("sentence", "word", "antecedent")}
    missing = [key for key, value in given.items() if value is None]
    if missing and len(missing) < len(given):
        raise UserError(
            f"config/config.yaml or --config: missing key '{missing[0]}'; sentence, word and antecedent go together"
        )
    own = {key: value for key, value in given.items() if value is not None}
    return {"long_distance": own, "anaphora": own} if own else None


def _downloads(
    scale: dict[str, Any], sources: dict[str, Any], file: str
) -> dict[tuple[str, str, str], list[dict[str, Any]]]:
    """The registered files of each side of each split; none when the corpus is generated."""
    found = {}
    for pair, values in scale["translation"].items():
        where = f"{file}: translation.{pair}"
        if ("grammar" in scale) == ("source" in values):
            raise UserError(
                f"{where}: give either `grammar` or this pair's `source`; it is generated or downloaded"
            )
        if "source" not in values:
            continue
        named = values["source"]
        names = {split: [named] for split in SPLITS} if isinstance(named, str) else named
        for split in SPLITS:
            for side in pair.split("-"):
                found[pair, split, side] = [
                    _location(sources, name, pair, split, side, f"{where}.source") for name in names[split]
                ]
    return found


def _treebank(
    scale: dict[str, Any], sources: dict[str, Any], file: str
) -> dict[tuple[str, str, str], list[dict[str, Any]]]:
    """The registered files of each split of the treebank; none when it is generated or the user's own."""
    name = scale["parsing"]["source"]
    if name in ("grammar", "wsj"):
        return {}
    if name not in sources or "trees" not in sources[name]:
        having = [name for name, source in sources.items() if "trees" in source]
        raise UserError(f"{file}: parsing.source: {_unknown('treebank', name, ['grammar', 'wsj', *having])}")
    found = {}
    for split, trees in sources[name]["trees"].items():
        entry = next(entry for entry in sources[name]["files"] if entry["path"] == trees["file"])
        found["trees", split, "trees"] = [
            entry | {"source": name, "member": member} for member in tree_members(trees)
        ]
    return found


def _silver(
    scale: dict[str, Any], sources: dict[str, Any], file: str
) -> dict[tuple[str, str, str], list[dict[str, Any]]]:
    """The registered files of raw English; none when it is generated or the user's own."""
    text = scale["parsing"]["silver"]["text"]
    if isinstance(text, str):
        return {}
    where, pair = f"{file}: parsing.silver.text", next(iter(scale["translation"]))
    parts = [_location(sources, part["source"], pair, part["split"], "en", where) for part in text]
    return {("silver", "text", "en"): parts}


def tree_members(trees: dict[str, Any]) -> list[str]:
    """The members of an archive that a source's `trees` names: {} in `member` counts from `first` to `last`."""
    return [trees["member"].format(number) for number in range(trees["first"], trees["last"] + 1)]


def _location(
    sources: dict[str, Any], name: str, pair: str, split: str, side: str, where: str
) -> dict[str, Any]:
    """The registry's entry of the file that holds one side of what source ``name`` gives to a split."""
    if name not in sources:
        raise UserError(f"{where}: {_unknown('source', name, sources)}")
    source = sources[name]
    splits = source.get("splits", {}) | source.get("pairs", {}).get(pair, {})
    try:
        location = splits[split][side]
    except KeyError:
        raise UserError(f"{where}: {name} has no {split} split in {side}") from None
    path, member = (location, None) if isinstance(location, str) else (location["file"], location["member"])
    entry = next((entry for entry in source["files"] if entry["path"] == path), None)
    if entry is None:
        raise UserError(f"config/sources.yaml: {name}: {path} is not among its files; add it")
    return entry | {"source": name, "member": member}


def _archives(downloads: dict[Any, list[dict[str, Any]]], sources: dict[str, Any]) -> dict[str, list[str]]:
    """What to unpack of the archives among ``downloads``: the members of all pairs, so that each is read once."""
    members: dict[str, set[str]] = {}
    for source in sources.values():
        for splits in (source.get("splits", {}), *source.get("pairs", {}).values()):
            for location in (location for sides in splits.values() for location in sides.values()):
                if not isinstance(location, str):
                    members.setdefault(location["file"], set()).add(location["member"])
        for trees in source.get("trees", {}).values():
            members.setdefault(trees["file"], set()).update(tree_members(trees))
    used = {part["path"] for parts in downloads.values() for part in parts}
    return {path: sorted(members[path]) for path in sorted(used & members.keys())}


def _check_caption(scale: dict[str, Any], file: str) -> None:
    """Raise UserError when ``corpus``, which tables show, does not name the test sets that the pairs are scored on."""
    sources = [values.get("source") for values in scale["translation"].values()]
    named = {name for source in sources if isinstance(source, dict) for name in source["test"]}
    if not named <= set(scale["corpus"].split(", ")):
        raise UserError(
            f"{file}: corpus: '{scale['corpus']}' is what tables call the corpus, and the test set is "
            f"{', '.join(sorted(named))}; name it there, after a comma"
        )


def _check_merged(settings: dict[str, Any], schemas: "_Schemas", where: str) -> None:
    """Check what only the merged settings can show."""
    schemas.check("settings", settings, where)
    missing = [key for key in schemas.keys("settings") if key not in settings]
    if missing:
        raise UserError(f"{where}: missing key '{missing[0]}'; set it under `settings`")
    by_steps, by_minutes = settings["checkpoint_every_steps"], settings["checkpoint_every_minutes"]
    if (by_steps is None) == (by_minutes is None):
        raise UserError(
            f"{where}: checkpoint_every_steps is {by_steps} and checkpoint_every_minutes is {by_minutes}; "
            "set one of them and make the other null"
        )
    averaged, kept = settings["average_checkpoints"], settings["keep_checkpoints"]
    if averaged > kept:
        raise UserError(
            f"{where}: average_checkpoints is {averaged}, but keep_checkpoints is {kept}; keep as many"
        )
    if by_steps is not None and averaged > math.ceil(settings["steps"] / by_steps):
        raise UserError(
            f"{where}: average_checkpoints is {averaged}, but {settings['steps']} steps with checkpoint_every_steps "
            f"{by_steps} write {math.ceil(settings['steps'] / by_steps)}; write them more often"
        )


class _Schemas:
    """The JSON schemas of a folder, and one line for what they find wrong."""

    def __init__(self, folder: Path) -> None:
        names = ("config", "scale", "runs", "settings")
        self._schemas = {name: read_yaml(folder / f"{name}.schema.yaml") for name in names}
        self._registry: Registry[Any] = Registry().with_resources(
            (f"{name}.schema.yaml", Resource.from_contents(schema)) for name, schema in self._schemas.items()
        )

    def keys(self, name: str) -> list[str]:
        """The keys that schema ``name`` knows."""
        return list(self._schemas[name]["properties"])

    def check(self, name: str, value: Any, file: str, *where: str) -> None:
        """Raise UserError when ``value``, from ``file`` (at ``where`` in it), does not follow schema ``name``."""
        validator = Draft202012Validator(self._schemas[name], registry=self._registry)
        error = min(
            validator.iter_errors(value),
            key=lambda error: [str(key) for key in error.absolute_path],
            default=None,
        )
        if error is not None:
            keys = ".".join([*where, *map(str, error.absolute_path)])
            raise UserError(f"{file}: {keys + ': ' if keys else ''}{_explain(error)}")


def _explain(error: ValidationError) -> str:
    """What is wrong, in a few words, and what is valid."""
    schema: Any = error.schema
    expected: Any = error.validator_value
    instance: Any = error.instance
    if error.validator == "additionalProperties":
        valid = list(schema["properties"])
        wrong = next(key for key in instance if key not in valid)
        return _unknown("key", wrong, valid)
    if error.validator == "required":
        missing = next(key for key in expected if key not in instance)
        return f"missing key '{missing}'"
    if error.validator == "enum":
        return _unknown("value", instance, expected)
    description = schema.get("description")
    if error.validator == "not":  # the library would print the rule that it must not follow
        return f"{instance}: must be {description}"
    return error.message + (f" ({description})" if description else "")


def _unknown(kind: str, wrong: Any, valid: Iterable[str]) -> str:
    valid = list(valid)
    close = difflib.get_close_matches(str(wrong), valid, n=1)
    guess = f"; did you mean '{close[0]}'?" if close else ";"
    return f"unknown {kind} '{wrong}'{guess} valid: {', '.join(valid)}"
