"""The blocks of Figure 1, derived from the recorded steps of a model (``architecture.json``).

Nothing here knows how many layers there are, which sub-layers they have, in which order they are computed, or where
the residual connections and norms are: all of that is derived from the steps.  Only the labels are known.
"""

import dataclasses
import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

Step = Mapping[str, Any]  # ``name``, ``module`` and ``inputs``, as in docs/formats.md

NOT_SHOWN = ("mul",)  # the embeddings' factor sqrt(d_model), which the paper's figure omits as well
LABELS = {
    "linear": "Linear",
    "softmax": "Softmax",
    "LayerNorm": "Norm",
    "add": "Add",
    "SinusoidalPositions": "Positional\nEncoding",
    "LearnedPositions": "Positional\nEmbedding",
}


@dataclasses.dataclass(eq=False)
class Block:
    """A box of the figure, or the ⊕ that adds positions."""

    label: str
    decoder: bool  # whether it depends on the target; such blocks are in the right column
    layer: str  # e.g. ``encoder.0``; empty outside of the layers
    inputs: list["Block | str"]  # in the order of the step's arguments; a string is an input of the model
    arrows: list[int]  # number of arrows from each input
    positions: str = ""  # the kind of positions that a ⊕ adds
    y: float = 0.0  # of its centre, in inches

    @property
    def height(self) -> float:
        return 0.16 if self.positions else 0.08 + 0.125 * (1 + self.label.count("\n"))

    @property
    def bottom(self) -> float:
        return self.y - self.height / 2

    @property
    def top(self) -> float:
        return self.y + self.height / 2

    @property
    def adds(self) -> bool:
        return self.label.startswith("Add")


@dataclasses.dataclass(eq=False)
class Group:
    """The blocks of ``count`` equal layers, drawn once, or consecutive blocks outside of the layers."""

    blocks: list[Block]
    count: int = 1

    @property
    def decoder(self) -> bool:
        return self.blocks[0].decoder

    @property
    def layer(self) -> str:
        return self.blocks[0].layer


def read_blocks(description: Mapping[str, Any]) -> list[Block]:
    """Return one block for each step that the figure shows, in their order."""
    found: list[Block] = []
    shown: dict[
        int | str, Block | str
    ] = {}  # maps a step or an input of the model to the block or input that the figure shows for it
    aside: dict[int, str] = {}  # names of the steps that depend on no input: masks and positions
    uses = Counter(source for step in description["model"] for source in step["inputs"])

    def completes_addition(step: Step, main: list[Block | str]) -> bool:
        """Return whether ``step`` is the norm of the addition before it, and the only use of it."""
        follows = step["name"] == "LayerNorm" and main == found[-1:] and found[-1].adds
        return follows and uses[step["inputs"][0]] == 1

    for number, step in enumerate(description["model"]):
        main = [shown.get(source, source) for source in step["inputs"] if source not in aside]
        others = [aside[source] for source in step["inputs"] if source in aside]
        if not main:
            aside[number] = step["name"]
        elif step["name"] in NOT_SHOWN:
            shown[number] = main[0]
        elif completes_addition(step, main):
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
    """Return how many of an attention's queries, keys and values come from each of its inputs, in the inputs' order.

    A projection that computes several of them, such as keys and values, counts as often as its result is used.
    """
    uses = [source for step in steps if step["name"] != "Linear" for source in step["inputs"]]
    count: Counter[str] = Counter()
    for number, step in enumerate(steps):
        if step["name"] == "Linear" and isinstance(step["inputs"][0], str):
            count[step["inputs"][0]] += uses.count(number)
    return [count[name] for name in ("x", "memory") if name in count]


def collapse(blocks: list[Block]) -> list[Group]:
    """Group blocks by layer, and merge each layer that is equal to the one before into the same group."""
    groups: list[Group] = []
    same: dict[
        Block | str, Block
    ] = {}  # maps a block of a layer that is not drawn to the equal block that is
    shape: list[Any] = []
    before: Block | None = None  # the last block of the layer before
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
    """Return what must agree for two layers to be equal: the labels, and where the inputs come from."""

    def place(source: Block | str) -> Any:
        if source in layer:
            return layer.index(source)
        return "before" if source is before else same.get(source, source)

    return [
        (block.decoder, block.label, block.positions, [place(source) for source in block.inputs])
        for block in layer
    ]
