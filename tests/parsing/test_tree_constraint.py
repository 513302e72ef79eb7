"""Constrained search: trees and nothing else, whatever the model."""

import random
from typing import Any

import pytest
import tiny
import torch

from transformer.common.special_tokens import EOS, UNK
from transformer.decoding.beam_search import BeamConfig, Hypothesis
from transformer.decoding.trained_model import TrainedModel
from transformer.parsing import parse as module
from transformer.parsing.linearise import linearise, tree_of
from transformer.parsing.parse import parse
from transformer.parsing.tree_constraint import MOST_OPENINGS, TreeConstraint
from transformer.subwords.vocabularies import Symbols, Vocabularies

SYMBOLS = Symbols(["(NP", "(S", ")NP", ")S", "DT", "NN"], 3, "sha")


def parser(model: Any, symbols: Symbols, beam: BeamConfig) -> TrainedModel:
    return TrainedModel(model, Vocabularies(symbols, symbols), beam, 400)


def allowed_after(said: list[str], words: int, room: int = 40) -> set[str]:
    """What may follow a hypothesis, by the constraint: symbols, or EOS."""
    constraint = TreeConstraint(SYMBOLS, torch.tensor([words]), torch.tensor([room]), 1)
    for symbol in said:
        assert symbol in names(constraint)
        constraint.advance(torch.zeros(1, 1, dtype=torch.long), torch.tensor([SYMBOLS.encode(symbol)]))
    return names(constraint)


def names(constraint: TreeConstraint) -> set[str]:
    return {SYMBOLS.piece(int(id)) for id in constraint.allowed()[0, 0].nonzero()}


def may_follow(said: list[str], words: int, room: int) -> set[str]:
    """The same by the rules themselves, from the whole hypothesis."""
    open_labels: list[str] = []
    for symbol in said:
        if symbol.startswith("("):
            open_labels.append(symbol[1:])
        elif symbol.startswith(")"):
            open_labels.pop()
    used = sum(symbol in ("DT", "NN") for symbol in said)
    row = next((n for n, symbol in enumerate(reversed(said)) if not symbol.startswith("(")), len(said))
    following = set()
    # To say an opening, then the words left, the closings (with its own), and EOS.
    rest = 1 + (words - used) + (len(open_labels) + 1) + 1
    if used < words and row < MOST_OPENINGS and len(said) + rest <= room:
        following |= {"(NP", "(S"}
    if used < words and open_labels:
        following |= {"DT", "NN"}
    if open_labels and not said[-1].startswith("(") and (len(open_labels) > 1 or used == words):
        following.add(")" + open_labels[-1])
    if said and not open_labels:
        following.add("</s>")
    return following


@pytest.mark.parametrize("seed", range(30))
def test_the_rules_at_every_step_of_random_trees(seed: int) -> None:
    rng = random.Random(seed)
    words, said = rng.randint(1, 5), list[str]()
    room = words + rng.choice([3, 4, 7, 30])
    while True:
        following = allowed_after(said, words, room)
        assert following == may_follow(said, words, room)
        symbol = rng.choice(sorted(following))
        if symbol == "</s>":
            break
        said.append(symbol)
    assert tree_of(said, ["w"] * words)[1]
    assert len(said) + 1 <= room


def test_no_more_openings_in_a_row_than_that() -> None:
    assert allowed_after(["(S"] * MOST_OPENINGS, 1) == {"DT", "NN"}


@pytest.mark.parametrize("beam_size", [1, 2, 5])
def test_an_untrained_model_writes_trees(beam_size: int) -> None:
    """Of any sentence, however short the limit; without the constraint, of none."""
    rng = random.Random(beam_size)
    sentences = [["w"] * rng.randint(1, 12) for _ in range(30)]
    sources = [[rng.randrange(3, 20) for _ in sentence] for sentence in sentences]
    model = tiny.model(20, seed=3, target_vocab_size=SYMBOLS.vocab_size)
    for max_extra_tokens in (2, 30):
        config = tiny.beam(beam_size, 0.3, max_extra_tokens)
        for constrained in (True, False):
            parses = parse(parser(model, SYMBOLS, config), sources, sentences, constrained)
            assert any(parsed.well_formed for parsed in parses) == constrained
            assert all(parsed.well_formed for parsed in parses) == constrained


@pytest.mark.parametrize(("extra", "well_formed"), [([], True), ([UNK], False), ([5], False)])
def test_an_output_with_other_tokens_is_no_tree(
    monkeypatch: pytest.MonkeyPatch, extra: list[int], well_formed: bool
) -> None:
    """UNK, or a subword of a vocabulary that is shared: the symbols around it are a tree."""
    symbols = Symbols(SYMBOLS.symbols, 14, "sha")
    output = [*symbols.encode("(NP DT"), *extra, *symbols.encode("NN )NP")]
    monkeypatch.setattr(module, "translate", lambda *_: [[Hypothesis(output, 0.0, 0.0)]])
    trained = parser(tiny.model(20), symbols, tiny.beam(1, 0.0, 9))
    (parsed,) = parse(trained, [[3]], [["a", "b"]], constrained=False)
    assert parsed.well_formed == well_formed


def test_constrained_is_the_best_tree_of_all() -> None:
    """With a beam that holds every hypothesis, the tree of greatest probability: found by trying all."""
    symbols = Symbols(["(S", ")S", "XX"], 3, "sha")
    model = tiny.model(8, seed=5, target_vocab_size=symbols.vocab_size)
    source, words = [4, 5], ["a", "b"]
    trees = ["(S XX XX )S", "(S (S XX )S XX )S", "(S XX (S XX )S )S", "(S (S XX XX )S )S"]
    config = tiny.beam(40, 0.0, 4)  # 7 symbols with EOS: these trees, and no other
    (found,) = parse(parser(model, symbols, config), [source], [words], constrained=True)
    wanted = max(trees, key=lambda tree: log_probability(model, source, symbols.encode(tree)))
    assert " ".join(linearise(found.tree, tags=True)) == wanted


def log_probability(model: torch.nn.Module, source: list[int], ids: list[int]) -> float:
    target = torch.tensor([[*ids, EOS]])
    shifted = torch.tensor([[0, *ids]])
    with torch.no_grad():
        log_p = model(torch.tensor([[*source, EOS]]), shifted).log_softmax(-1)
    return float(log_p.gather(2, target[:, :, None]).sum())
