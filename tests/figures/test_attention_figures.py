"""Figures 3, 4 and 5 show the right words, heads and lines."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from transformer.common.artifacts import write_artifact
from transformer.figures.attention_figures import (
    Weights,
    attention_figures,
    least_alike,
    plot_attention,
    strongest,
)

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


def test_words_are_never_parsed_as_formulas(tmp_path: Path) -> None:
    attention = {"sentences": sentences()}
    for sentence in attention["sentences"].values():
        part = sentence["attention"]["encoder"]
        part["queries"] = part["keys"] = ["$x^{2$", "<b>&", "\\frac", "$1", "–"]
        sentence["word"], sentence["antecedent"] = "$1", "<b>&"
    facts = dict.fromkeys(("run", "pair", "scale", "corpus", "model_sha256"), "x")
    write_artifact(tmp_path / "attention.json", {"format": 1, **facts, **attention})
    plot_attention([tmp_path / "attention.json"], tmp_path / "attention")
    assert len(list(tmp_path.glob("attention_*.svg"))) == len(list(tmp_path.glob("attention_*.pdf"))) == 5


def random_heads(h: int, T: int, S: int, seed: int) -> Weights:
    """Return random weights, which sum to 1 for each query."""
    return np.random.default_rng(seed).dirichlet(np.full(S, 0.3), (h, T))


SIZES = {"h": st.integers(1, 6), "T": st.integers(1, 5), "S": st.integers(1, 5), "seed": st.integers(0, 99)}


@given(**SIZES, data=st.data())
def test_no_other_head_gives_the_antecedent_more_weight(
    h: int, T: int, S: int, seed: int, data: st.DataObject
) -> None:
    W = random_heads(h, T, S, seed)
    query, key = data.draw(st.integers(0, T - 1)), data.draw(st.integers(0, S - 1))
    heads = strongest(W, query, key)
    assert len(heads) == min(2, h)
    assert [W[head, query, key] for head in heads] == sorted(W[:, query, key], reverse=True)[:2]


@given(**SIZES)
def test_no_other_pair_of_heads_differs_more(h: int, T: int, S: int, seed: int) -> None:
    W = random_heads(h, T, S, seed)

    def distance(a: int, b: int) -> float:
        return sum(abs(W[a, t, s] - W[b, t, s]) for t in range(T) for s in range(S))

    chosen = least_alike(W)
    if h == 1:
        assert chosen == [0]
    else:
        assert chosen[0] < chosen[1]
        most = max(itertools.starmap(distance, itertools.combinations(range(h), 2)))
        assert distance(*chosen) == pytest.approx(most)
