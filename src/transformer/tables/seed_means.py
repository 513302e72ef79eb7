"""The score of each row of a table, over the seeds of its trainings, and whether it differs from base's."""

import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from transformer.scoring.bootstrap import LEVEL
from transformer.scoring.significance import Trainings, contrast, holm
from transformer.tables.runs import Run
from transformer.tables.sentence_counts import beside, paired_p_of, trainings
from transformer.tables.table import four_decimals, traced

MARK = "†"


@dataclass(frozen=True)
class P:
    """The p-value of a difference, and the one corrected for all comparisons of the table; NaN without a test."""

    single: float
    corrected: float


NOT_TESTED = P(math.nan, math.nan)


@dataclass(frozen=True)
class Score:
    """A score of one training with its bootstrap interval, or the mean of several seeds and their deviation.

    ``sd`` is the sample standard deviation, NaN for one seed; the interval ``low`` to ``high`` is NaN for several.
    ``paths`` are the score files, one for each seed.
    """

    value: float
    sd: float
    low: float
    high: float
    seeds: Sequence[int]
    paths: Sequence[str]
    sha256s: Sequence[str]

    @property
    def text(self) -> str:
        """``71.2 [70.1, 72.3]``, to one decimal as in the paper, or for several seeds ``71.2 ± 0.4``."""
        if math.isnan(self.sd):
            return f"{self.value:.1f} [{self.low:.1f}, {self.high:.1f}]"
        return self.mean(1)

    def mean(self, digits: int) -> str:
        """Return ``4.92``, and for several seeds ``4.92 ± 0.03``."""
        text = f"{self.value:.{digits}f}"
        return text if math.isnan(self.sd) else f"{text} ± {self.sd:.{digits}f}"

    @property
    def files(self) -> str:
        """The comment that names the score files in the LaTeX."""
        return traced(self.paths, self.sha256s)

    def csv(self, name: str, p: P = NOT_TESTED) -> dict[str, str]:
        """Return the cells ``name``, ``name_low`` … of a CSV file, with the p-values of its difference to base."""
        figures = {"": self.value, "_low": self.low, "_high": self.high, "_sd": self.sd}
        figures |= {"_p": p.single, "_p_holm": p.corrected}
        return {f"{name}{end}": four_decimals(figure) for end, figure in figures.items()}

    def csv_files(self, end: str = "") -> dict[str, str]:
        """Return the cells ``scores`` and ``scores_sha256``, with ``end`` behind; files are words of a shell."""
        return {f"scores{end}": shlex.join(self.paths), f"scores_sha256{end}": " ".join(self.sha256s)}

    @property
    def csv_seeds(self) -> str:
        """The cell ``seeds`` of a CSV file."""
        return " ".join(map(str, self.seeds))


def over_seeds(scores: pd.DataFrame, by: str | list[str]) -> dict[Any, Score]:
    """Return the score of each group of rows of the tidy frame that differ in their seeds, by the columns ``by``."""
    return {key: _score(rows) for key, rows in scores.groupby(by, sort=False)}


def _score(rows: pd.DataFrame) -> Score:
    # With several seeds, the interval of one of them would mislead.
    low, high = (rows[end].iloc[0] if len(rows) == 1 else math.nan for end in ("low", "high"))
    lists = (list(rows[name]) for name in ("seed", "path", "sha256"))
    return Score(rows["value"].mean(), rows["value"].std(), low, high, *lists)


def differences(scores: Mapping[Any, Score], bases: Mapping[Any, Score | None]) -> dict[Any, P]:
    """Return the p-values of the difference between each score and its base, corrected for their number.

    It is tested on the sentences of the test set, or if any of them has several seeds over seeds and sentences.  The
    p-value is NaN for base itself, and where there is no base.
    """
    pairs = {key: (score, bases[key]) for key, score in scores.items()}
    tested = {key: (one, base) for key, (one, base) in pairs.items() if base is not None and base is not one}
    compared = {id(score): score for pair in tested.values() for score in pair}
    if any(len(score.seeds) > 1 for score in compared.values()):
        systems = {key: trainings([*map(beside, score.paths)]) for key, score in compared.items()}
        p = {key: p_over_seeds(id(one), id(base), systems) for key, (one, base) in tested.items()}
    else:
        files = {key: [beside(score.paths[0]) for score in pair] for key, pair in tested.items()}
        p = {key: paired_p_of(one, base, len(files)) for key, (one, base) in files.items()}
    single = dict.fromkeys(scores, math.nan) | p
    return {key: P(single[key], p) for key, p in holm(single).items()}


def p_over_seeds(first: Any, second: Any, systems: Mapping[Any, Trainings]) -> float:
    """Return the two-sided p-value of the difference between two systems, see ``contrast``."""
    estimate = contrast({first: 1.0, second: -1.0}, systems)
    return min(1.0, 2 * min(estimate.p_above(0), estimate.p_below(0)))


def mark_of(p: P) -> str:
    """Return the mark if the corrected p-value says that the difference is more than chance."""
    return MARK if p.corrected < 1 - LEVEL else ""


def marked(text: str, p: P) -> str:
    """Return the text, with the mark if there is one."""
    return f"{text}<sup>{MARK}</sup>" if mark_of(p) else text


def mark_notes(p: Iterable[str], base: str, score: str, runs: Sequence[Run]) -> list[str]:
    """Return the note that explains the mark; none if nothing was tested, so that all p-values are blank."""
    tested = sum(map(bool, p))
    if not tested:
        return []
    if seeds_of(runs) > 1:
        test = "t-test over seeds and sentences"
    else:
        test = "approximate randomisation of sentences, which says nothing of other seeds"
    number = f"{tested} comparisons" if tested > 1 else "one comparison"
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
