"""The score of each row of a table, over the seeds of its trainings, and whether it differs from base's.

Single trainings are compared by the counts of each sentence, from which BLEU or F1 is computed again on resampled test
sets.  They are in a CSV file beside the scores: ``scores.csv`` beside ``scores.json``, likewise ``parses.csv`` and
``perplexity.csv``.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from transformer.common.checksums import AGAIN, check_sha256
from transformer.common.errors import UserError, reading
from transformer.common.json_artifacts import Kind, read_artifact
from transformer.scoring.bootstrap import LEVEL, resampled_scores
from transformer.scoring.multi_bleu import COUNTS, multi_bleu
from transformer.scoring.perplexity import perplexity
from transformer.scoring.significance import Seeds, holm, paired_p, welch_p
from transformer.tables.runs import Run
from transformer.tables.table import four_decimals, traced

MARK = "†"
BRACKETS = ["matched", "gold", "predicted"]  # the counts that F1 is computed from


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
        """Return the cells ``scores`` and ``scores_sha256``, with ``end`` behind the names; blanks join seeds."""
        return {f"scores{end}": " ".join(self.paths), f"scores_sha256{end}": " ".join(self.sha256s)}

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
    """Return the p-values of the difference between each score and its base, corrected for their number."""
    single = {key: p_of_difference(score, bases[key]) for key, score in scores.items()}
    return {key: P(single[key], p) for key, p in holm(single).items()}


def p_of_difference(score: Score, base: Score | None) -> float:
    """Return the p-value of the difference between two scores on the same test set.

    Single trainings are tested on the sentences of the test set, several seeds by Welch's t-test.  It is NaN for base
    itself, and where there is no base or only one of the two has several seeds.
    """
    if base is None or base is score:
        return math.nan
    counts = {len(one.seeds) for one in (score, base)}
    if counts == {1}:
        return paired_p_of(*(Path(one.paths[0]).with_suffix(".csv") for one in (score, base)))
    if 1 in counts:
        return math.nan
    return welch_p(*(Seeds(one.value, one.sd, len(one.seeds)) for one in (score, base)))


def read_sentences(path: Path) -> tuple[np.ndarray, Callable[[np.ndarray], float]]:
    """Read the counts of each sentence (sentences, columns); return the score as a function of their sum, too.

    Raises UserError when they are not those whose sha256 the scores beside them have.
    """
    beside = path.with_suffix(".json")
    kinds: dict[str, Kind] = {"parses": "parses", "perplexity": "perplexity"}
    kind = kinds.get(path.stem, "scores")
    scores = read_artifact(beside, kind)
    with reading(path, AGAIN, "no counts of sentences"):
        check_sha256(path, scores["per_sentence"]["sha256"], beside)
        if kind == "perplexity":  # of Table 3, on the development set
            rows = pd.read_csv(path)
            rows = rows[rows["split"] == "dev"]
            # In whole millionths of a nat, whose sums do not depend on their order.
            counts = {"nll": (1e6 * rows["nll"]).round(), "tokens": rows["tokens"]}
            return pd.DataFrame(counts).to_numpy(dtype=np.int64), _perplexity
        rows = pd.read_csv(path, dtype=np.int64)
        if kind == "scores":
            return rows[list(COUNTS)].to_numpy(), lambda sums: multi_bleu(sums).value
        valid = (rows["status"] == 0).to_numpy()  # as EVALB, which leaves out the others
        return rows[BRACKETS].to_numpy() * valid[:, None], _f1


def resampled(path: Path) -> np.ndarray:
    """Return BLEU or F1 on resampled test sets (samples,), the same samples for all files of as many sentences."""
    return resampled_scores(*read_sentences(path))


def paired_p_of(first: Path, second: Path) -> float:
    """Return the p-value of the difference between two files of sentences of the same test set."""
    (one, score), (other, _) = read_sentences(first), read_sentences(second)
    if len(one) != len(other):
        raise UserError(
            f"{first} has {len(one)} sentences, but {second} has {len(other)}; "
            "score both runs again on one test set"
        )
    return paired_p(one, other, score)


def _perplexity(sums: np.ndarray) -> float:
    nll, tokens = sums.tolist()
    return perplexity(nll / 1e6, tokens)


def _f1(sums: np.ndarray) -> float:
    matched, gold, predicted = sums.tolist()
    return 200.0 * matched / (gold + predicted) if gold + predicted else 0.0


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
        test = "Welch's t-test over seeds"
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
