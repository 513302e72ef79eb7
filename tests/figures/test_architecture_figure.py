"""Figure 1 has the blocks and lines that follow from the model's steps."""

from pathlib import Path
from typing import Any

import pytest
import tiny
from torch import Tensor

from transformer.figures.architecture_blocks import Block, collapse, read_blocks
from transformer.figures.architecture_figure import arrange, plot_architecture
from transformer.figures.attention_block import plot_attention_block
from transformer.inspection.architecture import architecture
from transformer.model.config import TransformerConfig
from transformer.model.layers import EncoderLayer

ATTENTION, FEED_FORWARD, NORM = "Multi-Head\nAttention", "Feed\nForward", "Add & Norm"


def described(**changes: Any) -> dict[str, Any]:
    return architecture(TransformerConfig(vocab_size=9, **tiny.model_config(**changes)))


def labels(blocks: list[Block]) -> list[str]:
    return [block.label for block in blocks]


@pytest.mark.parametrize("N", [1, 4])
def test_it_is_the_paper_s_figure(N: int) -> None:
    inputs, encoder, outputs, decoder, end = collapse(read_blocks(described(N=N)))
    assert labels(inputs.blocks) == ["Input\nEmbedding", "Add"]
    assert labels(encoder.blocks) == [ATTENTION, NORM, FEED_FORWARD, NORM]
    assert labels(outputs.blocks) == ["Output\nEmbedding", "Add"]
    assert labels(decoder.blocks) == [
        *("Masked\n" + ATTENTION, NORM),
        *(ATTENTION, NORM),
        *(FEED_FORWARD, NORM),
    ]
    assert labels(end.blocks) == ["Linear", "Softmax"]
    assert (encoder.count, decoder.count) == (N, N)
    assert inputs.blocks[1].positions == outputs.blocks[1].positions == "SinusoidalPositions"


def test_lines_go_where_the_results_go() -> None:
    _, encoder, _, decoder, _ = collapse(read_blocks(described()))
    attention, norm, feed_forward, last = encoder.blocks
    assert attention.arrows == [3]  # queries, keys and values
    assert norm.inputs == [attention.inputs[0], attention]
    assert feed_forward.inputs == [norm]
    assert last.inputs == [norm, feed_forward]
    cross = decoder.blocks[2]
    assert cross.inputs == [
        decoder.blocks[1],
        last,
    ]  # the output of the last layer, drawn at the layer that represents all
    assert cross.arrows == [1, 2]  # queries from the decoder, keys and values from the encoder


def test_norms_before_the_sub_layers_are_drawn_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def norm_first(self: Any, x: Tensor, mask: Tensor | None, noise: None) -> Tensor:
        x = x + self.self_attention(self.after_attention.norm(x), mask)
        return x + self.feed_forward(self.after_feed_forward.norm(x))

    monkeypatch.setattr(EncoderLayer, "forward", norm_first)
    encoder = collapse(read_blocks(described()))[1]
    assert labels(encoder.blocks) == ["Norm", ATTENTION, "Add", "Norm", FEED_FORWARD, "Add"]
    assert encoder.count == 2


def test_different_layers_are_drawn_separately(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = EncoderLayer.forward

    def only_even(self: Any, x: Tensor, mask: Tensor | None, noise: None) -> Tensor:
        return plain(self, x, mask) if self.number % 2 == 0 else self.feed_forward(x)

    def numbered(self: Any, *arguments: Any) -> None:
        created(self, *arguments)
        self.number = numbered.count  # type: ignore[attr-defined]
        numbered.count += 1  # type: ignore[attr-defined]

    created = EncoderLayer.__init__
    numbered.count = 0  # type: ignore[attr-defined]
    monkeypatch.setattr(EncoderLayer, "__init__", numbered)
    monkeypatch.setattr(EncoderLayer, "forward", only_even)
    groups = collapse(read_blocks(described(N=3)))
    encoder = [group for group in groups if group.blocks[0].layer.startswith("encoder")]
    assert [(len(group.blocks), group.count) for group in encoder] == [(4, 1), (1, 1), (4, 1)]
    arrange(groups)


def test_differently_connected_layers_are_drawn_separately(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each layer adds the input of the first one, so the first layer is connected differently."""

    def with_the_first(self: Any, x: Tensor, mask: Tensor | None, noise: None) -> Tensor:
        first.append(x)
        return plain(self, x, mask) + first[0]

    plain, first = EncoderLayer.forward, list[Tensor]()
    monkeypatch.setattr(EncoderLayer, "forward", with_the_first)
    groups = collapse(read_blocks(described(N=3)))
    assert [group.count for group in groups if group.blocks[0].layer.startswith("encoder")] == [1, 2]


def test_blocks_do_not_overlap() -> None:
    groups = collapse(read_blocks(described()))
    height = arrange(groups)
    for decoder in (False, True):
        blocks = [block for group in groups for block in group.blocks if block.decoder == decoder]
        edges = [
            edge for block in blocks for edge in (block.y - block.height / 2, block.y + block.height / 2)
        ]
        assert edges == sorted(edges)
        assert 0 < edges[0] < edges[-1] < height


@pytest.mark.parametrize(("plot", "name"), [(plot_architecture, "f1"), (plot_attention_block, "f2")])
@pytest.mark.parametrize("changes", [{}, {"h": 1, "N": 1, "positions": "learned"}])
def test_the_same_model_gives_the_same_bytes(plot: Any, name: str, changes: Any, tmp_path: Path) -> None:
    for attempt in ("a", "b"):
        plot(described(**changes), tmp_path / attempt / name)
    for kind in ("pdf", "svg"):
        first, second = (tmp_path / attempt / f"{name}.{kind}" for attempt in ("a", "b"))
        assert first.read_bytes() == second.read_bytes()
        assert first.stat().st_size > 5000
