"""A table as it was printed (``.md``) and its values (``.csv``), joined into cells that a page can show.

The rows of both files are in the same order.
"""

import html
import math
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePosixPath

import pandas as pd

from transformer.page.chains import Chains

Values = Mapping[str, str]  # a row of the CSV file
Head = tuple[str, str]  # EN-DE, and below it paper
Score = tuple[float, float, float]  # the lower end of the interval, the value, the upper end
FLOPS = "counted FLOPs"
CLAIM = ("", "claim")
PLOT = "plot"  # the head of a column that draws the intervals of the one before it
UNCONSTRAINED = "unconstrained.json"
OTHER_MEASURES = ("sequential_operations", "path_length")
LAYER_MEASURES = {
    "Complexity per layer": "flops",
    "Sequential operations": "sequential_operations",
    "Maximum path length": "path_length",
}


@dataclass(frozen=True)
class Plot:
    """A score and its interval in percent of the width of an axis."""

    at: float
    low: float
    high: float


@dataclass(frozen=True)
class Cell:
    """What a cell says.  ``chain`` is the index of what is behind a number of ours; ``rest`` follows the number."""

    text: str = ""
    rest: str = ""
    chain: int | None = None
    plot: Plot | None = None


@dataclass(frozen=True)
class Block:
    """Rows on the same test set.  ``axis`` has a cell for each column: below plots, the ends of their axis."""

    title: str
    rows: Sequence[Sequence[Cell]]
    axis: Sequence[tuple[int, int] | None]


@dataclass(frozen=True)
class Printed:
    """A table: its title, what its numbers are of, both heads of each column, its rows, the paragraphs around it."""

    title: str
    warning: str
    heads: Sequence[tuple[str, str]]
    blocks: Sequence[Block]
    notes: Sequence[str]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """Return the upper heads with the number of columns that each spans."""
        return [(name, len(list(same))) for name, same in groupby(upper for upper, _ in self.heads)]


def read_printed(table: Path, chains: Chains) -> Printed | None:
    """Return a table, given its path without a suffix, or None if it has not been made."""
    if not table.with_suffix(".md").exists():
        return None
    texts, names, rows = _markdown(table.with_suffix(".md").read_text(encoding="utf-8"))
    values = [row for row in read_values(table.with_suffix(".csv")) if _is_printed(row)]
    paired = list(zip(rows, values, strict=True))
    heads = _heads(names)
    plotted = [any(_score(head, row) for row in values) for head in heads]
    blocks = [
        _block(heads, plotted, list(same), chains)
        for _, same in groupby(paired, key=lambda pair: pair[1].get("origin"))
    ]
    shown: list[Head] = []
    for head, has_plot in zip(heads, plotted, strict=True):
        shown += [head, (head[0], PLOT)] if has_plot else [head]
    title, *notes = texts
    warning = notes.pop(0) if notes[0].startswith("**") else ""
    return Printed(
        title.removeprefix("# "), warning.removeprefix("**").removesuffix("**"), shown, blocks, notes
    )


def read_values(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file, with all values as text; none if there is no file."""
    if not path.exists():
        return []
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    return [{str(name): str(value) for name, value in row.items()} for row in frame.to_dict("records")]


def _is_printed(row: Values) -> bool:
    """Return whether a row is printed: one for each layer of Table 1, and constrained decoding in Table 4."""
    return row.get("measure") not in OTHER_MEASURES and not row.get("scores", "").rstrip("'").endswith(
        UNCONSTRAINED
    )


def inline(text: str) -> str:
    """Return a cell or paragraph of Markdown as HTML: bold type, code, raised signs, and names such as d_k.

    >>> inline("**28.4**<sup>a</sup> < n^2 d_k")
    '<strong>28.4</strong><sup>a</sup> &lt; n<sup>2</sup> d<sub>k</sub>'
    """
    text = html.escape(text.replace(r"\|", "|").replace("&lt;", "<"), quote=False)
    for pattern, replacement in (
        (r"&lt;(/?sup)&gt;", r"<\1>"),
        (r"\*\*(.+?)\*\*", r"<strong>\1</strong>"),
        (r"`(.+?)`", r"<code>\1</code>"),
        (r"\^(-?\d+(?:\.\d+)?)", r"<sup>\1</sup>"),
        (r"\b(d|P|log|eps)_(model|drop|ff|ls|k|v)\b", r"\1<sub>\2</sub>"),
        (r"\beps<", "ε<"),
    ):
        text = re.sub(pattern, replacement, text)
    return text


def _markdown(page: str) -> tuple[list[str], list[str], list[list[str]]]:
    """Return the paragraphs, the heads and the rows of a page with one table."""
    lines = [line for line in page.splitlines() if line]
    table = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines if line[0] == "|"]
    heads, _, *rows = ([cell.strip() for cell in row] for row in table)
    return [line for line in lines if line[0] != "|"], heads, rows


def _heads(names: Sequence[str]) -> list[Head]:
    """Return ``EN-DE, paper`` as an upper and a lower head; the upper one is also that of names without one behind it.

    >>> _heads(["Model", "params, paper", "ours"])
    [('', 'Model'), ('params', 'paper'), ('params', 'ours')]
    """
    heads: list[Head] = []
    for name in names:
        upper, _, lower = name.rpartition(", ")
        heads.append((upper or (heads[-1][0] if heads else ""), lower))
    return heads


def _block(
    heads: Sequence[Head],
    plotted: Sequence[bool],
    rows: Sequence[tuple[Sequence[str], Values]],
    chains: Chains,
) -> Block:
    """Return the rows of one origin, the paper's or ours, with a cell more behind each score that is plotted."""
    shown: list[list[Cell]] = [[] for _ in rows]
    axis: list[tuple[int, int] | None] = []
    for number, (head, has_plot) in enumerate(zip(heads, plotted, strict=True)):
        axis.append(None)
        for line, (cells, row) in zip(shown, rows, strict=True):
            line.append(
                _cell(_said(head, cells[number], row), _chain(head, row, chains) if cells[number] else None)
            )
        if has_plot:
            scores = [_score(head, row) for _, row in rows]
            axis.append(_axis(scores))
            for line, score in zip(shown, scores, strict=True):
                line.append(Cell(plot=_placed(score, axis[-1])))
    return Block(_title(rows[0][1]), shown, axis)


def _said(head: Head, text: str, row: Values) -> str:
    """Return what a cell says by itself: a claim is not left out for a second quantity, since rows can be sorted."""
    return row.get("claim", text) if head == CLAIM else text.replace(", ours,", ",")


def _cell(text: str, chain: int | None) -> Cell:
    """Return a cell; behind a number of ours, its interval and its marks are no part of the number."""
    if chain is None:
        return Cell(text)
    end = min((at for at in (text.find(" ["), text.find("<sup>")) if at > 0), default=len(text))
    return Cell(text[:end], text[end:], chain)


def _title(row: Values) -> str:
    """Return what a block's scores are of; a table without the paper's rows has one block, without a title."""
    whose = {"": "", "ours": "Ours: "}.get(row.get("origin", ""), "The paper: ")
    return whose and whose + (row.get("corpus") or row.get("treebank", ""))


def _chain(head: Head, row: Values, chains: Chains) -> int | None:
    """Return the index of what is behind a cell, or None if it is not a number of ours."""
    upper, lower = head
    if "layers" in row and lower == "measured":
        measure = LAYER_MEASURES[upper]
        return chains.add(
            [row["layers"]], lambda number: (number["layer"], number["measure"]) == (row["layer"], measure)
        )
    pair = upper if upper != FLOPS else lower
    scores = [
        PurePosixPath(path)
        for path in shlex.split(row.get(f"scores_{pair.lower()}") or row.get("scores", ""))
    ]
    if upper == FLOPS:
        paths, measures = [path.with_name("training.json") for path in scores], {"training_flops"}
    elif lower != "ours":
        return None
    elif upper.startswith("params"):
        paths, measures = [path.parents[1] / "training.json" for path in scores], {"parameters"}
    elif upper == "PPL":
        paths, measures = [path.with_name("perplexity.json") for path in scores], {"perplexity"}
    else:
        paths, measures = scores, {"f1", "sacrebleu"}
        if row.get("measure") != "sacreBLEU":
            measures |= {"multi_bleu", "multi_bleu_split"}
    return chains.add([str(path) for path in paths], lambda number: number["measure"] in measures)


def _score(head: Head, row: Values) -> Score | None:
    """Return a score with its interval, of several seeds with one standard deviation to both sides."""
    upper, lower = head
    name = next((name for name in (f"bleu_{upper.lower()}", upper.lower()) if row.get(name)), None)
    if lower != "ours" or name is None:
        return None
    value = float(row[name])
    spread = float(row.get(f"{name}_sd") or 0)
    low, high = (
        float(row.get(f"{name}_{end}") or value + sign * spread) for end, sign in (("low", -1), ("high", 1))
    )
    return low, value, high


def _axis(scores: Sequence[Score | None]) -> tuple[int, int] | None:
    """Return the ends of an axis for scores, or None if there are none."""
    known = [score for score in scores if score]
    if not known:
        return None
    return math.floor(min(low for low, _, _ in known)), math.ceil(max(high for _, _, high in known))


def _placed(score: Score | None, axis: tuple[int, int] | None) -> Plot | None:
    if score is None or axis is None:
        return None
    low, at, high = (round(100 * (value - axis[0]) / max(axis[1] - axis[0], 1), 2) for value in score)
    return Plot(at, low, high)
