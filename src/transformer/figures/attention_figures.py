"""Figures 3, 4 and 5, and the same for the decoder: lines between words, whose opacity is the attention weight."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.textpath import TextPath
from numpy.typing import NDArray

from transformer.common.artifacts import read_artifact
from transformer.figures.style import COLUMN, FULL, colour, inches, render

# All lengths are in inches.
ROW = 0.155  # from word to word
HEADER = 0.44  # above the words
MARGIN = 0.08  # around a panel, and between words and lines
WIDEST = 1.1  # column of words; longer words are written smaller
CELL, MARKS = 0.07, 0.6  # width of a mark that shows one head's weight of a word; maximum width of all marks
BESIDE = 0.016  # from one head's line to the next; on top of each other, their colours would mix
FAINT = 1 / 256  # the smallest visible weight

Weights = NDArray[np.float64]  # (h, T, S): head, query, key


@dataclass(frozen=True)
class Panel:
    """Two columns of words, and lines from all queries, or from one query, to the keys."""

    title: str
    queries: Sequence[str]
    keys: Sequence[str]
    weights: Weights  # (h, T, S)
    heads: Sequence[int]
    query: int | None = None  # the only query whose lines are drawn

    @property
    def height(self) -> float:
        return HEADER + ROW * max(len(self.queries), len(self.keys)) + MARGIN


def plot_attention(inputs: Sequence[Path], stem: Path) -> None:
    """Write the figures from attention.json beside ``stem``."""
    attention = read_artifact(inputs[0], "attention")
    for name, panels in attention_figures(attention["sentences"]).items():
        width = COLUMN if len(panels) == 1 else FULL
        height = max(panel.height for panel in panels)
        words = "".join(word for panel in panels for word in (*panel.queries, *panel.keys))
        render(stem.with_name(name), width, height, partial(_draw, panels=panels), words)


def attention_figures(sentences: Mapping[str, Any]) -> dict[str, list[Panel]]:
    """Return the panels of each figure, with the heads that the rules choose (docs/figures.md)."""
    far, near = sentences["long_distance"], sentences["anaphora"]
    panel = _layer(far, "encoder")
    figures = {"attention_long_distance": [replace(panel, query=panel.queries.index(far["word"]))]}
    panel = _layer(near, "encoder")
    word = panel.queries.index(near["word"])
    heads = strongest(panel.weights, word, panel.keys.index(near["antecedent"]))
    figures["attention_anaphora"] = [
        replace(panel, heads=heads[:1]),
        replace(panel, heads=heads, query=word),
    ]
    for name, kind in (("structure", "encoder"), ("decoder", "decoder"), ("cross", "cross")):
        panel = _layer(near, kind)
        figures[f"attention_{name}"] = [replace(panel, heads=[head]) for head in least_alike(panel.weights)]
    return figures


TITLES = {
    "encoder": "Encoder self-attention",
    "decoder": "Decoder self-attention",
    "cross": "Encoder-decoder attention",
}


def _layer(sentence: Mapping[str, Any], kind: str) -> Panel:
    """Return a panel of the layer before the last, with all heads from all words."""
    attention = sentence["attention"][kind]
    layers = attention["weights"]
    # The one before the last, as in the paper (5 of 6), or the only one.
    number = max(len(layers) - 2, 0)
    title = f"{TITLES[kind]}, layer {number + 1} of {len(layers)}"
    weights = np.array(layers[number])
    return Panel(title, attention["queries"], attention["keys"], weights, range(len(weights)))


def strongest(weights: Weights, query: int, key: int) -> list[int]:
    """Return the two heads with the largest weight from ``query`` to ``key``, the largest first, or the only head."""
    return [int(head) for head in np.argsort(-weights[:, query, key], kind="stable")[:2]]


def least_alike(weights: Weights) -> list[int]:
    """Return the two heads whose weights differ most, by total variation distance, averaged over all queries.

    The distance is half the sum of absolute differences: 0 for equal weights, 1 for weights on different words.  Of
    several pairs with the same distance, the first is returned.  If there is only one head, it is returned alone.
    """
    pairs = list(itertools.combinations(range(len(weights)), 2))
    if not pairs:
        return [0]
    distances = [0.5 * np.abs(weights[a] - weights[b]).sum(-1).mean() for a, b in pairs]
    return list(pairs[int(np.argmax(distances))])


def _draw(figure: Figure, panels: Sequence[Panel]) -> None:
    axes = inches(figure)
    width, height = figure.get_size_inches()
    share = width / len(panels)
    for number, panel in enumerate(panels):
        _draw_panel(axes, panel, number * share + MARGIN, (number + 1) * share - MARGIN, height)


def _draw_panel(axes: Axes, panel: Panel, left: float, right: float, top: float) -> None:
    """Draw one panel between ``left`` and ``right``, below ``top``."""
    start, end = between(panel, left, right)
    y = [top - HEADER - ROW * (row + 0.5) for row in range(max(len(panel.queries), len(panel.keys)))]
    _draw_header(axes, panel, (left + right) / 2, top)
    for row, word in enumerate(panel.queries):
        _draw_word(axes, word, start - MARGIN / 2, y[row], "right", panel.query in (None, row))
    for row, word in enumerate(panel.keys):
        _draw_word(axes, word, end + _marks(panel) + MARGIN / 2, y[row], "left", True)
    _draw_lines(axes, panel, start, end, y)
    if panel.query is not None:
        _draw_marks(axes, panel, panel.query, end, y)


def between(panel: Panel, left: float, right: float) -> tuple[float, float]:
    """Return where the lines of a panel between ``left`` and ``right`` begin and end."""
    words = [min(WIDEST, max(map(_width, names))) + MARGIN / 2 for names in (panel.queries, panel.keys)]
    return left + words[0], right - words[1] - _marks(panel)


def _marks(panel: Panel) -> float:
    """Return the width of the marks beside the keys."""
    return 0 if panel.query is None else min(CELL * len(panel.heads), MARKS)


def _draw_lines(axes: Axes, panel: Panel, start: float, end: float, y: Sequence[float]) -> None:
    beside = min(BESIDE, ROW / len(panel.heads))
    segments, colours = [], []
    for index, head in enumerate(panel.heads):
        aside = beside * (index - (len(panel.heads) - 1) / 2)
        for query, key in np.argwhere(panel.weights[head] >= FAINT):
            if panel.query in (None, query):
                segments.append([(start, y[query] - aside), (end, y[key] - aside)])
                colours.append(to_rgba(colour(head), min(1.0, panel.weights[head, query, key])))
    axes.add_collection(LineCollection(segments, colors=colours, linewidths=1.2, capstyle="butt"))


def _draw_marks(axes: Axes, panel: Panel, query: int, x: float, y: Sequence[float]) -> None:
    """Draw a cell for each head beside each key, whose opacity is the head's weight from ``query``."""
    cell = _marks(panel) / len(panel.heads)
    for index, head in enumerate(panel.heads):
        for key, weight in enumerate(panel.weights[head, query]):
            if weight >= FAINT:
                corner = (x + cell * index, y[key] - 0.45 * ROW)
                fill = to_rgba(colour(head), min(1.0, weight))
                axes.add_patch(Rectangle(corner, cell, 0.9 * ROW, facecolor=fill, linewidth=0))


def _draw_header(axes: Axes, panel: Panel, middle: float, top: float) -> None:
    """Write layer and word in one line, and the numbers of the heads in their colours in the next."""
    word = f", from “{panel.queries[panel.query]}”" if panel.query is not None else ""
    axes.text(middle, top - 0.05, panel.title + word, ha="center", va="top", parse_math=False)
    label = "head" if len(panel.heads) == 1 else "heads"
    step = min(0.15, 2.6 / len(panel.heads))
    x = middle - (step * len(panel.heads) - 0.05) / 2 + 0.12
    y = top - 0.28
    axes.text(x - 0.1, y, label, ha="right", va="center", fontsize=7)
    for index, head in enumerate(panel.heads):
        centre = x + step * index
        axes.add_patch(
            Rectangle((centre - 0.065, y - 0.065), 0.13, 0.13, facecolor=colour(head), linewidth=0)
        )
        axes.text(centre, y, str(head + 1), ha="center", va="center_baseline", fontsize=7, color="white")


def _draw_word(axes: Axes, word: str, x: float, y: float, side: str, shown: bool) -> None:
    size = 8 * min(1.0, WIDEST / _width(word))
    ink = "black" if shown else "#AAAAAA"
    # With parse_math, `$` would begin a formula.
    axes.text(x, y, word, ha=side, va="center_baseline", fontsize=size, color=ink, parse_math=False)


@cache
def _width(word: str) -> float:
    """Return the width of a word followed by a full stop: matplotlib cannot measure a word without visible glyphs."""
    return float(TextPath((0, 0), word.replace("$", "S") + ".", size=8).get_extents().width) / 72
