"""The drawing of a parse."""

from pathlib import Path

import pytest
import tiny
from matplotlib.figure import Figure
from nltk.tree import Tree

from transformer.figures import parse_tree_figure, plot_parse_tree

LONG = f"(S {' '.join(f'(NN w{number})' for number in range(13))})"
SHORT = "(S (NP (DT The) (NN dog)) (VP (VBZ costs) (NP ($ $) (CD 5))))"


def drawn(tree: str, monkeypatch: pytest.MonkeyPatch) -> Figure:
    figure = Figure()

    def render(stem: Path, width: float, height: float, draw: object) -> None:
        figure.set_size_inches(width, height)
        assert callable(draw)
        draw(figure)

    monkeypatch.setattr(parse_tree_figure, "render", render)
    parse_tree_figure.plot_parse_tree(Tree.fromstring(tree), Path("tree"))
    return figure


def test_it_shows_every_node_once_and_the_words_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    (axes,) = drawn(SHORT, monkeypatch).axes
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
    (tmp_path / "trees").write_text(f"{LONG}\n{SHORT}\n")
    for folder in ("a", "b"):
        assert (
            tiny.run(plot_parse_tree.main, "--trees", tmp_path / "trees", "--output-dir", tmp_path / folder)
            == 0
        )
    for kind in ("pdf", "svg"):
        first, second = (tmp_path / folder / f"parse_tree.{kind}" for folder in ("a", "b"))
        assert first.read_bytes() == second.read_bytes()
    (tmp_path / "short").write_text(f"{SHORT}\n")
    assert tiny.run(plot_parse_tree.main, "--trees", tmp_path / "short", "--output-dir", tmp_path / "c") == 0
    assert (tmp_path / "c" / "parse_tree.svg").read_bytes() == (
        tmp_path / "a" / "parse_tree.svg"
    ).read_bytes()


def test_where_no_tree_is_short_the_shortest_is_drawn(tmp_path: Path) -> None:
    longer = LONG.replace("(S ", "(S (NN more) ")
    (tmp_path / "trees").write_text(f"{longer}\n{LONG}\n")
    (tmp_path / "shortest").write_text(f"{LONG}\n")
    for name in ("trees", "shortest"):
        assert (
            tiny.run(
                plot_parse_tree.main, "--trees", tmp_path / name, "--output-dir", tmp_path / f"{name}-figure"
            )
            == 0
        )
    assert (tmp_path / "trees-figure" / "parse_tree.svg").read_bytes() == (
        tmp_path / "shortest-figure" / "parse_tree.svg"
    ).read_bytes()


def test_a_file_without_a_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "trees").write_text("")
    assert tiny.run(plot_parse_tree.main, "--trees", tmp_path / "trees", "--output-dir", tmp_path) == 1
    assert "trees: no tree; make it with src/transformer/parsing/parse.py" in tiny.the_error(
        capsys.readouterr().err
    )
