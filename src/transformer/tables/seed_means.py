"""The score of each row of a table, over the seeds of its trainings, and whether it differs from base's."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import pandas as pd

from transformer.scoring.bootstrap import LEVEL
from transformer.scoring.significance import contrast, holm
from transformer.tables.cells import COUNT, PAPER, SCORE, Cell, Line, P, Source
from transformer.tables.render import MARK, mark_of
from transformer.tables.runs import Run
from transformer.tables.sentence_counts import beside, paired_p_of, read_sentences, trainings_of


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


def with_p_values(
    scores: Mapping[str, Cell],
    base: str,
    papers: Collection[str],
) -> dict[str, Cell]:
    """Return the scores of one quantity and language pair, by run, with the p-values of the difference to ``base``'s.

    The difference is tested on the sentences of the test set, and where there are several seeds over seeds and
    sentences.  ``papers`` are the paper's runs: they and all others are a family each of Holm's correction, and the
    variance over seeds is that of the paper's (``contrast``), so a row of the user's own changes nothing of theirs.
    """
    if base not in scores:
        return dict(scores)
    read = {
        run: [read_sentences(beside(source.path)) for source in score.sources]
        for run, score in scores.items()
    }
    # The resampled test sets are needed for several seeds only.
    has_seeds = any(len(seeds) > 1 for seeds in read.values())
    systems = {run: trainings_of(seeds) for run, seeds in read.items()} if has_seeds else {}

    def p_of(run: str, comparisons: int) -> float:
        if any(len(seeds) > 1 for other, seeds in read.items() if other in (run, base) or other in papers):
            estimate = contrast({run: 1.0, base: -1.0}, systems, papers)
            return min(1.0, 2 * min(estimate.p_above(0), estimate.p_below(0)))
        return paired_p_of(read[run][0], read[base][0], comparisons)

    p: dict[str, float] = {}
    corrected: dict[str, float] = {}
    for is_paper_s in (True, False):
        family = [run for run in scores if run != base and (run in papers) is is_paper_s]
        found = {run: p_of(run, len(family)) for run in family}
        # Of one sentence, nothing can be tested.
        tested = {run: value for run, value in found.items() if not math.isnan(value)}
        p |= tested
        corrected |= holm(tested)
    return {run: replace(score, p=p.get(run), p_holm=corrected.get(run)) for run, score in scores.items()}


def mark_notes(
    lines: Sequence[Line],
    columns: Mapping[str, str],
    base: tuple[str, str],
    runs: Sequence[Run],
    is_own: Callable[[Line], bool] = lambda line: False,
) -> list[str]:
    """Return the notes that explain the mark, or that rows were not compared since ``base`` is not among the runs.

    ``base`` is the name of a run and of its line, and ``columns`` are those tested, each with the name of its measure;
    each column is corrected by itself.  Lines that are the user's own (``is_own``) are a family of their own.
    """
    tested = [line for line in lines if _comparisons([line], columns)]
    names = {run.name for run in runs}
    run, line_name = base
    if not tested and run not in names and len(names) > 1:
        return [f"Nothing is tested: the rows are compared with {run}, which is not among them."]
    if not tested:
        return []
    if seeds_of(runs) > 1:
        test = "t-test over seeds and sentences"
    else:
        test = "approximate randomisation of sentences, which says nothing of other seeds"
    measures = list(dict.fromkeys(columns.values()))
    own = _comparisons([line for line in tested if is_own(line)], columns)
    papers = _comparisons([line for line in tested if not is_own(line)], columns)
    where = " in each language pair" if len(columns) > len(measures) else ""
    families = [f"{_number(papers)}{where}"] if papers else []
    families += [f"{_number(own)}{where} of rows that the paper does not have"] if own else []
    return [
        f"<sup>{MARK}</sup> {' or '.join(measures)} differs from that of {run} (p < {1 - LEVEL:.2f} after Holm's "
        f"correction for {' and, apart from these, for '.join(families)}, {test}).",
        *_reversals(lines, columns, next(line for line in lines if line.name == line_name)),
    ]


def _comparisons(lines: Sequence[Line], columns: Iterable[str]) -> int:
    """Return how many of the lines are tested, in the column where most are."""
    cells = [[line.cell(column) for line in lines] for column in columns]
    return max(sum(cell is not None and cell.p is not None for cell in of_column) for of_column in cells)


def _number(comparisons: int) -> str:
    return f"{comparisons} comparisons" if comparisons > 1 else "one comparison"


def _reversals(lines: Sequence[Line], columns: Mapping[str, str], base: Line) -> Iterator[str]:
    """Yield a sentence on the marked numbers that differ from base's in the other direction than the paper's."""
    found = []
    for line, column in product(lines, columns):
        ours, paper = line.cell(column), line.cell(column, PAPER)
        base_ours, base_paper = base.cell(column), base.cell(column, PAPER)
        if ours and mark_of(ours) and paper and base_ours and base_paper:
            of_paper = float(paper.value) - float(base_paper.value)
            if (ours.value - base_ours.value) * of_paper < 0:
                numbers = f"{ours.shown} against {base_ours.shown}"
                found.append(
                    f"{line.name} ({ours.quantity or columns[column]} {numbers}, p = {ours.p_holm:.2g})"
                )
    if found:
        yield f"Beyond chance, but unlike the paper's: {'; '.join(found)}."


def seeds_of(runs: Sequence[Run]) -> int:
    """Return the largest number of seeds of a run."""
    names = [(run.name, run.pair) for run in runs]
    return max(names.count(name) for name in names)


def spread_note(runs: Sequence[Run]) -> str:
    """Return a sentence on what stands beside a score."""
    if (seeds := seeds_of(runs)) > 1:
        return f"Mean ± standard deviation of {seeds} seeds."
    return f"Brackets: {100 * LEVEL:.0f}% bootstrap interval over test sentences."
