"""The score of each row of a table, over the seeds of its trainings, and whether it differs from base's."""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.scoring.bootstrap import LEVEL
from transformer.scoring.significance import Seeds, welch_p
from transformer.tables.runs import Run
from transformer.tables.sentence_counts import paired_p_of
from transformer.tables.table import four_decimals, records, traced

MARK = "†"


def over_seeds(scores: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return one row for each group of the columns ``by``, which become the index, of rows of the tidy frame.

    Its columns are ``value``, the mean over seeds; ``sd``, the sample standard deviation (NaN for one seed); ``low``
    and ``high``, the interval of a single training (NaN for several seeds); and the lists ``seeds``, ``path`` and
    ``sha256``.
    """
    rows = scores.groupby(list(by), sort=False).agg(
        value=("value", "mean"),
        sd=("value", "std"),
        low=("low", "first"),
        high=("high", "first"),
        seeds=("seed", list),
        path=("path", list),
        sha256=("sha256", list),
    )
    several = rows["seeds"].str.len() > 1  # the interval of one of them would mislead
    return rows.assign(low=rows["low"].mask(several), high=rows["high"].mask(several))


def csv_scores(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return what a CSV file has of rows as ``over_seeds`` gives them, and of their p-values in the column ``p``.

    Its columns are ``name``, ``name_low`` …; ``seeds``, ``scores`` and ``scores_sha256``, joined by blanks; and
    ``files``, the comment that names the score files in the LaTeX.
    """
    ends = {"value": "", "low": "_low", "high": "_high", "sd": "_sd", "p": "_p"}
    lists = {"seeds": "seeds", "path": "scores", "sha256": "scores_sha256"}
    columns = {f"{name}{end}": four_decimals(rows[key]) for key, end in ends.items()}
    columns |= {
        column: rows[key].map(lambda texts: " ".join(map(str, texts))) for key, column in lists.items()
    }
    return pd.DataFrame(columns).assign(files=list(map(traced, rows["path"], rows["sha256"])))


def score_text(value: float, sd: float, low: float, high: float) -> str:
    """Return ``71.2 [70.1, 72.3]``, to one decimal as in the paper, or for several seeds ``71.2 ± 0.4``."""
    return f"{value:.1f} [{low:.1f}, {high:.1f}]" if math.isnan(sd) else f"{value:.1f} ± {sd:.1f}"


def p_against(rows: pd.DataFrame, base: str) -> pd.Series:
    """Return the p-value of each row's difference to the row of the run ``base``, of rows as ``over_seeds`` gives them.

    The level ``run`` of the index tells the rows apart; the other levels, such as the language pair, must be equal.
    Single trainings are tested on the sentences of the test set, several seeds by Welch's t-test.  It is NaN for base
    itself, and where there is no base or only one of the two has several seeds.
    """
    frame, places = rows.reset_index(), [str(name) for name in rows.index.names if name != "run"]
    bases = {tuple(row[name] for name in places): row for row in records(frame) if row["run"] == base}
    found = [_p(row, bases.get(tuple(row[name] for name in places))) for row in records(frame)]
    return pd.Series(found, rows.index, dtype=float)


def _p(row: Mapping[str, Any], base: Mapping[str, Any] | None) -> float:
    if base is None or base["run"] == row["run"]:
        return math.nan
    counts = {len(one["seeds"]) for one in (row, base)}
    if counts == {1}:
        first, second = (Path(one["path"][0]).with_suffix(".csv") for one in (row, base))
        return paired_p_of(first, second)
    if 1 in counts:
        return math.nan
    first_seeds, second_seeds = (Seeds(one["value"], one["sd"], len(one["seeds"])) for one in (row, base))
    return welch_p(first_seeds, second_seeds)


def mark_of(p: float) -> str:
    """Return the mark if a p-value, which may be NaN, says that the difference is more than chance."""
    return MARK if p < 1 - LEVEL else ""


def marked(text: str, p: float) -> str:
    """Return the text, with the mark if there is one."""
    return f"{text}<sup>{MARK}</sup>" if mark_of(p) else text


def seeds_of(runs: Sequence[Run]) -> int:
    """Return the largest number of seeds of a run."""
    names = [(run.name, run.pair, run.test_set) for run in runs]
    return max(names.count(name) for name in names)


def spread_note(seeds: int) -> str:
    """Return a sentence on what ``score_text`` gives beside a score."""
    if seeds > 1:
        return f"Mean ± standard deviation of {seeds} seeds."
    return f"Brackets: {100 * LEVEL:.0f}% bootstrap interval over test sentences."


def engine_notes(runs: Sequence[Run]) -> list[str]:
    """Return a note for each program but ours that translated; none if our own beam search did."""
    names: dict[str, dict[str, None]] = {}
    for run in runs:
        if run.engine:
            names.setdefault(run.engine, {})[run.name] = None
    return [
        f"{engine}, not the project's own beam search, translated for {', '.join(of)}."
        for engine, of in names.items()
    ]


def mark_notes(p: Iterable[str], base: str, score: str, seeds: int) -> list[str]:
    """Return the note that explains the mark; none if nothing was tested, so that all p-values are blank."""
    if not any(p):
        return []
    test = "Welch's t-test over seeds" if seeds > 1 else "approximate randomisation of sentences"
    return [f"<sup>{MARK}</sup> {score} differs from that of {base} (p < {1 - LEVEL:.2f}, {test})."]
