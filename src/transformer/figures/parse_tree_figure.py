"""A constituency tree of a parser (section 6.3): NLTK lays it out, and matplotlib draws it."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure
from nltk.tree import Tree
from nltk.tree.prettyprinter import TreePrettyPrinter

from transformer.figures.style import FULL, inches, render
from transformer.parsing.trees import read_trees, words_of

MAX_WORDS = 12  # what fits into the width of a page
ROW = 0.32  # inches
MARGIN = 0.15  # inches


def shown_tree(path: Path) -> Tree:
    """Return the first tree of a file with at most twelve words, or the one with the fewest."""
    trees = list(read_trees(path))
    short = (tree for tree in trees if len(words_of(tree)) <= MAX_WORDS)
    return next(short, min(trees, key=lambda tree: len(words_of(tree))))


def plot_parse_tree(inputs: Sequence[Path], stem: Path) -> None:
    """Draw a tree of a file with its root at the top and its words in the last row, from left to right."""
    layout = TreePrettyPrinter(shown_tree(inputs[0]))
    rows, columns = (1 + max(places) for places in zip(*layout.coords.values(), strict=True))
    height = 2 * MARGIN + ROW * rows

    def draw(figure: Figure) -> None:
        axes = inches(figure)
        places = {
            node: (
                MARGIN + (FULL - 2 * MARGIN) * (column + 0.5) / columns,
                height - MARGIN - ROW * (row + 0.5),
            )
            for node, (row, column) in layout.coords.items()
        }
        for child, parent in layout.edges.items():
            (x, y), (parent_x, parent_y) = places[child], places[parent]
            bar = parent_y - ROW / 2  # straight lines would cross the labels between a node and a far child
            heights = [parent_y - 0.07, bar, bar, y + 0.08]
            axes.plot([parent_x, parent_x, x, x], heights, color="#999999", linewidth=0.6)
        for node, content in layout.nodes.items():
            is_word = isinstance(content, str)
            text = content if is_word else content.label()
            style = "italic" if is_word else "normal"
            axes.text(*places[node], text, ha="center", va="center", style=style, parse_math=False)

    render(stem, FULL, height, draw)
