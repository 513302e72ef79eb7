"""The readers of settings, and the rules that make files of settings for the fuzzer (see ``fuzz.py``)."""

import copy
import functools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from fuzz_damage import damaged_value, odd_text, odd_value
from fuzz_target import Input, Target
from snakemake.cli import parse_config

from transformer.common import yaml_files
from transformer.common.project import PROJECT
from transformer.corpus import registry
from transformer.corpus.registry import RegisteredFile, load_registry, read_sources, with_locks
from transformer.settings import runs_file, scale_file
from transformer.settings.own_files import own_corpora
from transformer.settings.settings import Settings, load_settings
from transformer.settings.sources import find_archives

CONFIG = PROJECT / "config"
VALUES: dict[str, Any] = {"scale": "demo", "seed": 1}
SCALES = ("demo", "small", "paper")
_read = yaml_files.read_yaml


@functools.cache
def content_of(path: Path) -> Any:
    """Return the content of a file of this project."""
    return _read(path)


def cached_read(path: Path | str) -> Any:
    """Read a file, or return what it held if it is one of this project."""
    path = Path(path)
    return copy.deepcopy(content_of(path)) if path.is_relative_to(PROJECT) else _read(path)


@functools.cache
def read_faster() -> None:
    """Let this process, which does nothing else, read each undamaged file once."""
    for module in (yaml_files, runs_file, scale_file):
        vars(module)["read_yaml"] = cached_read


# Scalars that YAML or the reader may not be able to build.
ODD_SCALARS = (
    "!!int x|!!float x|!!bool x|!!null x|!!binary x|!!timestamp x|!!set {a}|!!omap [a: 1]|!!pairs [a: 1]|!!str [x]|"
    "!!python/object:os.system x|!x y|2001-01-01|2001-99-99|2001-01-01 99:99:99|.nan|-.inf|1.0e+999|1:99|1_000|"
    '0x|0xff|0b2|08|1e5|&a [*a]|&a {*a : 1}|*a|&a x|<<|=|~|yes|no|on|? [a]|? {a: b}|? |- |\'|"\\ud800"|"\\0"|'
    '"\\U00110000"|"\\x"|[|{|]|%|@|`|# x|| x|> x|---|...|%YAML 9.9|[a, b]|{a: b}|{1: 2}|{a: 1, a: 2}|{<<: 1}|'
    "{<<: [{a: 1}, {b: 2}]}"
).split("|")


def yaml_text(rng: random.Random, value: Any) -> bytes:
    """Return ``value`` as YAML, in which sometimes a value is replaced by an odd one."""
    options: dict[str, Any] = {"sort_keys": False, "width": 10_000}
    try:
        text = yaml.dump(value, Dumper=yaml.CSafeDumper, allow_unicode=rng.random() < 0.5, **options)
    except UnicodeEncodeError:  # half a pair of surrogates, which only the slow one can write
        text = yaml.safe_dump(value, **options)
    if rng.random() < 0.3:
        lines = text.split("\n")
        place = rng.randrange(len(lines))
        before, colon, _ = lines[place].partition(": ")
        odd = rng.choice(ODD_SCALARS) if rng.random() < 0.9 else rng.choice("[{(-") * 4000
        lines[place] = before + colon + odd
        text = "\n".join(lines)
    return text.encode("utf-8", "surrogatepass")


def changed_file(name: str) -> Callable[[random.Random], Input]:
    """Return a rule that damages one file of the project, in a folder that has only this file."""

    def generate(rng: random.Random) -> Input:
        value = content_of(PROJECT / name)
        value = damaged_value(rng, value) if rng.random() < 0.7 else value
        return {name: yaml_text(rng, value)}

    return generate


def scale(rng: random.Random) -> Input:
    """Return a folder with a scale of the user's own: a project's one, or one that inherits, with changes."""
    value = copy.deepcopy(content_of(CONFIG / f"{rng.choice(SCALES)}.yaml"))
    if rng.random() < 0.4:
        value = {
            "inherits": rng.choice(SCALES),
            "corpus": "News",
            "translation": {"de-en": {"files": own_files(rng)}},
            "settings": {"steps": 100},
            "runs": {"mine": {"N": 1}, "base": {"dropout": 0.1}},
        }
    value = damaged_value(rng, value) if rng.random() < 0.7 else value
    return {"config/mine.yaml": yaml_text(rng, value)}


def own_files(rng: random.Random) -> dict[str, Any]:
    """Return the section `files` of a language pair."""
    forms: list[Any] = [
        {"de": "a.de", "en": "a.en"},
        {"de": "*.de", "en": "*.en"},
        {"tsv": "a.tsv", "columns": {"de": 1, "en": 2}},
        {"sacrebleu": "wmt13"},
        {"archive": "a.zip", "de": "a.de", "en": "a.en"},
        {"archive": "https://example.org/a.tgz", "tsv": "a.tsv", "columns": {"de": 1, "en": 2}},
        {"de": "https://example.org/a.de.gz", "en": "https://example.org/get.php?f=a.en.gz"},
        {"de": odd_text(rng), "en": odd_text(rng)},
    ]
    train = rng.choice(forms)
    return {
        "train": rng.choice((train, [train, rng.choice(forms)])),
        "dev": rng.choice((*forms, 100, None)),
        "test": 50,
    }


def params(rng: random.Random) -> Input:
    """Return a folder with changes of a scale for one experiment."""
    whole = content_of(CONFIG / "demo.yaml")
    value = {key: whole[key] for key in rng.sample(sorted(whole), 3)}
    return {"params.yaml": yaml_text(rng, damaged_value(rng, value))}


def read_in(folder: Path, values: dict[str, Any]) -> None:
    """Load the settings in a folder, and use them as the workflow does."""
    read_faster()
    use(load_settings(values, folder))


def read_scale(folder: Path) -> None:
    """Load the settings of the scale ``mine``."""
    read_in(folder, VALUES | {"scale": "mine"})


def read_config_file(folder: Path) -> None:
    """Load the settings of each scale in turn, with one file of config/ that is damaged."""
    for name in SCALES:
        read_in(folder, VALUES | {"scale": name})


def read_params(folder: Path) -> None:
    """Load the demo scale with the changes of an experiment, which count only in a project's folder."""
    vars(scale_file)["in_project"] = lambda folder: True
    read_in(folder, VALUES)


def use(loaded: Settings) -> None:
    """Ask for what the workflow asks for, and write what it writes."""
    for run, pair in loaded.merged:
        json.dumps(loaded.run(run, pair), allow_nan=False).encode()
        json.dumps(loaded.decoding(run, pair), allow_nan=False).encode()
    for found in (
        loaded.further_tests,
        loaded.table2_runs,
        loaded.project_runs,
        loaded.user_runs,
        loaded.clean,
    ):
        json.dumps(found, allow_nan=False).encode()
    for corpus in own_corpora(loaded.own_files, loaded.scale).values():
        for place in corpus.places:
            assert place.path.encode()
            assert place.unpacked.encode()


def command_line(rng: random.Random) -> Input:
    """Return the values of --config, one a line."""
    values: dict[str, Any] = {"scale": rng.choice(SCALES), "seed": 1, "seeds": [1, 2], "table2": ["base"]}
    values |= {"sentence": "A dog runs .", "word": "runs", "antecedent": "dog", "plan_device": "cpu"}
    values |= {"treebank": ".", "silver_text": "x", "track": "dvclive", "mirror": "x", "further_tests": []}
    values |= {"layer_rows": True, "t2t_rows": "true"}
    chosen = {key: values[key] for key in rng.sample(list(values), rng.randrange(6))} | {"scale": "demo"}
    for _ in range(rng.randrange(3)):
        chosen[rng.choice([*values, "x", "Scale"])] = rng.choice((odd_value, odd_text))(rng)
    texts = [f"{key}={rng.choice((str(value), json.dumps(value)))}" for key, value in chosen.items()]
    return "\x1e".join(text for text in texts if "\x1e" not in text).encode("utf-8", "surrogatepass")


def read_command_line(path: Path) -> None:
    """Load the settings with these values, as Snakemake understands them."""
    read_faster()
    entries = path.read_bytes().decode("utf-8", "surrogateescape").split("\x1e")
    try:
        values = parse_config([entry for entry in entries if "\0" not in entry])
    except Exception:  # Snakemake refuses them itself
        return
    use(load_settings(VALUES | values, PROJECT))


def read_registry(folder: Path) -> None:
    """Read the registry as a download does, and the members of its archives."""
    read_faster()
    path = folder / "resources" / "sources.yaml"
    for file in load_registry(path).values():
        assert file.path.encode()
    sources = read_sources(path)
    files = [entry for source in sources.values() for entry in source["files"]]
    find_archives({("en-de", "train", "en"): files}, sources)


def lock(rng: random.Random) -> Input:
    """Return a lock file of the registry."""
    value = {f"wmt14/{name}.tgz": {"sha256": "ab" * 32, "size": rng.randrange(1, 10**9)} for name in "abc"}
    return yaml_text(rng, damaged_value(rng, value) if rng.random() < 0.7 else value)


def read_lock(path: Path) -> None:
    """Look a file up in the lock file."""
    read_faster()
    registry.lock_file = lambda: path
    found = with_locks(RegisteredFile("wmt14/a.tgz", "https://example.org/a.tgz"))
    assert found.size is None or found.size > 0


COMMAND = ("config/config.yaml or --config", "demo.yaml", "runs.yaml")
RUNS, SOURCES = "config/runs.yaml", "resources/sources.yaml"
SCALE_FILES = tuple(f"{name}.yaml" for name in SCALES)
TARGETS = [
    Target("scale", scale, read_scale, names=("mine.yaml",), damaged=0.2),
    Target("runs", changed_file(RUNS), read_config_file, names=("runs.yaml", *SCALE_FILES), damaged=0.2),
    Target("params", params, read_params, names=("params.yaml",), damaged=0.2),
    Target("command_line", command_line, read_command_line, names=COMMAND, damaged=0.2),
    Target("registry", changed_file(SOURCES), read_registry, names=("sources.yaml",), damaged=0.2),
    Target("lock", lock, read_lock),
]
