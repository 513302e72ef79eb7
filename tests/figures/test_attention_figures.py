"""Figures 3, 4 and 5 show the right words, heads and lines."""

from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from transformer.common.json_artifacts import write_artifact
from transformer.figures.attention_figures import WIDEST, Panel, attention_figures, between, plot_attention
from transformer.figures.style import COLUMN

WORDS = ["the", "Law", "and", "its", "<EOS>"]
TARGET = ["<start>", "das", "Gesetz"]
OUTPUT = ["das", "Gesetz", "<EOS>"]
H = 4


def weights(queries: int, keys: int, seed: int) -> NDArray[np.float64]:
    """Return random weights of three layers and four heads."""
    return np.random.default_rng(seed).dirichlet(np.ones(keys), (3, H, queries))


def sentences() -> dict[str, Any]:
    sides = {"encoder": (WORDS, WORDS), "decoder": (TARGET, TARGET), "cross": (OUTPUT, WORDS)}
    attention = {
        kind: {"queries": queries, "keys": keys, "weights": weights(len(queries), len(keys), seed).tolist()}
        for seed, (kind, (queries, keys)) in enumerate(sides.items())
    }
    text = {"source": "the Law and its", "translation": "das Gesetz", "attention": attention}
    return {
        "long_distance": {"word": "and", **text},
        "anaphora": {"word": "its", "antecedent": "Law", **text},
    }


def test_what_each_figure_shows() -> None:
    figures = attention_figures(sentences())
    (far,) = figures["attention_long_distance"]
    assert (far.query, list(far.heads)) == (2, list(range(H)))
    full, isolated = figures["attention_anaphora"]
    assert (full.query, isolated.query) == (None, 3)
    assert list(full.heads) == list(isolated.heads)[:1]
    assert full.weights[isolated.heads, 3, 1].tolist() == sorted(full.weights[:, 3, 1], reverse=True)[:2]
    for name in ("structure", "decoder", "cross"):
        panels = figures[f"attention_{name}"]
        assert [len(panel.heads) for panel in panels] == [1, 1]
        assert panels[0].heads != panels[1].heads
    assert figures["attention_decoder"][0].queries == TARGET
    assert (figures["attention_cross"][0].queries, figures["attention_cross"][0].keys) == (OUTPUT, WORDS)


def test_the_layer_before_the_last_is_shown() -> None:
    content = sentences()
    for name, panels in attention_figures(content).items():
        kind = name.removeprefix("attention_")
        part = content["anaphora"]["attention"][kind if kind in ("decoder", "cross") else "encoder"]
        for panel in panels:
            assert panel.title.endswith("layer 2 of 3")
            assert panel.weights.tolist() == part["weights"][1]


@settings(max_examples=20, deadline=None)
@given(
    queries=st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=3),
    keys=st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=3),
    h=st.integers(1, 32),
    isolated=st.booleans(),
)
def test_any_words_leave_space_for_lines(queries: list[str], keys: list[str], h: int, isolated: bool) -> None:
    panel = Panel("", queries, keys, np.ones((h, len(queries), len(keys))), range(h), 0 if isolated else None)
    start, end = between(panel, 0, COLUMN)
    assert 0 < start < WIDEST + 0.1
    assert end - start > 0.3


def test_words_are_never_parsed_as_formulas(tmp_path: Path) -> None:
    attention = {"sentences": sentences()}
    for sentence in attention["sentences"].values():
        part = sentence["attention"]["encoder"]
        part["queries"] = part["keys"] = ["$x^{2$", "<b>&", "\\frac", "$1", "–"]
        sentence["word"] = "$1"
        sentence["antecedent"] = "<b>&"
    facts = dict.fromkeys(("run", "pair", "scale", "corpus", "model_sha256"), "x")
    write_artifact(tmp_path / "attention.json", {"format": 1, **facts, **attention})
    plot_attention([tmp_path / "attention.json"], tmp_path / "attention")
    assert {path.name for path in tmp_path.iterdir()} == {
        "attention.json",
        "attention.html",
        *(
            f"attention_{name}.{kind}"
            for name in ("long_distance", "anaphora", "structure", "decoder", "cross")
            for kind in ("pdf", "svg")
        ),
    }
