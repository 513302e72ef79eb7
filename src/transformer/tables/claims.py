"""Which of the paper's claims hold: each holds, fails or is undecided by our numbers, or could not be tested.

resources/claims.yaml lists the claims, and docs/claims.md explains the tests.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.artifacts import read_artifact
from transformer.common.errors import similar
from transformer.scoring.bootstrap import LEVEL
from transformer.scoring.significance import Estimate, Trainings, contrast, holm
from transformer.tables.claims_file import AVERAGE, LONGER, OURS, PERPLEXITY
from transformer.tables.literature import PAPER_PAIRS, Literature
from transformer.tables.sentence_counts import trainings

HOLDS, FAILS, UNDECIDED, UNTESTED = "holds", "fails", "undecided", "untested"
MODELS, OWN = "trained models", "rows of the user's own"  # what claims are about
ALPHA = 1 - LEVEL
POWER = 0.8
Row = dict[str, Any]


@dataclass(frozen=True)
class Tested:
    """A claim in one quantity: what was found, in units that are higher when the claim is true.

    ``estimate`` is None if a row is missing, and ``margin`` is None unless the claim is that the rows hardly differ.
    """

    claim: Mapping[str, Any]
    quantity: str = ""
    paper: float = math.nan
    estimate: Estimate | None = None
    seeds: int = 0
    margin: float | None = None
    missing: str = ""
    sides: tuple[float, float] = (math.nan, math.nan)  # p-values for the claim, and against it

    @property
    def p(self) -> float:
        """The two-sided p-value; NaN if nothing was tested."""
        return min(1.0, 2 * min(self.sides)) if not math.isnan(sum(self.sides)) else math.nan

    @property
    def about(self) -> str:
        """What the claim is about, and so the family that it is corrected and counted with."""
        return OWN if self.claim["source"] == OURS else MODELS


def lines_of(
    claims: Sequence[Mapping[str, Any]], numbers: pd.DataFrame, literature: Literature
) -> list[Tested]:
    """Return a line for each claim and quantity; ``numbers`` is what ``read_scored_rows`` read."""
    return [
        _tested(Tested(claim, quantity), systems_of(numbers, quantity, claim["rows"]), numbers, literature)
        for claim in claims
        for quantity in _quantities(claim, numbers)
    ]


def _quantities(claim: Mapping[str, Any], numbers: pd.DataFrame) -> list[str]:
    """Return the quantities of a claim.

    ``BLEU`` stands for that of each language pair in Table 2 that the paper has; if it has none of them, of each.
    """
    of_pairs = [name for name in numbers["quantity"].unique() if name.startswith("BLEU, ")]
    of_papers = [f"BLEU, {pair.upper()}" for pair in PAPER_PAIRS]
    of_pairs = [name for name in of_pairs if name in of_papers] or of_pairs
    named: list[str] = claim["quantities"]
    return [name for given in named for name in (of_pairs if given == "BLEU" and of_pairs else [given])]


def systems_of(numbers: pd.DataFrame, quantity: str, rows: Collection[str]) -> dict[str, Trainings]:
    """Return the trainings of each row of a quantity.

    Of averages, and of sentences longer than those of the training, these are only the ``rows``.
    """
    if quantity == AVERAGE:
        last = systems_of(numbers, PERPLEXITY, rows)
        return {row: trainings(paths) - last[row] for row, paths in average_files(numbers, rows).items()}
    if quantity == LONGER:
        files = last_files(numbers, rows)
        most = max((_longest(path) for paths in files.values() for path in paths), default=0)
        return {row: trainings(paths, longer_than=most) for row, paths in files.items()}
    of_quantity = numbers[numbers["quantity"] == quantity]
    return dict(zip(of_quantity["row"], of_quantity["trainings"], strict=True))


def last_files(numbers: pd.DataFrame, rows: Collection[str]) -> dict[str, list[Path]]:
    """Return the files of perplexity by sentence of these rows' last checkpoints."""
    known = numbers[(numbers["quantity"] == PERPLEXITY) & numbers["row"].isin(rows)]
    return dict(zip(known["row"], known["sentences"], strict=True))


def average_files(numbers: pd.DataFrame, rows: Collection[str]) -> dict[str, list[Path]]:
    """Return the files of these rows' averages, which lie in the folders above those of their last checkpoints.

    A row whose averages were not measured has none.
    """
    last = last_files(numbers, rows)
    above = {row: [path.parents[1] / path.name for path in paths] for row, paths in last.items()}
    return {row: paths for row, paths in above.items() if all(path.exists() for path in paths)}


def _longest(path: Path) -> int:
    """Return the most tokens of a target sentence in the training behind a last checkpoint's perplexity."""
    config = read_artifact(path.parents[1] / "config.json", "config")
    return int(config["training"]["max_length"])


def papers_rows(numbers: pd.DataFrame, quantity: str, literature: Literature) -> set[str]:
    """Return the paper's rows of a quantity, over which the variance over seeds is pooled.

    Of averages and of longer sentences there are none: they are measured for the rows of a claim only.
    """
    of_quantity = numbers[numbers["quantity"] == quantity]
    named = zip(of_quantity["table"], of_quantity["row"], strict=True)
    return {row for table, row in named if row in literature.rows.get(table, ())}


def _tested(
    line: Tested, systems: Mapping[str, Trainings], numbers: pd.DataFrame, literature: Literature
) -> Tested:
    """Return the line with what is found in the trainings of its rows."""
    sign = -1 if line.quantity.startswith("PPL") else 1
    weights = {row: sign * weight for row, weight in line.claim["rows"].items()}
    paper, within = _printed(numbers, line.quantity), line.claim.get("within", {})
    if paper.keys() >= weights.keys():
        line = replace(line, paper=math.fsum(weight * paper[row] for row, weight in weights.items()))
    if unprinted := [row for row in within if row not in paper]:
        return replace(line, missing=f"the paper has no {line.quantity} of {' and '.join(unprinted)}")
    if within:
        line = replace(line, margin=abs(math.fsum(weight * paper[row] for row, weight in within.items())))
    if absent := [row for row in weights if row not in systems]:
        needs, hint = f"needs {' and '.join(absent)}", similar(absent[0], systems)
        return replace(line, missing=f"{needs};{hint}" if hint else needs)
    estimate = contrast(weights, systems, papers_rows(numbers, line.quantity, literature))
    seeds = min(len(systems[row].values) for row in weights)
    return replace(line, estimate=estimate, seeds=seeds, sides=_sides(estimate, line))


def _printed(numbers: pd.DataFrame, quantity: str) -> dict[str, float]:
    """Return the paper's numbers of a quantity by row, perplexity as its logarithm."""
    rows = numbers[(numbers["quantity"] == quantity) & (numbers["paper"] != "")]
    values = rows["paper"].astype(float)
    return dict(zip(rows["row"], values.map(math.log) if quantity.startswith("PPL") else values, strict=True))


def _sides(estimate: Estimate, line: Tested) -> tuple[float, float]:
    """Return the p-values for a claim and against it: of a difference, or of one within the margin and beyond it."""
    if line.margin is None:
        return estimate.p_above(0), estimate.p_below(0)
    near = max(estimate.p_above(-line.margin), estimate.p_below(line.margin))
    return near, min(estimate.p_above(line.margin), estimate.p_below(-line.margin))


def verdicts(lines: Sequence[Tested]) -> list[tuple[str, float]]:
    """Return each verdict, and the p-value that it follows from, corrected for the number of those tested.

    The user's own claims are corrected by themselves.
    """
    corrected: dict[int, float] = {}
    for is_own in (False, True):
        corrected |= holm({n: line.p for n, line in enumerate(lines) if (line.about == OWN) is is_own})
    return [(_verdict(line, corrected[number]), corrected[number]) for number, line in enumerate(lines)]


def _verdict(line: Tested, p: float) -> str:
    if math.isnan(p):
        return UNTESTED
    if p >= ALPHA:
        return UNDECIDED
    return HOLDS if line.sides[0] < line.sides[1] else FAILS


def rows_of(lines: Sequence[Tested]) -> list[Row]:
    """Return what the table and its CSV file say of each line.

    Effects are numbers, in points of BLEU and F1, and of perplexity as ratios.
    """
    tested = Counter(line.about == OWN for line in lines if not math.isnan(line.p))
    rows = [
        _row(line, verdict, p, tested[line.about == OWN] or 1)
        for line, (verdict, p) in zip(lines, verdicts(lines), strict=True)
    ]
    return [row | {"claim_verdict": _of_claim(row["claim"], rows)} for row in rows]


def _of_claim(claim: str, rows: Sequence[Row]) -> str:
    """Return the verdict on a claim: it holds if it holds in each of its quantities, and fails if it fails in any."""
    found = {row["verdict"] for row in rows if row["claim"] == claim}
    if FAILS in found:
        return FAILS
    return found.pop() if len(found) == 1 else UNDECIDED


def _row(line: Tested, verdict: str, p: float, tests: int) -> Row:
    def effect(value: float) -> float:
        return math.exp(value) if line.quantity.startswith("PPL") else value

    row: Row = {
        **{name: line.claim[name] for name in ("claim", "source")},
        "about": line.about,
        "quantity": line.quantity,
        "verdict": verdict,
        "paper": None if math.isnan(line.paper) else effect(line.paper),
        "ours": None,
        "p": line.p,
        "p_holm": p,
        "needed": line.missing,
    }
    if line.estimate is None:
        return row
    row |= {"ours": effect(line.estimate.value), "seeds": line.seeds}
    if math.isnan(line.estimate.sentence_degrees):
        return row | {"needed": "more test sentences than one"}
    row["sentences"] = int(line.estimate.sentence_degrees) + 1
    if math.isnan(line.estimate.error):
        return row | {"needed": "more seeds: seeds=[1,2,3]"}
    low, high = line.estimate.interval(1 - ALPHA / tests)
    row |= {"low": effect(low), "high": effect(high)}
    if line.margin is None:
        row["detectable"] = effect(line.estimate.detectable(ALPHA / tests, POWER))
    return row


def summary(rows: Sequence[Row]) -> str:
    """Return how many claims have each verdict, each claim counted once whatever the number of its lines."""
    sentences = []
    for about in (MODELS, OWN):
        verdicts = {row["claim"]: row["claim_verdict"] for row in rows if row["about"] == about}
        counts = Counter(verdicts.values())
        numbers = ", ".join(f"{verdict} {counts[verdict]}" for verdict in (HOLDS, FAILS, UNDECIDED, UNTESTED))
        sentences += [f"{len(verdicts)} claims about {about}: {numbers}"] if verdicts else []
    return "; ".join(sentences)
