"""Figure 1: the drawing of the whole model, from its recorded steps (``architecture.json``)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from transformer.figures.architecture_blocks import LABELS, Block, Group, collapse, read_blocks
from transformer.figures.diagram import LINE, ROUNDING, arrow, box, circle, fan, plus, rounded_box
from transformer.figures.style import COLUMN, inches, render

FILLS = {
    "Embedding": "#FADFDF", "Attention": "#FDE3BF", "Norm": "#F3F5C4", "Add": "#F3F5C4", "Forward": "#C5E8F6",
    "Linear": "#DDE0F1", "Softmax": "#CDE7D0",
}  # fmt: skip
INPUTS = {"source": "Inputs", "target": "Outputs\n(shifted right)"}

# All lengths are in inches.  Lines enter a block from below; lines that skip blocks run beside them.
BOX = 0.86  # width of a box
X = {False: 1.005, True: 2.245}  # centres of the two columns: encoder, decoder
START = 0.36  # where the first arrow begins, above the names of the inputs
GAP = 0.13  # between blocks outside of the layers
BELOW, CLOSE = 0.27, 0.045  # below a block in a layer, where lines branch; below an addition
FAN = 0.1  # below a sub-layer, where its arrows separate
FRAME = 0.07  # from the boxes of a layer to the frame around them
BRANCH = 0.07  # below FAN, where a line that skips a block leaves
BESIDE = 0.12  # from a box to a line that skips it


def plot_architecture(description: Mapping[str, Any], stem: Path) -> None:
    """Write Figure 1 as ``stem``.pdf and .svg, from the content of architecture.json."""
    groups = collapse(read_blocks(description))
    height = arrange(groups)
    render(stem, COLUMN, height, lambda figure: _draw(figure, groups))


def arrange(groups: Sequence[Group]) -> float:
    """Set ``y`` of every block, from the bottom of each column up; return the height of the figure."""
    tops = []
    for decoder in (False, True):
        y = START
        for group in groups:
            if group.decoder != decoder:
                continue
            y += GAP if group.layer else 0
            for block in group.blocks:
                follows = block is not group.blocks[0] and block.adds
                y += CLOSE if follows else BELOW if group.layer else GAP
                block.y = y + block.height / 2
                y += block.height
            y += FRAME if group.layer else 0
        tops.append(y)
    return max(tops) + 2 * GAP + 0.28  # for an arrow and the name of the output


def _draw(figure: Figure, groups: Sequence[Group]) -> None:
    axes = inches(figure)
    for decoder in (False, True):
        column = [group for group in groups if group.decoder == decoder]
        blocks = [block for group in column for block in group.blocks]
        for block in blocks:
            _draw_block(axes, block)
            _draw_inputs(axes, block, blocks)
        for group in column:
            if group.layer:
                _draw_frame(axes, group)
    x, y = X[True], blocks[-1].top
    arrow(axes, (x, y), (x, y + GAP))
    axes.text(x, y + GAP + 0.03, "Output\nProbabilities", ha="center", va="bottom", linespacing=1.0)


def _draw_block(axes: Axes, block: Block) -> None:
    if block.positions:
        _draw_positions(axes, block)
        return
    fill = next((FILLS[word] for word in FILLS if word in block.label), "#E8E8E8")
    box(axes, (X[block.decoder], block.y), (BOX, block.height), block.label, fill)


def _draw_positions(axes: Axes, block: Block) -> None:
    """Draw the ⊕ that adds positions, and beside it a circle, with a wave if they are sinusoids, and their name."""
    x, side = X[block.decoder], _outside(block)
    plus(axes, (x, block.y), block.height / 2)
    wave = x + side * 0.3
    arrow(axes, (wave, block.y), (x + side * block.height / 2, block.y), head=False)
    circle(axes, (wave, block.y), 0.1)
    if block.positions == "SinusoidalPositions":
        t = np.linspace(-1, 1, 41)
        axes.plot(wave + 0.1 * t, block.y + 0.05 * np.sin(np.pi * t), color="black", linewidth=LINE, zorder=4)
    label = LABELS.get(block.positions, block.positions)
    axes.text(wave + side * 0.41, block.y, label, ha="center", va="center", linespacing=1.0)


def _outside(block: Block) -> int:
    """Return the direction from a block to the outer edge of the figure."""
    return 1 if block.decoder else -1


def _draw_inputs(axes: Axes, block: Block, column: Sequence[Block]) -> None:
    """Draw the lines that enter ``block``: from below, from the other column, or past other blocks of its column."""
    x = X[block.decoder]
    below = column[column.index(block) - 1] if block is not column[0] else None
    for source, ends in _entrances(block, below).items():
        points = [(x + end, block.bottom) for end in ends]
        if isinstance(source, str):
            axes.text(x, START - 0.04, INPUTS.get(source, source), ha="center", va="top", linespacing=1.0)
            arrow(axes, (x, START), (x, block.bottom))
        elif source is below and block.adds:
            arrow(axes, (x, source.y), (x, block.bottom), head=False)
        elif source is below:
            fan(axes, (x, source.top), block.bottom - FAN, points)
        elif source.decoder != block.decoder:
            over, middle, bend = source.top + FRAME + GAP, sum(X.values()) / 2, block.bottom - FAN
            arrow(axes, (X[False], source.top), (X[False], over), (middle, over), (middle, bend), head=False)
            fan(axes, (middle, bend), bend, points)
        else:  # the line leaves its column below the arrows that enter the next block
            leaves = column[column.index(source) + 1].bottom - FAN - BRANCH
            beside = x + _outside(block) * (BOX / 2 + BESIDE)
            end = x + _outside(block) * BOX / 2
            arrow(axes, (x, leaves), (beside, leaves), (beside, block.y), (end, block.y))


def _entrances(block: Block, below: Block | None) -> dict[Block | str, list[float]]:
    """Return where the arrows of each input enter, as distances from the middle of the box's lower edge.

    Lines from the other column enter on the left.  Lines that skip blocks enter at the side, so they have no entry.
    """
    sources = [
        source for source, arrows in zip(block.inputs, block.arrows, strict=True) for _ in range(arrows)
    ]
    own = [source for source in sources if isinstance(source, str) or source is below]
    across = [source for source in sources if isinstance(source, Block) and source.decoder != block.decoder]
    far, near = BOX * 0.3, BOX * 0.12
    spread = np.linspace(far, near, len(own)) if across else np.linspace(-far, far, len(own))
    if len(own + across) == 1:
        spread = np.zeros(1)
    places: dict[Block | str, list[float]] = {source: [] for source in block.inputs}
    for source, place in zip(across + own, [*np.linspace(-far, -near, len(across)), *spread], strict=True):
        places[source].append(float(place))
    return places


def _draw_frame(axes: Axes, group: Group) -> None:
    """Draw the frame around a layer, and the number of such layers."""
    first, last = group.blocks[0], group.blocks[-1]
    x, side = X[group.decoder], _outside(first)
    bottom, top = first.bottom - BELOW + 0.02, last.top + FRAME
    # The outer side has room for the lines that skip blocks.
    inner, outer = (BOX / 2 + FRAME, BOX / 2 + BESIDE + 0.06)
    left = x - (inner if group.decoder else outer)
    rounded_box(
        axes,
        (left, bottom),
        (inner + outer, top - bottom),
        "#F4F4F4",
        edge="#555555",
        rounding=2 * ROUNDING,
        order=1,
    )
    axes.text(
        x + side * (outer + 0.05),
        (bottom + top) / 2,
        f"{group.count}×",
        ha="left" if group.decoder else "right",
        va="center",
        fontsize=10,
    )
