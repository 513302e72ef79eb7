"""The score of each row of a table, over the seeds of its trainings, and whether it differs from base's."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from transformer.scoring.bootstrap import LEVEL
from transformer.scoring.significance import Trainings, contrast, holm
from transformer.tables.cells import COUNT, SCORE, Cell, P, Source
from transformer.tables.render import MARK
from transformer.tables.runs import Run
from transformer.tables.sentence_counts import beside, paired_p_of, trainings


def over_seeds(scores: pd.DataFrame, by: str | list[str]) -> dict[Any, Cell]:
    """Return the score of each group of rows of the tidy frame that differ in their seeds, by the columns ``by``.

    It is the score of one training with its bootstrap interval, or the mean of several seeds and their deviation.
    """
    return {key: _score(rows) for key, rows in scores.groupby(by, sort=False)}


def _score(rows: pd.DataFrame) -> Cell:
    sources = sources_of(rows)
    first, several = sources[0], len(sources) > 1
    # With several seeds, the interval of one of them would mislead.
    return Cell(
        "",
        kind=SCORE,
        value=float(rows["value"].mean()),
        low=None if several else first.low,
        high=None if several else first.high,
        sd=float(rows["value"].std()) if several else None,
        sources=sources,
    )


def sources_of(rows: pd.DataFrame) -> list[Source]:
    """Return the numbers of the seeds in rows of the tidy frame."""
    names = ["path", "key", "sha256", "value", "seed", "low", "high"]
    return [
        Source(path, key, sha256, value, int(seed), *(None if math.isnan(end) else end for end in ends))
        for path, key, sha256, value, seed, *ends in rows[names].itertuples(index=False, name=None)
    ]


def counted(run: Run, key: str, column: str, **cell: Any) -> Cell:
    """Return a number of a run's training, as ``training.json`` has it."""
    value = run.content["training"][key]
    source = Source(run.path("training").as_posix(), key, run.sha256["training"], value, run.seed)
    return Cell(column, **{"kind": COUNT, "value": value, "sources": [source]} | cell)


def printed(cell: Cell, column: str, digits: int = 1, *, interval: bool = True, **more: Any) -> Cell:
    """Return a score as a table shows it: ``71.2 [70.1, 72.3]``, or for several seeds ``71.2 ± 0.4``."""
    spread = ""
    if cell.sd is not None:
        spread = f" ± {cell.sd:.{digits}f}"
    elif interval and cell.low is not None:
        spread = f" [{cell.low:.{digits}f}, {cell.high:.{digits}f}]"
    return replace(cell, column=column, shown=f"{cell.value:.{digits}f}", spread=spread, **more)


def p_cell(column: str, p: float | None) -> Cell:
    """Return a p-value as a cell: ``0.0123``, or ``< 0.0001``; a blank one for None and NaN."""
    if p is None or math.isnan(p):
        return Cell(column)
    return Cell(column, "< 0.0001" if p < 0.00005 else f"{p:.4f}", kind=P, value=p)


def with_p_values(scores: Mapping[Any, Cell], bases: Mapping[Any, Cell | None]) -> dict[Any, Cell]:
    """Return the scores with the p-values of the difference to their bases, corrected for the number of these.

    It is tested on the sentences of the test set, or if any of them has several seeds over seeds and sentences.  A
    base itself, and a score without one, has no p-value.
    """
    pairs = {
        key: (score, base)
        for key, score in scores.items()
        if (base := bases[key]) is not None and base is not score
    }
    compared = {id(score): score for pair in pairs.values() for score in pair}
    files = {key: [beside(source.path) for source in score.sources] for key, score in compared.items()}
    if any(len(paths) > 1 for paths in files.values()):
        systems = {key: trainings(paths) for key, paths in files.items()}
        p = {key: p_over_seeds(id(one), id(base), systems) for key, (one, base) in pairs.items()}
    else:
        p = {
            key: paired_p_of(files[id(one)][0], files[id(base)][0], len(pairs))
            for key, (one, base) in pairs.items()
        }
    p = {
        key: value for key, value in p.items() if not math.isnan(value)
    }  # of one sentence, nothing can be tested
    corrected = holm(p)
    return {key: replace(score, p=p.get(key), p_holm=corrected.get(key)) for key, score in scores.items()}


def p_over_seeds(first: Any, second: Any, systems: Mapping[Any, Trainings]) -> float:
    """Return the two-sided p-value of the difference between two systems, see ``contrast``."""
    estimate = contrast({first: 1.0, second: -1.0}, systems)
    return min(1.0, 2 * min(estimate.p_above(0), estimate.p_below(0)))


def mark_notes(cells: Iterable[Cell], base: str, score: str, runs: Sequence[Run]) -> list[str]:
    """Return the note that explains the mark, or that rows were not compared since ``base`` is not among them."""
    tests = sum(cell.p is not None for cell in cells)
    names = {run.name for run in runs}
    if not tests and base not in names and len(names) > 1:
        return [f"Nothing is tested: the rows are compared with {base}, which is not among them."]
    if not tests:
        return []
    if seeds_of(runs) > 1:
        test = "t-test over seeds and sentences"
    else:
        test = "approximate randomisation of sentences, which says nothing of other seeds"
    number = f"{tests} comparisons" if tests > 1 else "one comparison"
    return [
        f"<sup>{MARK}</sup> {score} differs from that of {base} (p < {1 - LEVEL:.2f} after Holm's correction for "
        f"{number}, {test})."
    ]


def seeds_of(runs: Sequence[Run]) -> int:
    """Return the largest number of seeds of a run."""
    names = [(run.name, run.pair, run.test_set) for run in runs]
    return max(names.count(name) for name in names)


def spread_note(runs: Sequence[Run]) -> str:
    """Return a sentence on what stands beside a score."""
    if (seeds := seeds_of(runs)) > 1:
        return f"Mean ± standard deviation of {seeds} seeds."
    return f"Brackets: {100 * LEVEL:.0f}% bootstrap interval over test sentences."
