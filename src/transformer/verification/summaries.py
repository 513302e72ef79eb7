"""The files that collect the figures of all runs for other programs, made again from the runs."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.errors import UserError
from transformer.common.files import read_lines
from transformer.common.json_artifacts import read_object
from transformer.tables.collect_metrics import curve, headline, metrics
from transformer.tables.runs import AVERAGED, LAST, PARSES, Run, read_further_tests, read_runs
from transformer.tables.scores import scores_of, scores_of_baselines
from transformer.verification.checks import Check, value_check
from transformer.verification.remade_tables import compare

FROM_SCORES = {"metrics.json": metrics, "headline.json": headline}


def check_summaries(results: Path) -> Iterator[Check]:
    """Check scores.csv, metrics.json, headline.json and the curves beside ``results``, a scale's folder (results/demo).

    They are of the scale that was built last, so they may agree with another scale's runs instead.  A file that has
    not been made is not checked.
    """
    folder = results.parent
    scales = [results, *(path.parent for path in sorted(folder.glob("*/runs")) if path.parent != results)]
    if (folder / "scores.csv").exists():
        yield _scores(folder / "scores.csv")
    for name in FROM_SCORES:
        if (folder / name).exists():
            yield _best(_from_scores(folder / name, scale) for scale in scales)
    for path in sorted(folder.glob("curves/*.csv")):
        yield _best(_curve(path, scale) for scale in scales)


def _best(checks: Iterator[Check]) -> Check:
    """Return a check that stands; if none does, the first, which is that of the scale whose tables are checked."""
    first = next(checks)
    if not first.differs:
        return first
    return next((check for check in checks if not check.differs), first)


def _scores(path: Path) -> Check:
    """Check the rows of scores.csv, each of which names the JSON file that it was read from."""
    try:
        lines = list(read_lines(path))
        known = set(_rows(list(csv.DictReader(lines))).to_csv(index=False, lineterminator="\n").splitlines())
    except (csv.Error, UserError, KeyError, IndexError, TypeError, ValueError) as error:
        return Check(str(path), f"{path}: cannot be made again: {error}")
    wrong = next((number for number, line in enumerate(lines, start=1) if line not in known), None)
    if wrong:
        return Check(str(path), f"{path}: line {wrong} differs from the row made again")
    return Check(str(path), f"{path}: has not all rows of its runs" if known - set(lines) else "")


def _rows(rows: Sequence[Mapping[str, str]]) -> pd.DataFrame:
    """Return all figures of the runs and baselines that the ``rows`` were read from, read again."""
    sources = list(dict.fromkeys(Path(row["path"]) for row in rows))
    baselines = [path for path in sources if path.parent.name == "baselines"]
    runs: list[Run] = []
    for files, name in ((AVERAGED, "scores"), (LAST, "scores"), (PARSES, "parses")):
        runs += read_runs([folder for path in sources if (folder := _folder(path, files[name]))], files)
    runs += read_further_tests([path.parent for path in sources if path.parent.parent.name == "tests"])
    frames = [scores_of(runs)]
    if baselines:
        frames.append(scores_of_baselines(baselines, runs[0].scale, runs[0].corpus))
    return pd.concat(frames, ignore_index=True)


def _folder(path: Path, below: str) -> Path | None:
    """Return the folder of a run, ``runs/RUN/PAIR``, of whose files ``path`` is the one named ``below``."""
    folder = Path(path.as_posix().removesuffix(below))
    return folder if folder / below == path and folder.parents[1].name == "runs" else None


def _from_scores(path: Path, results: Path) -> Check:
    """Check a JSON file with figures of runs by their names against the runs of a scale."""
    try:
        found = read_object(path)
        runs = [run for name, facts in found.items() for run in _runs(results / "runs" / name, facts)]
        again = FROM_SCORES[path.name](scores_of(runs))
    except UserError as error:
        return Check(str(path), f"{path}: cannot be made again: {error}")
    there, figures = _by_name(found), _by_name(again)
    checks = (
        value_check(name, figures.get(name), there.get(name), path)
        for name in dict.fromkeys([*there, *figures])
    )
    return Check(str(path), next((check.differs for check in checks if check.differs), ""))


def _by_name(content: Any, name: str = "") -> dict[str, Any]:
    """Return the figures of a JSON object by their keys, e.g. ``base.en-de.perplexity.dev``."""
    if not isinstance(content, dict):
        return {name.removesuffix("."): content}
    return {
        key: value for part in content for key, value in _by_name(content[part], f"{name}{part}.").items()
    }


def _runs(folder: Path, facts: Any) -> list[Run]:
    """Return the runs of one name; ``facts`` has a key for each language pair, or the scores of a parser."""
    known = facts if isinstance(facts, dict) else {}
    pairs = {key: value for key, value in known.items() if isinstance(value, dict)}
    last = [pair for pair, value in pairs.items() if value.keys() & {"last", "dev_bleu"}]
    parsers = [path.parent for path in folder.glob("*/parses.json")] if not pairs else []
    return [
        *read_runs([folder / pair for pair in pairs if pair not in last]),
        *read_runs([folder / pair for pair in last], LAST),
        *read_runs(parsers, PARSES),
    ]


def _curve(path: Path, results: Path) -> Check:
    """Check the curve of a run, RUN.PAIR.csv, against the figures that its training wrote."""
    name, _, pair = path.stem.rpartition(".")
    try:
        text = curve(results / "runs" / name / pair / "metrics.jsonl").to_csv(index=False)
    except UserError as error:
        return Check(str(path), f"{path}: cannot be made again: {error}")
    (check,) = compare({path.name: text}, path.parent)
    return check
