"""The files that a finished run left behind, read and checked, and the numbers in them."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any, cast

from transformer.common.artifacts import AGAIN, Kind, read_artifact
from transformer.common.errors import UserError
from transformer.common.files import sha256_of
from transformer.common.project import local_path
from transformer.tables.cells import Source
from transformer.tables.measures import HEADLINE

# The files below a run's folder: Table 2 reads the scores of the averaged model, Table 3 those of the last checkpoint.
AVERAGED = {name: f"{name}.json" for name in ("config", "training", "perplexity", "scores")}
LAST = AVERAGED | {"perplexity": "last/perplexity.json", "scores": "last/scores.json"}
# Table 4 reads the scores of a parser's trees, from both ways of decoding.
PARSES = {name: f"{name}.json" for name in ("config", "training", "parses", "unconstrained")}


@dataclass(frozen=True)
class Run:
    """One trained and scored model: what it is, the contents of its JSON files, and their sha256 by name."""

    folder: Path
    files: Mapping[str, str]
    content: dict[str, Any]
    sha256: dict[str, str]
    name: str  # ``base``, ``big``, ``A-h1`` …
    seed: int
    pair: str  # ``en-de`` or ``en-fr``; of a parser, ``en-trees`` or ``en-silver``
    scale: str
    corpus: str  # that it was trained and tested on, for readers
    numerics: str  # ``portable``, ``fast``, or the format of matrix products

    @property
    def weights(self) -> Path:
        """The folder of the model whose scores the run has: the averaged one, or for Table 3 the last."""
        return self.folder / ("last" if self.files.get("scores", "").startswith("last/") else "averaged")

    def path(self, name: str) -> Path:
        """Return the path of one of the ``files``."""
        return self.folder / self.files[name]

    def number(self, file: str, key: str) -> Source:
        """Return the number that one of the ``files`` has at a place, such as ``test.perplexity`` of ``perplexity``.

        Where a file has the interval of a score, the score is ``value`` or ``f1``.
        """
        *parts, name = key.split(".")
        around: Mapping[str, Any] = reduce(getitem, parts, self.content[file])
        interval = around.get("interval", {}) if name in ("value", "f1") else {}
        # What was counted in a training may be more than a float can hold.
        value = around[name] if file == "training" else float(around[name])
        place = self.path(file).as_posix(), key, self.sha256[file]
        return Source(*place, value, self.seed, interval.get("low"), interval.get("high"))

    def score(self, measure: str = HEADLINE) -> Source | None:
        """Return BLEU by a measure of ``scores.json``, or its headline; None if it was not scored by that."""
        scores = self.content["scores"]
        name = scores["headline"] if measure == HEADLINE else measure
        return self.number("scores", f"measures.{name}.value") if name in scores["measures"] else None


def read_runs(folders: Sequence[Path], files: Mapping[str, str] = AVERAGED) -> list[Run]:
    """Read run folders; ``files`` is ``AVERAGED``, ``LAST`` or ``PARSES``.

    Raises UserError when a file is missing or damaged, when files of a run do not belong together, when a run is given
    twice, and when runs are of different scales or corpora.
    """
    runs = [_read_run(folder, files) for folder in folders]
    seen: dict[tuple[str, str, int], Run] = {}
    for run in runs:
        if (run.scale, run.corpus) != (runs[0].scale, runs[0].corpus):
            raise UserError(f"{run.folder} and {runs[0].folder}: a table holds runs of one scale and corpus")
        if (other := seen.setdefault((run.name, run.pair, run.seed), run)) is not run:
            raise UserError(f"{other.folder} and {run.folder} are the same run, with the same seed; give one")
    return runs


def add_all_runs(parser: ArgumentParser) -> None:
    """Add the options for the runs of all tables."""
    for name, about in (("runs", "Table 2"), ("last", "Table 3"), ("parsers", "Table 4")):
        parser.add_argument(f"--{name}", type=local_path, nargs="*", default=[], help=f"runs of {about}")


def read_all_runs(arguments: Namespace) -> list[Run]:
    """Read the runs of all tables.  Raises UserError as ``read_runs`` does."""
    given = {"runs": AVERAGED, "last": LAST, "parsers": PARSES}
    return [run for name, files in given.items() for run in read_runs(getattr(arguments, name), files)]


def trainings_of(runs: Sequence[Run]) -> dict[tuple[str, str], list[Run]]:
    """Return the runs by name and language pair: those of a key differ in their seeds."""
    trainings: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        trainings.setdefault((run.name, run.pair), []).append(run)
    return trainings


def ours_of(runs: Sequence[Run]) -> str:
    """Return what the numbers of these runs are of; some may have the numerics of another processor."""
    numerics = " and ".join(sorted({run.numerics for run in runs}))
    return f"Ours: {runs[0].scale} scale, {numerics} numerics, {runs[0].corpus}"


def _read_run(folder: Path, files: Mapping[str, str]) -> Run:
    """Read a run.  Raises UserError when its files, each of them whole, do not belong together."""
    content = {name: read_artifact(folder / file, cast("Kind", name)) for name, file in files.items()}
    config = content["config"]
    run = Run(
        folder,
        files,
        content,
        {name: sha256_of(folder / file) for name, file in files.items()},
        name=config["run"],
        **{name: config[name] for name in ("seed", "pair", "scale")},
        corpus=config["treebank"]["name"] if "treebank" in config else config["corpus"],
        numerics=content["training"]["numerics"],
    )
    configs = {"training": content["training"]["config_sha256"]}
    for name in ("scores", "parses", "unconstrained"):
        if config := content.get(name, {}).get("files", {}).get("config"):
            configs[name] = config["sha256"]
    for name, sha256 in configs.items():
        if sha256 != run.sha256["config"]:
            raise UserError(f"{run.path(name)}: of another config than {run.path('config')}; {AGAIN}")
    checkpoint = content.get("scores", {}).get("files", {}).get("checkpoint")
    if checkpoint and content["perplexity"]["model_sha256"] != checkpoint["sha256"]:
        raise UserError(f"{run.path('perplexity')}: of other weights than {run.path('scores')}; {AGAIN}")
    return run
