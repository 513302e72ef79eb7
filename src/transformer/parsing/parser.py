"""Parse sentences with a trained model (section 6.3)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from nltk.tree import Tree
from torch import Tensor

from transformer.decoding.beam_search import BeamConfig, Constraint, max_output_lengths
from transformer.decoding.translation import translate
from transformer.model.precision import Precision
from transformer.model.transformer import Transformer
from transformer.parsing.linearised import is_tree, repair, tree_of
from transformer.parsing.tree_constraint import TreeConstraint, TreeSymbols
from transformer.subwords.symbols import is_word, split
from transformer.subwords.vocabularies import Symbols


@dataclass(frozen=True)
class Parse:
    """A sentence's tree, and whether the model's output was a tree before any repair."""

    tree: Tree
    well_formed: bool


def parse(
    model: Transformer,
    symbols: Symbols,
    sources: Sequence[Sequence[int]],
    sentences: Sequence[Sequence[str]],
    config: BeamConfig,
    batch_tokens: int,
    constrained: bool,
    precision: Precision = "auto",
    done: Callable[[int], None] = lambda count: None,
) -> list[Parse]:
    """Parse each of ``sentences`` (lists of words), whose token ids without EOS are ``sources``.

    A constrained search considers only trees over exactly the sentence's words.  An unconstrained one considers any
    output, as in the paper, and outputs that are not such trees are repaired.  ``batch_tokens`` and ``done`` go to
    :func:`translate`.
    """
    lengths = torch.tensor([len(sentence) for sentence in sentences])
    meaning = meaning_of(symbols)

    def constrain(batch: Sequence[int], source: Tensor) -> Constraint:
        words = lengths[batch].to(source.device)
        return TreeConstraint(meaning, words, max_output_lengths(source, config), config.beam_size)

    outputs = translate(
        model, sources, config, batch_tokens, precision, done, constrain if constrained else None
    )
    parses = []
    for ids, sentence in zip(outputs, sentences, strict=True):
        output = split(symbols.decode(ids))
        # UNK and the subwords of a shared vocabulary are no symbols of trees, and decode drops them.
        well_formed = all(id >= symbols.first_id for id in ids) and is_tree(output, len(sentence))
        parses.append(Parse(tree_of(repair(output, len(sentence)), sentence), well_formed))
    return parses


def meaning_of(symbols: Symbols) -> TreeSymbols:
    """Return which ids of a vocabulary of linearised trees open or close a constituent, and which are words."""
    ids = dict(enumerate(symbols.symbols, start=symbols.first_id))
    return TreeSymbols(
        opens={id: symbol[1:] for id, symbol in ids.items() if symbol.startswith("(")},
        closes={id: symbol[1:] for id, symbol in ids.items() if symbol.startswith(")")},
        words={id for id, symbol in ids.items() if is_word(symbol)},
        vocab_size=symbols.vocab_size,
    )
