"""Table 3 as small multiples: how far each row is from base, the paper's and ours on the same axis."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from transformer.tables.cells import PAPER, Line, Table
from transformer.tables.table3 import BASE, OWN, SETTINGS

RATIO, GAIN = "×{:.2f}", "{:+.1f}"
TITLES = {
    "A": "(A) number of heads",
    "B": "(B) size of the keys",
    "C": "(C) size of the model",
    "D": "(D) dropout, label smoothing",
    "E": "(E) learned positions",
    "big": "The big model",
    OWN: "Ours only",
}


@dataclass(frozen=True)
class Distance:
    """A row's distance from base, as text and in percent of the axis; the paper's is None where it has none."""

    ours: str
    ours_at: float
    paper: str | None = None
    paper_at: float | None = None


@dataclass(frozen=True)
class Panels:
    """Title of a block → its rows: a label, and distances in perplexity (a ratio) and in BLEU (a difference)."""

    rows: Mapping[str, Sequence[tuple[str, Distance, Distance]]]
    base: tuple[float, float]  # the place of base on both axes, in percent
    ends: tuple[tuple[str, str], tuple[str, str]]  # what both axes begin and end with


def variations(table: Table | None) -> Panels | None:
    """Return the panels of Table 3; None without it."""
    if table is None:
        return None
    (base,) = (line for line in table.lines if line.name == BASE)
    others = [line for line in table.lines if line is not base]
    ratios = [_pair(line, base, "perplexity", lambda ours, other: ours / other) for line in others]
    gains = [_pair(line, base, "bleu", lambda ours, other: ours - other) for line in others]
    axes = _axis(ratios, 1), _axis(gains, 0)
    placed = [
        (_label(line), _distance(ratio, axes[0], RATIO), _distance(gain, axes[1], GAIN))
        for line, ratio, gain in zip(others, ratios, gains, strict=True)
    ]
    blocks = groupby(zip(others, placed, strict=True), key=lambda pair: pair[0].block)
    panels = {TITLES[block]: [shown for _, shown in same] for block, same in blocks}
    ends = [
        (form.format(low), form.format(high)) for form, (low, high) in zip((RATIO, GAIN), axes, strict=True)
    ]
    return Panels(panels, (_at(1, axes[0]), _at(0, axes[1])), (ends[0], ends[1]))


def _pair(
    line: Line, base: Line, column: str, compared: Callable[[float, float], float]
) -> tuple[float, float | None]:
    """Return our distance from base and the paper's."""
    ours, of_base = (of.cell(column) for of in (line, base))
    assert ours
    assert of_base
    paper, paper_base = (of.cell(column, PAPER) for of in (line, base))
    printed = compared(float(paper.value), float(paper_base.value)) if paper and paper_base else None
    return compared(ours.value, of_base.value), printed


def _axis(pairs: Sequence[tuple[float, float | None]], base: float) -> tuple[float, float]:
    """Return the ends of an axis for all distances, and for base."""
    values = [base, *(value for pair in pairs for value in pair if value is not None)]
    return min(values), max(values)


def _at(value: float, axis: tuple[float, float]) -> float:
    width = axis[1] - axis[0] or 1  # 0 if no row differs from base
    return round(100 * (value - axis[0]) / width, 2)


def _distance(pair: tuple[float, float | None], axis: tuple[float, float], form: str) -> Distance:
    ours, paper = pair
    if paper is None:
        return Distance(form.format(ours), _at(ours, axis))
    return Distance(form.format(ours), _at(ours, axis), form.format(paper), _at(paper, axis))


def _label(line: Line) -> str:
    """Return what a row changes, at the paper's size; the settings that follow from it are left out."""
    if line.block in (OWN, "big"):
        return line.name
    changed = ((head, line.cell(name, PAPER)) for name, (head, _) in SETTINGS.items())
    named = (f"{head} {cell.value}" for head, cell in changed if cell)
    return next(named, str(line.facts["positions"]))
