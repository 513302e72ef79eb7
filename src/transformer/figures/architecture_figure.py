"""Figure 1: the whole model, from the steps that were recorded of it (``architecture.json``).

Nothing here knows how many layers there are, which sub-layers they have, in which order they are computed, or where
the residual connections and norms stand: that is read off the steps.  What is known is how each thing looks.
"""

import dataclasses
import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch

from transformer.figures.diagram import LINE, ROUNDING, arrow, box, fan, plus
from transformer.figures.style import COLUMN, inches, render

Step = Mapping[str, Any]  # ``name``, ``module`` and ``inputs``: docs/formats.md

NOT_SHOWN = ("mul",)  # the embeddings' factor sqrt(d_model), which the paper's figure leaves out as well
FILLS = {
    "Embedding": "#FADFDF", "Attention": "#FDE3BF", "Norm": "#F3F5C4", "Add": "#F3F5C4", "Forward": "#C5E8F6",
    "Linear": "#DDE0F1", "Softmax": "#CDE7D0",
}  # fmt: skip
LABELS = {
    "linear": "Linear",
    "softmax": "Softmax",
    "LayerNorm": "Norm",
    "add": "Add",
    "SinusoidalPositions": "Positional\nEncoding",
    "LearnedPositions": "Positional\nEmbedding",
}
ENDS = {"source": "Inputs", "target": "Outputs\n(shifted right)"}


@dataclasses.dataclass(eq=False)
class Block:
    """A box of the figure, or the ⊕ where positions are added."""

    label: str
    decoder: bool  # whether it depends on the target: the right column
    layer: str  # e.g. ``encoder.0``; empty outside of the layers
    inputs: list["Block | str"]  # in the order of the step's arguments; a name for what comes from outside
    arrows: list[int]  # with how many each of them enters
    positions: str = ""  # what is added, where this is a ⊕
    y: float = 0.0  # of its middle, in inches

    @property
    def height(self) -> float:
        return 0.16 if self.positions else 0.08 + 0.125 * (1 + self.label.count("\n"))

    @property
    def adds(self) -> bool:
        return self.label.startswith("Add")


@dataclasses.dataclass(eq=False)
class Group:
    """Blocks of one layer that follow each other, or blocks outside of the layers; ``count`` equal ones."""

    blocks: list[Block]
    count: int = 1


def plot_architecture(description: Mapping[str, Any], stem: Path) -> None:
    """Write Figure 1 as ``stem``.pdf and .svg, from the content of architecture.json."""
    groups = collapse(read_blocks(description))
    height = arrange(groups)
    render(stem, COLUMN, height, lambda figure: _draw(figure, groups))


def read_blocks(description: Mapping[str, Any]) -> list[Block]:
    """One block for each step that the figure shows, in their order."""
    found: list[Block] = []
    shown: dict[int | str, Block | str] = {}  # a step or an input of the model → where it is to be seen
    aside: dict[int, str] = {}  # steps that depend on no input: masks and positions → their name
    uses = Counter(source for step in description["model"] for source in step["inputs"])

    def only_use(step: Step) -> bool:
        return uses[step["inputs"][0]] == 1

    for number, step in enumerate(description["model"]):
        main = [shown.get(source, source) for source in step["inputs"] if source not in aside]
        others = [aside[source] for source in step["inputs"] if source in aside]
        if not main:
            aside[number] = step["name"]
        elif step["name"] in NOT_SHOWN:
            shown[number] = main[0]
        elif step["name"] == "LayerNorm" and main == found[-1:] and found[-1].adds and only_use(step):
            found[-1].label = "Add & Norm"
            shown[number] = found[-1]
        else:
            found.append(_block(step, main, others, description["attention"]))
            shown[number] = found[-1]
    return found


def _block(
    step: Step, main: list[Block | str], others: list[str], attention: Mapping[str, Sequence[Step]]
) -> Block:
    decoder = any(source == "target" or (isinstance(source, Block) and source.decoder) for source in main)
    name, arrows = step["name"], [1] * len(main)
    layer = re.match(r"\w+\.\d+", step["module"])
    if name in attention:
        label = ("Masked\n" if others else "") + "Multi-Head\nAttention"
        arrows = projections(attention[name])
    elif name == "embedding":
        label = ("Output" if decoder else "Input") + "\nEmbedding"
    else:
        label = LABELS.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", "\n", name)
    positions = others[0] if name == "add" and others else ""
    return Block(label, decoder, layer[0] if layer else "", main, arrows, positions)


def projections(steps: Sequence[Step]) -> list[int]:
    """How many of an attention's queries, keys and values come from each input of it, in the inputs' order.

    A projection of several, such as keys and values, counts as often as its result is used.
    """
    uses = [source for step in steps if step["name"] != "Linear" for source in step["inputs"]]
    count: dict[str, int] = {}
    for number, step in enumerate(steps):
        if step["name"] == "Linear" and isinstance(step["inputs"][0], str):
            count[step["inputs"][0]] = count.get(step["inputs"][0], 0) + uses.count(number)
    return [count[name] for name in ("x", "memory") if name in count]


def collapse(blocks: list[Block]) -> list[Group]:
    """Group blocks by layer; layers that repeat the one before become one group with their number."""
    groups: list[Group] = []
    same: dict[Block | str, Block] = {}  # a block of a layer that is not drawn → its equal that is
    shape: list[Any] = []  # of the layer before
    before: Block | None = None
    for (_, layer), run in itertools.groupby(blocks, lambda block: (block.decoder, block.layer)):
        group = Group(list(run))
        shape, shape_before = _shape(group.blocks, before, same), shape
        before = group.blocks[-1]
        if layer and shape == shape_before:
            groups[-1].count += 1
            same.update(zip(group.blocks, groups[-1].blocks, strict=True))
            continue
        for block in group.blocks:
            block.inputs = [same.get(source, source) for source in block.inputs]
        groups.append(group)
    return groups


def _shape(layer: list[Block], before: Block | None, same: Mapping[Block | str, Block]) -> list[Any]:
    """What must be equal in two layers for one to stand for both: labels, and where the inputs come from."""

    def place(source: Block | str) -> Any:
        if source in layer:
            return layer.index(source)
        return "before" if source is before else same.get(source, source)

    return [
        (block.decoder, block.label, block.positions, [place(source) for source in block.inputs])
        for block in layer
    ]


# Inches.  A block's inputs enter from below; what goes past other blocks runs beside them.
BOX = 0.86  # width
X = {False: 1.005, True: 2.245}  # of the two columns: encoder, decoder
START = 0.36  # of the first arrow: above the names of the inputs
GAP = 0.13  # between blocks outside of the layers
BELOW, CLOSE = 0.27, 0.045  # below a block in a layer, where lines branch; below an addition
FAN = 0.1  # below a sub-layer: where its arrows part
FRAME = 0.07  # of a group of layers, around its boxes
BRANCH = 0.07  # below those: where a line leaves that goes past
BESIDE = 0.12  # from a box to a line that goes past it


def arrange(groups: Sequence[Group]) -> float:
    """Set ``y`` of every block, bottom up in each column; returns the height of the figure."""
    top = {}
    for decoder in (False, True):
        y = START
        for group in groups:
            if group.blocks[0].decoder != decoder:
                continue
            y += GAP if group.blocks[0].layer else 0
            for block in group.blocks:
                follows = block is not group.blocks[0] and block.adds
                y += CLOSE if follows else BELOW if group.blocks[0].layer else GAP
                block.y = y + block.height / 2
                y += block.height
            y += FRAME if group.blocks[0].layer else 0
        top[decoder] = y
    return max(top.values()) + 2 * GAP + 0.28  # an arrow, and what comes out


def _draw(figure: Figure, groups: Sequence[Group]) -> None:
    axes = inches(figure)
    for decoder in (False, True):
        column = [group for group in groups if group.blocks[0].decoder == decoder]
        blocks = [block for group in column for block in group.blocks]
        for block in blocks:
            _draw_block(axes, block)
            _draw_inputs(axes, block, blocks)
        for group in column:
            if group.blocks[0].layer:
                _draw_frame(axes, group)
    x, y = X[True], blocks[-1].y + blocks[-1].height / 2
    arrow(axes, (x, y), (x, y + GAP))
    axes.text(x, y + GAP + 0.03, "Output\nProbabilities", ha="center", va="bottom", linespacing=1.0)


def _draw_block(axes: Axes, block: Block) -> None:
    x, side = X[block.decoder], 1 if block.decoder else -1
    if not block.positions:
        fill = next((FILLS[word] for word in FILLS if word in block.label), "#E8E8E8")
        box(axes, (x, block.y), (BOX, block.height), block.label, fill)
        return
    plus(axes, (x, block.y), block.height / 2)
    wave = x + side * 0.3
    arrow(axes, (wave, block.y), (x + side * block.height / 2, block.y), head=False)
    axes.add_patch(
        Circle((wave, block.y), 0.1, facecolor="white", edgecolor="black", linewidth=LINE, zorder=3)
    )
    if block.positions == "SinusoidalPositions":
        t = np.linspace(-1, 1, 41)
        axes.plot(wave + 0.1 * t, block.y + 0.05 * np.sin(np.pi * t), color="black", linewidth=LINE, zorder=4)
    label = LABELS.get(block.positions, block.positions)
    axes.text(wave + side * 0.41, block.y, label, ha="center", va="center", linespacing=1.0)


def _draw_inputs(axes: Axes, block: Block, column: Sequence[Block]) -> None:
    """The lines that enter ``block``: from below, from the other column, or past other blocks of its own."""
    x, bottom, side = X[block.decoder], block.y - block.height / 2, 1 if block.decoder else -1
    below = column[column.index(block) - 1] if block is not column[0] else None
    for source, ends in _entrances(block, below).items():
        if isinstance(source, str):
            axes.text(x, START - 0.04, ENDS.get(source, source), ha="center", va="top", linespacing=1.0)
            arrow(axes, (x, START), (x, bottom))
        elif source is below and block.adds:
            arrow(axes, (x, source.y), (x, bottom), head=False)
        elif source is below:
            fan(axes, (x, source.y + source.height / 2), bottom - FAN, [(x + end, bottom) for end in ends])
        elif source.decoder != block.decoder:
            top, over = source.y + source.height / 2, source.y + source.height / 2 + FRAME + GAP
            middle = sum(X.values()) / 2
            arrow(axes, (X[False], top), (X[False], over), (middle, over), (middle, bottom - FAN), head=False)
            fan(axes, (middle, bottom - FAN), bottom - FAN, [(x + end, bottom) for end in ends])
        else:  # it leaves its column below the arrows that enter the next block
            passed = column[column.index(source) + 1]
            leaves = passed.y - passed.height / 2 - FAN - BRANCH
            beside = x + side * (BOX / 2 + BESIDE)
            arrow(axes, (x, leaves), (beside, leaves), (beside, block.y), (x + side * BOX / 2, block.y))


def _entrances(block: Block, below: Block | None) -> dict[Block | str, list[float]]:
    """Where each input enters: the places of its arrows, from the middle of the box's lower edge.

    What comes from the other column enters on the left; what goes past other blocks enters at the side, without one.
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
    """The box around a layer, and how many there are of it."""
    first, last = group.blocks[0], group.blocks[-1]
    x, side = X[first.decoder], 1 if first.decoder else -1
    bottom, top = first.y - first.height / 2 - BELOW + 0.02, last.y + last.height / 2 + FRAME
    near, far = BOX / 2 + FRAME, BOX / 2 + BESIDE + 0.06  # to the other column, and where lines go past
    left = x - (near if first.decoder else far)
    axes.add_patch(
        FancyBboxPatch(
            (left, bottom),
            near + far,
            top - bottom,
            boxstyle=f"round,pad=0,rounding_size={2 * ROUNDING}",
            facecolor="#F4F4F4",
            edgecolor="#555555",
            linewidth=LINE,
            zorder=1,
        )
    )
    axes.text(
        x + side * (far + 0.05),
        (bottom + top) / 2,
        f"{group.count}×",
        ha="left" if first.decoder else "right",
        va="center",
        fontsize=10,
    )
