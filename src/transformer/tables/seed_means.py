"""The score of each row of a table, over the seeds of its trainings, and whether it differs from base's."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from transformer.scoring.bootstrap import LEVEL
from transformer.scoring.significance import contrast, holm
from transformer.tables.cells import PAPER, Cell, Line, Source
from transformer.tables.render import MARK, mark_of
from transformer.tables.runs import Run, trainings_of
from transformer.tables.sentence_counts import as_trainings, paired_p_of, read_sentences, sentence_file


def score_cell(
    column: str, scores: Sequence[Source], digits: int = 1, *, shows_interval: bool = True, **more: Any
) -> Cell:
    """Return the cell of a score: ``71.2 [70.1, 72.3]``, or for several seeds ``71.2 ± 0.4``.

    It has the bootstrap interval of one training, or the mean of several seeds and their standard deviation: with
    several, the interval of one of them would mislead.
    """
    values = [score.value for score in scores]
    cell = Cell(column, kind="score", value=float(np.mean(values)), sources=list(scores))
    if len(scores) > 1:
        cell = replace(cell, sd=float(np.std(values, ddof=1)))
        spread = f" ± {cell.sd:.{digits}f}"
    else:
        low, high = scores[0].low, scores[0].high
        cell = replace(cell, low=low, high=high)
        spread = f" [{low:.{digits}f}, {high:.{digits}f}]" if shows_interval and low is not None else ""
    return replace(cell, shown=f"{cell.value:.{digits}f}", spread=spread, **more)


def training_cell(run: Run, key: str, column: str, **more: Any) -> Cell:
    """Return the cell of what was counted in a run's training, as ``training.json`` has it."""
    number = run.number("training", key)
    return Cell(column, **{"kind": "count", "value": number.value, "sources": [number]} | more)


def p_cell(column: str, p: float | None) -> Cell:
    """Return a p-value as a cell: ``0.0123``, or ``< 0.0001``; a blank one for None and NaN."""
    if p is None or math.isnan(p):
        return Cell(column)
    return Cell(column, "< 0.0001" if p < 0.00005 else f"{p:.4f}", kind="p", value=p)


def with_p_values(scores: Mapping[str, Cell], base: str, papers: Collection[str]) -> dict[str, Cell]:
    """Return the scores of one quantity and language pair, by run, with the p-values of the difference to ``base``'s.

    The difference is tested on the sentences of the test set, and where there are several seeds over seeds and
    sentences.  ``papers`` are the paper's runs: they and all others are a family each of Holm's correction, and the
    variance over seeds is that of the paper's (``contrast``), so a row of the user's own changes nothing of theirs.
    """
    if base not in scores:
        return dict(scores)
    read = {
        run: [read_sentences(sentence_file(source.path)) for source in score.sources]
        for run, score in scores.items()
    }
    # The resampled test sets are needed for several seeds only.
    has_seeds = any(len(seeds) > 1 for seeds in read.values())
    systems = {run: as_trainings(seeds) for run, seeds in read.items()} if has_seeds else {}

    def p_of(run: str, comparisons: int) -> float:
        if any(len(seeds) > 1 for other, seeds in read.items() if other in (run, base) or other in papers):
            estimate = contrast({run: 1.0, base: -1.0}, systems, papers)
            return min(1.0, 2 * min(estimate.p_above(0), estimate.p_below(0)))
        return paired_p_of(read[run][0], read[base][0], comparisons)

    tested = dict(scores)
    for is_paper_s in (True, False):
        family = [run for run in scores if run != base and (run in papers) is is_paper_s]
        p = {run: p_of(run, len(family)) for run in family}
        for run, corrected in holm(p).items():
            # Of one sentence, nothing can be tested.
            if not math.isnan(corrected):
                tested[run] = replace(scores[run], p=p[run], p_holm=corrected)
    return tested


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
    run, line_name = base
    names = {run.name for run in runs}
    own = _comparisons(filter(is_own, lines), columns)
    papers = _comparisons((line for line in lines if not is_own(line)), columns)
    if not papers and not own:
        is_missed = run not in names and len(names) > 1
        said = f"Nothing is tested: the rows are compared with {run}, which is not among them."
        return [said] if is_missed else []
    test = "approximate randomisation of sentences, which says nothing of other seeds"
    if seeds_of(runs) > 1:
        test = "t-test over seeds and sentences"
    measures = list(dict.fromkeys(columns.values()))
    where = " in each language pair" if len(columns) > len(measures) else ""
    families = [f"{_number(papers)}{where}"] if papers else []
    families += [f"{_number(own)}{where} of rows that the paper does not have"] if own else []
    return [
        f"<sup>{MARK}</sup> {' or '.join(measures)} differs from that of {run} (p < {1 - LEVEL:.2f} after Holm's "
        f"correction for {' and, apart from these, for '.join(families)}, {test}).",
        *_reversals(lines, columns, next(line for line in lines if line.name == line_name)),
    ]


def _comparisons(lines: Iterable[Line], columns: Iterable[str]) -> int:
    """Return how many of the lines are tested, in the column where most are."""
    tested = [{cell.column for cell in line.cells if cell.p is not None} for line in lines]
    return max(sum(column in of_line for of_line in tested) for column in columns)


def _number(comparisons: int) -> str:
    return f"{comparisons} comparisons" if comparisons > 1 else "one comparison"


def _reversals(lines: Sequence[Line], columns: Mapping[str, str], base: Line) -> Iterator[str]:
    """Yield a sentence on the marked numbers that differ from base's in the other direction than the paper's."""
    reversals = []
    for line, column in product(lines, columns):
        ours, paper = line.cell(column), line.cell(column, PAPER)
        base_ours, base_paper = base.cell(column), base.cell(column, PAPER)
        if ours and mark_of(ours) and paper and base_ours and base_paper:
            of_paper = float(paper.value) - float(base_paper.value)
            if (ours.value - base_ours.value) * of_paper < 0:
                measure = ours.quantity or columns[column]
                numbers = f"{ours.shown} against {base_ours.shown}, p = {ours.p_holm:.2g}"
                reversals.append(f"{line.name} ({measure} {numbers})")
    if reversals:
        yield f"Beyond chance, but unlike the paper's: {'; '.join(reversals)}."


def seeds_of(runs: Sequence[Run]) -> int:
    """Return the largest number of seeds of a run."""
    return max(map(len, trainings_of(runs).values()))


def spread_note(runs: Sequence[Run]) -> str:
    """Return a sentence on what stands beside a score."""
    if (seeds := seeds_of(runs)) > 1:
        return f"Mean ± standard deviation of {seeds} seeds."
    return f"Brackets: {100 * LEVEL:.0f}% bootstrap interval over test sentences."
