"""Whether a head of the encoder follows a relation between words, as the paper says of Figures 3 to 5.

The measure is that of Voita et al. (2019), "Analyzing Multi-Head Self-Attention": a head is right in a sentence if its
largest weight from the query word falls on the key word, and its rival is the fixed offset from the query word that is
right most often.  Unlike there, head and offset are chosen on other sentences than those on which they are compared.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

import torch
from nltk.tokenize.treebank import TreebankWordDetokenizer
from nltk.tree import Tree
from torch import Tensor

from transformer.inspection.word_attention import WordAttention, word_attention
from transformer.model.transformer import Transformer
from transformer.parsing.trees import words_of as leaves_of
from transformer.subwords.subwords import Subwords

Relation = Callable[[Tree], tuple[int, int] | None]

# How the treebank writes these marks, and how text does.
MARKS = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")"}
_detokenizer = TreebankWordDetokenizer()


class Cases(NamedTuple):
    """The sentences with a relation: for each, what every head (N, h) does, and how far the key word is.

    ``hits`` says whether the head's largest weight falls on the key word, and ``offsets`` are in words.  ``skipped``
    counts sentences whose subwords do not spell the words of the tree.
    """

    hits: list[Tensor]
    offsets: list[int]
    skipped: int


def find_cases(model: Transformer, subwords: Subwords, trees: Iterable[Tree], relation: Relation) -> Cases:
    """Let ``model`` read each sentence that has the relation.  Raises UserError as :func:`word_attention` does."""
    hits, offsets, skipped = [], [], 0
    for tree in trees:
        if (found := relation(tree)) is None:
            continue
        leaves = leaves_of(tree)
        text = _detokenizer.detokenize(leaves, convert_parentheses=True)
        attention = word_attention(model, subwords, subwords.encode(text), [])["encoder"]
        if (places := align(leaves, attention.keys[:-1])) is None:
            skipped += 1
            continue
        query, key = (places[index] for index in found)
        hits.append(strongest(attention, query) == key)
        offsets.append(key - query)
    return Cases(hits, offsets, skipped)


def align(leaves: list[str], words: list[str]) -> list[int] | None:
    """Return for each leaf of a tree the index of the word that it begins in; None if the words spell another text.

    >>> align(["Anna", "'s", "dog", "can", "not", "run", "."], ["Anna's", "dog", "cannot", "run", "."])
    [0, 0, 1, 2, 2, 3, 4]
    """
    leaves = [MARKS.get(leaf, leaf) for leaf in leaves]
    if "".join(leaves) != "".join(words):
        return None
    word_at = [index for index, word in enumerate(words) for _ in word]
    starts = itertools.accumulate(map(len, leaves[:-1]), initial=0)
    return [word_at[start] for start in starts]


def strongest(attention: WordAttention, query: int) -> Tensor:
    """Return, for each layer and head (N, h), the word with the largest weight from the word ``query``.

    The query itself, punctuation and <EOS> do not count: no relation leads there, and heads that have found nothing
    rest on them.
    """
    words = enumerate(attention.keys[:-1])  # without <EOS>
    others = [index for index, word in words if index != query and any(map(str.isalnum, word))]
    return torch.tensor(others)[attention.weights[:, :, query, others].argmax(-1)]


def role(dev: Cases, test: Cases) -> dict[str, int]:
    """Choose head and offset in the sentences of ``dev``, and count the sentences of ``test`` in which each is right.

    ``only_head`` and ``only_offset`` count those where the other is wrong, for a sign test.  Layers and heads count
    from 1.
    """
    right = torch.stack(dev.hits).sum(0)  # (N, h)
    layer, head = divmod(int(right.argmax()), right.shape[1])
    ((offset, _),) = Counter(dev.offsets).most_common(1)
    by_head = torch.stack(test.hits)[:, layer, head]
    by_offset = torch.tensor(test.offsets) == offset
    return {
        "dev_sentences": len(dev.hits),
        "test_sentences": len(test.hits),
        "skipped": dev.skipped + test.skipped,
        "layer": layer + 1,
        "head": head + 1,
        "head_right": int(by_head.sum()),
        "only_head": int((by_head & ~by_offset).sum()),
        "offset": offset,
        "offset_right": int(by_offset.sum()),
        "only_offset": int((by_offset & ~by_head).sum()),
    }
