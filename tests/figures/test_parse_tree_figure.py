"""The drawing of a parse."""

from pathlib import Path

import pytest
import tiny
from matplotlib.figure import Figure

from transformer.figures import parse_tree_figure, plot

LONG = f"(S {' '.join(f'(NN w{number})' for number in range(13))})"
SHORT = "(S (NP (DT The) (NN dog)) (VP (VBZ costs) (NP ($ $) (CD 5))))"


def svg(folder: Path, *trees: str) -> bytes:
    """Return the figure of a file with these trees."""
    folder.mkdir()
    (folder / "trees").write_text("".join(f"{tree}\n" for tree in trees))
    assert tiny.run(plot.main, "parse_tree", "--inputs", folder / "trees", "--output-dir", folder) == 0
    return (folder / "parse_tree.svg").read_bytes()


def test_it_shows_every_node_once_and_the_words_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = Figure()
    monkeypatch.setattr(parse_tree_figure, "render", lambda stem, width, height, draw: draw(figure))
    (tmp_path / "trees").write_text(f"{SHORT}\n")
    parse_tree_figure.plot_parse_tree([tmp_path / "trees"], tmp_path)
    (axes,) = figure.axes
    places = {id(text): text.get_position() for text in axes.texts}
    assert sorted(text.get_text() for text in axes.texts) == sorted(
        "S NP DT The NN dog VP VBZ costs NP $ $ CD 5".split()
    )
    assert len(axes.lines) == len(axes.texts) - 1  # each but the root hangs from another
    lowest = min(y for _, y in places.values())
    words = [text for text in axes.texts if places[id(text)][1] == pytest.approx(lowest)]
    assert [
        text.get_text() for text in sorted(words, key=lambda word: places[id(word)][0])
    ] == "The dog costs $ 5".split()


def test_the_first_short_tree_is_drawn_and_the_same_trees_give_the_same_bytes(tmp_path: Path) -> None:
    first = svg(tmp_path / "a", LONG, SHORT)
    assert first == svg(tmp_path / "b", LONG, SHORT) == svg(tmp_path / "c", SHORT)
    assert (tmp_path / "a" / "parse_tree.pdf").read_bytes() == (
        tmp_path / "b" / "parse_tree.pdf"
    ).read_bytes()


def test_where_no_tree_is_short_the_shortest_is_drawn(tmp_path: Path) -> None:
    longer = LONG.replace("(S ", "(S (NN more) ")
    assert svg(tmp_path / "a", longer, LONG) == svg(tmp_path / "b", LONG)
