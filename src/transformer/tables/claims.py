"""Which of the paper's claims hold: each holds, fails or is undecided by our numbers, or could not be tested.

resources/claims.yaml lists the claims, and docs/claims.md explains the tests.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from transformer.common.artifacts import read_artifact
from transformer.common.errors import similar
from transformer.scoring.bootstrap import LEVEL
from transformer.scoring.significance import Estimate, Trainings, contrast, holm
from transformer.tables.claims_file import AVERAGE, LONGER, OURS, PERPLEXITY
from transformer.tables.literature import PAPER_PAIRS, Literature
from transformer.tables.scored_rows import ScoredRow
from transformer.tables.sentence_counts import trainings

HOLDS, FAILS, UNDECIDED, UNTESTED = "holds", "fails", "undecided", "untested"
MODELS, OWN = "trained models", "rows of the user's own"  # what claims are about
ALPHA = 1 - LEVEL
POWER = 0.8


@dataclass(frozen=True)
class Judgement:
    """A claim in one quantity, and what was found.

    ``effect`` is the paper's, and ``estimate`` ours, both in units that are higher when the claim is true: BLEU, F1, or
    the logarithm of perplexity with the other sign.  ``estimate`` is None if a row is missing, and ``margin`` is None
    unless the claim is that the rows hardly differ.  ``tests`` are those that it is corrected with.
    """

    claim: Mapping[str, Any]
    quantity: str
    effect: float = math.nan
    estimate: Estimate | None = None
    seeds: int = 0
    margin: float | None = None
    missing: str = ""
    tests: int = 1
    p_holm: float = math.nan

    @property
    def about(self) -> str:
        """What the claim is about, and so the family that it is corrected and counted with."""
        return OWN if self.claim["source"] == OURS else MODELS

    @property
    def is_ratio(self) -> bool:
        """Whether effects are ratios of perplexities, and not differences in points."""
        return self.quantity.startswith("PPL")

    @property
    def sides(self) -> tuple[float, float]:
        """The p-values for the claim and against it: of a difference, or of one within the margin and beyond it."""
        if self.estimate is None:
            return math.nan, math.nan
        if self.margin is None:
            return self.estimate.p_above(0), self.estimate.p_below(0)
        near = max(self.estimate.p_above(-self.margin), self.estimate.p_below(self.margin))
        return near, min(self.estimate.p_above(self.margin), self.estimate.p_below(-self.margin))

    @property
    def p(self) -> float:
        """The two-sided p-value; NaN if nothing was tested."""
        return min(1.0, 2 * min(self.sides)) if not math.isnan(sum(self.sides)) else math.nan

    @property
    def verdict(self) -> str:
        if math.isnan(self.p_holm):
            return UNTESTED
        if self.p_holm >= ALPHA:
            return UNDECIDED
        return HOLDS if self.sides[0] < self.sides[1] else FAILS

    @property
    def needed(self) -> str:
        """What an untested claim lacks."""
        if self.estimate is None:
            return self.missing
        if self.sentences is None:
            return "more test sentences than one"
        return "more seeds: seeds=[1,2,3]" if math.isnan(self.estimate.error) else ""

    @property
    def sentences(self) -> int | None:
        degrees = self.estimate.sentence_degrees if self.estimate else math.nan
        return None if math.isnan(degrees) else int(degrees) + 1

    @property
    def ours(self) -> float | None:
        return self.estimate.value if self.estimate else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval of our effect that holds together with those of all other tests."""
        if self.estimate is None or self.needed:
            return None
        return self.estimate.interval(1 - ALPHA / self.tests)

    @property
    def detectable(self) -> float | None:
        """The smallest true effect that would be found with a probability of ``POWER``."""
        if self.estimate is None or self.needed or self.margin is not None:
            return None
        return self.estimate.detectable(ALPHA / self.tests, POWER)


def judge(
    claims: Sequence[Mapping[str, Any]], rows: Sequence[ScoredRow], literature: Literature
) -> list[Judgement]:
    """Return each claim in each of its quantities, tested on our rows; the user's own are corrected by themselves."""
    judgements = [
        _judgement(claim, quantity, rows, literature)
        for claim in claims
        for quantity in _quantities(claim, rows)
    ]
    for about in (MODELS, OWN):
        corrected = holm({n: of.p for n, of in enumerate(judgements) if of.about == about})
        tests = sum(not math.isnan(p) for p in corrected.values()) or 1
        for n, p in corrected.items():
            judgements[n] = replace(judgements[n], p_holm=p, tests=tests)
    return judgements


def _quantities(claim: Mapping[str, Any], rows: Sequence[ScoredRow]) -> list[str]:
    """Return the quantities of a claim.

    ``BLEU`` stands for that of each language pair in Table 2 that the paper has; if it has none of them, of each.
    """
    of_pairs = dict.fromkeys(row.quantity for row in rows if row.quantity.startswith("BLEU, "))
    of_papers = [f"BLEU, {pair.upper()}" for pair in PAPER_PAIRS]
    bleu = [name for name in of_pairs if name in of_papers] or list(of_pairs) or ["BLEU"]
    return [name for given in claim["quantities"] for name in (bleu if given == "BLEU" else [given])]


def _judgement(
    claim: Mapping[str, Any], quantity: str, rows: Sequence[ScoredRow], literature: Literature
) -> Judgement:
    """Return a claim in one quantity with what is found in the trainings of its rows."""
    judged = Judgement(claim, quantity)
    weights = {row: -weight if judged.is_ratio else weight for row, weight in claim["rows"].items()}
    of_quantity = [row for row in rows if row.quantity == quantity]
    paper = {row.row: row.paper for row in of_quantity if row.paper is not None}
    if judged.is_ratio:
        paper = {row: math.log(value) for row, value in paper.items()}
    if paper.keys() >= weights.keys():
        effect = math.fsum(weight * paper[row] for row, weight in weights.items())
        judged = replace(judged, effect=effect)
    if within := claim.get("within"):
        if absent := [row for row in within if row not in paper]:
            return replace(judged, missing=f"the paper has no {quantity} of {' and '.join(absent)}")
        margin = abs(math.fsum(weight * paper[row] for row, weight in within.items()))
        judged = replace(judged, margin=margin)
    systems = systems_of(rows, quantity, weights)
    if absent := [row for row in weights if row not in systems]:
        needs, hint = f"needs {' and '.join(absent)}", similar(absent[0], systems)
        return replace(judged, missing=f"{needs};{hint}" if hint else needs)
    # Of averages and of longer sentences no row of the paper's is pooled: they are measured for a claim's rows only.
    papers = {row.row for row in of_quantity if row.row in literature.rows.get(row.table, ())}
    seeds = min(len(systems[row].values) for row in weights)
    return replace(judged, estimate=contrast(weights, systems, papers), seeds=seeds)


def systems_of(rows: Sequence[ScoredRow], quantity: str, named: Collection[str]) -> dict[str, Trainings]:
    """Return the trainings of each row of a quantity.

    Of averages, and of sentences longer than those of the training, these are only the ``named`` rows.
    """
    last = [row for row in rows if row.quantity == PERPLEXITY and row.row in named]
    if quantity == AVERAGE:
        return {
            row.row: trainings(_above(row)) - row.trainings
            for row in last
            if all(map(Path.exists, _above(row)))
        }
    if quantity == LONGER:
        most = max((_longest(path) for row in last for path in row.files), default=0)
        return {row.row: trainings(row.files, longer_than=most) for row in last}
    return {row.row: row.trainings for row in rows if row.quantity == quantity}


def _above(row: ScoredRow) -> list[Path]:
    """Return the files of a row's averages, which lie in the folders above those of its last checkpoints."""
    return [path.parents[1] / path.name for path in row.files]


def _longest(path: Path) -> int:
    """Return the most tokens of a target sentence in the training behind a last checkpoint's perplexity."""
    config = read_artifact(path.parents[1] / "config.json", "config")
    return int(config["training"]["max_length"])


def verdict_of(claim: str, judgements: Sequence[Judgement]) -> str:
    """Return the verdict on a claim: it holds if it holds in each of its quantities, and fails if it fails in any."""
    verdicts = {of.verdict for of in judgements if of.claim["claim"] == claim}
    if FAILS in verdicts:
        return FAILS
    return verdicts.pop() if len(verdicts) == 1 else UNDECIDED


def summary(judgements: Sequence[Judgement]) -> str:
    """Return how many claims have each verdict, each claim counted once whatever the number of its quantities."""
    sentences = []
    for about in (MODELS, OWN):
        claims = dict.fromkeys(of.claim["claim"] for of in judgements if of.about == about)
        counts = Counter(verdict_of(claim, judgements) for claim in claims)
        numbers = ", ".join(f"{verdict} {counts[verdict]}" for verdict in (HOLDS, FAILS, UNDECIDED, UNTESTED))
        sentences += [f"{len(claims)} claims about {about}: {numbers}"] if claims else []
    return "; ".join(sentences)
