"""Which of the paper's claims hold: each is tested on our numbers, and holds, fails or is undecided.

resources/claims.yaml lists the claims, and docs/claims.md explains the tests.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.scoring.bootstrap import LEVEL
from transformer.scoring.significance import Estimate, Trainings, contrast, holm
from transformer.tables.counted_claims import FUNCTIONS, Found, Measured
from transformer.tables.sentence_counts import trainings
from transformer.tables.table import csv_frame, four_decimals

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
ALPHA = 1 - LEVEL
POWER = 0.8
Row = dict[str, Any]
MOST_SEEDS = 100  # a difference that needs more is left open
PERPLEXITY, AVERAGE = "PPL (dev)", "PPL (dev), average"
COLUMNS = (
    "claim source quantity verdict paper ours low high p p_holm detectable seeds needed scale note".split()
)


@dataclass
class Line:
    """A claim in one quantity: what was found, in units that are higher when the claim is true.

    ``estimate`` is None if no row or no second seed decides it, and ``margin`` is None unless the claim is that the
    rows hardly differ.  ``beyond`` is what the claim says that the score exceeds.
    """

    claim: Mapping[str, Any]
    quantity: str = ""
    paper: float = math.nan
    estimate: Estimate | None = None
    seeds: int = 0
    margin: float | None = None
    found: Found | None = None
    missing: str = ""
    sides: tuple[float, float] = (math.nan, math.nan)  # p-values for the claim, and against it

    @property
    def p(self) -> float:
        """The two-sided p-value; NaN if nothing was tested."""
        return min(1.0, 2 * min(self.sides)) if not math.isnan(sum(self.sides)) else math.nan

    @property
    def beyond(self) -> float:
        return float(self.claim.get("beyond", 0))


def read_lines_of(
    claims: Sequence[Mapping[str, Any]], numbers: pd.DataFrame, corpora: Sequence[str], measured: Measured
) -> list[Line]:
    """Return a line for each claim and quantity; ``numbers`` is what ``read_comparison`` read."""
    lines = []
    for claim in claims:
        if "needs" in claim:
            lines.append(Line(claim, missing=claim["needs"]))
            continue
        if "function" in claim:
            found = FUNCTIONS[claim["function"]](measured)
            sides = (found.p, 1 - found.p) if found else (math.nan, math.nan)
            missing = "" if found else "not measured at this scale"
            lines.append(Line(claim, found=found, missing=missing, sides=sides))
            continue
        for quantity in claim["quantities"]:
            if "test_set" in claim and not any(claim["test_set"] in corpus for corpus in corpora):
                lines.append(Line(claim, quantity, missing=f"only {claim['test_set']} tells"))
            else:
                lines.append(_tested(Line(claim, quantity), systems_of(numbers, quantity), numbers))
    return lines


def systems_of(numbers: pd.DataFrame, quantity: str) -> dict[str, Trainings]:
    """Return the trainings of each row of a quantity of which they are known."""
    printed = PERPLEXITY if quantity == AVERAGE else quantity
    rows = numbers[(numbers["quantity"] == printed) & numbers["trainings"].notna()].set_index("row")
    systems: dict[str, Trainings] = dict(rows["trainings"])
    if quantity != AVERAGE:
        return systems
    files = {row: [Path(path) for path in paths.split()] for row, paths in rows["sentences"].items()}
    # The average lies in the folder above the last checkpoint's, if it was made and scored.
    averages = {str(row): [path.parents[1] / path.name for path in paths] for row, paths in files.items()}
    made = {row: paths for row, paths in averages.items() if all(path.exists() for path in paths)}
    return {row: trainings(paths) - systems[row] for row, paths in made.items()}


def _tested(line: Line, systems: Mapping[str, Trainings], numbers: pd.DataFrame) -> Line:
    """Return the line with what is found in the trainings of its rows."""
    sign = -1 if line.quantity.startswith("PPL") else 1
    weights = {row: sign * weight for row, weight in line.claim["rows"].items()}
    paper = _printed(numbers, line.quantity)
    if all(row in paper for row in weights):
        line.paper = sum(weight * paper[row] for row, weight in weights.items())
    if (within := line.claim.get("within")) and all(row in paper for row in within):
        line.margin = abs(sum(weight * paper[row] for row, weight in within.items()))
    if absent := [row for row in weights if row not in systems]:
        return replace(line, missing=f"needs {' and '.join(absent)}")
    estimate = contrast(weights, systems)
    seeds = min(len(systems[row].values) for row in weights)
    return replace(line, estimate=estimate, seeds=seeds, sides=_sides(estimate, line))


def _printed(numbers: pd.DataFrame, quantity: str) -> dict[str, float]:
    """Return the paper's figures of a quantity by row, perplexity as its logarithm."""
    rows = numbers[numbers["quantity"] == quantity]
    values = rows["paper"].astype(float)
    return dict(zip(rows["row"], values.map(math.log) if quantity.startswith("PPL") else values, strict=True))


def _sides(estimate: Estimate, line: Line) -> tuple[float, float]:
    """Return the p-values for a claim and against it: of a difference, or of one within the margin and beyond it."""
    if line.margin is None:
        return estimate.p_above(line.beyond), estimate.p_below(line.beyond)
    near = max(estimate.p_above(-line.margin), estimate.p_below(line.margin))
    far = 2 * min(estimate.p_above(line.margin), estimate.p_below(-line.margin))
    return near, min(1.0, far)


def verdicts(lines: Sequence[Line]) -> list[tuple[str, float]]:
    """Return each verdict, and the p-value that it follows from, corrected for the number of those tested."""
    corrected = holm({number: line.p for number, line in enumerate(lines)})
    return [(_verdict(line, corrected[number]), corrected[number]) for number, line in enumerate(lines)]


def _verdict(line: Line, p: float) -> str:
    if line.found and math.isnan(line.found.p):
        return HOLDS if line.found.holds else FAILS
    if not p < ALPHA:
        return UNDECIDED
    return HOLDS if line.sides[0] < line.sides[1] else FAILS


def rows_of(lines: Sequence[Line]) -> list[Row]:
    """Return what the table and its CSV file say of each line."""
    tests = sum(not math.isnan(line.p) for line in lines) or 1
    return [
        _texts(line, verdict, p, tests) for line, (verdict, p) in zip(lines, verdicts(lines), strict=True)
    ]


def _texts(line: Line, verdict: str, p: float, tests: int) -> Row:
    show = _ratio if line.quantity.startswith("PPL") else _points
    row: Row = {
        **{name: line.claim[name] for name in ("claim", "source")},
        "quantity": line.quantity,
        "verdict": verdict,
        "paper": "" if math.isnan(line.paper) else show(line.paper, line),
        "ours": line.found.text if line.found else "",
        "p": line.p,
        "p_holm": p,
        "needed": line.missing,
    }
    if line.estimate is None:
        return row
    row |= {"ours": show(line.estimate.value, line), "seeds": line.seeds}
    if math.isnan(line.estimate.error):
        return row | {"needed": "more seeds: seeds=[1,2,3]"}
    low, high = line.estimate.interval(1 - ALPHA / tests)
    row |= {"low": show(low, line), "high": show(high, line)}
    row["detectable"] = show(line.beyond + line.estimate.detectable(ALPHA / tests, POWER), line)
    if verdict == UNDECIDED:
        row["needed"] = needed(line, tests)
    return row


def _points(value: float, line: Line) -> str:
    return f"{value:.1f}" if line.beyond else f"{value:+.1f}"


def _ratio(value: float, line: Line) -> str:
    return f"×{math.exp(value):.3f}"


def needed(line: Line, tests: int) -> str:
    """Return how many seeds would decide a claim with a probability of ``POWER`` if our estimate were the truth."""
    estimate = line.estimate
    assert estimate is not None
    if line.margin is None:
        distance = abs(estimate.value - line.beyond)
    else:
        distance = abs(line.margin - abs(estimate.value))
    for seeds in range(line.seeds + 1, MOST_SEEDS + 1):
        if estimate.with_seeds(seeds / line.seeds).detectable(ALPHA / tests, POWER) <= distance:
            return f"about {seeds} seeds"
    return "longer training or more test sentences: the difference is near chance"


def table_data(rows: Sequence[Row], scale: str, note: str) -> pd.DataFrame:
    """Return the CSV file."""
    p = ({name: four_decimals(row[name]) for name in ("p", "p_holm")} for row in rows)
    return csv_frame(
        [row | figures | {"scale": scale, "note": note} for row, figures in zip(rows, p, strict=True)],
        COLUMNS,
    )


def counts_of(rows: Sequence[Row]) -> Iterator[str]:
    """Yield ``12 hold``, ``3 fail`` and ``9 are undecided``."""
    for verdict, text in ((HOLDS, "hold"), (FAILS, "fail"), (UNDECIDED, "are undecided")):
        yield f"{sum(row['verdict'] == verdict for row in rows)} {text}"
