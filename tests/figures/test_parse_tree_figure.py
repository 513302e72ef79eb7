"""The drawing of a parse."""

from pathlib import Path

import pytest
from matplotlib.figure import Figure
from nltk.tree import Tree

from transformer.figures import parse_tree_figure
from transformer.figures.parse_tree_figure import shown_tree

LONG = f"(S {' '.join(f'(NN w{number})' for number in range(13))})"
LONGER = LONG.replace("(S ", "(S (NN more) ")
SHORT = "(S (NP (DT The) (NN dog)) (VP (VBZ costs) (NP ($ $) (CD 5))))"


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


@pytest.mark.parametrize(("trees", "shown"), [((LONG, SHORT), SHORT), ((LONGER, LONG), LONG)])
def test_the_first_short_tree_is_drawn_or_the_shortest(
    tmp_path: Path, trees: tuple[str, str], shown: str
) -> None:
    (tmp_path / "trees").write_text("".join(f"{tree}\n" for tree in trees))
    assert shown_tree(tmp_path / "trees") == Tree.fromstring(shown)
