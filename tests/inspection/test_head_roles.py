"""A head is right where its largest weight falls on the key word, and is compared with a fixed offset."""

import torch

from transformer.inspection.head_roles import Cases, align, role, strongest
from transformer.inspection.word_attention import WordAttention

WORDS = ["The", "dog", ",", "which", "sleeps", ",", "snores", ".", "<EOS>"]


def test_the_query_punctuation_and_the_end_do_not_count() -> None:
    weights = torch.zeros(2, 2, len(WORDS), len(WORDS))
    snores = weights[:, :, 6]
    snores[..., [2, 5, 6, 7, 8]] = 0.15
    snores[..., 0] = 0.05
    snores[1, 0, 1] = 0.1  # only this head follows the verb's subject
    assert strongest(WordAttention(WORDS, WORDS, weights), 6).tolist() == [[0, 0], [1, 0]]


def test_leaves_are_found_in_words() -> None:
    assert align(["``", "Anna", "'s", "U.S.", "dog"], ["\"Anna's", "U.S", ".", "dog"]) == [0, 0, 0, 1, 3]
    assert align(["a", "dog"], ["a", "⁇"]) is None


def cases(*sentences: tuple[list[list[int]], int]) -> Cases:
    return Cases([torch.tensor(hits).bool() for hits, _ in sentences], [k for _, k in sentences], skipped=1)


def test_head_and_offset_are_chosen_on_the_development_set() -> None:
    none, second, both = [[0, 0], [0, 0]], [[0, 0], [0, 1]], [[1, 0], [0, 1]]
    dev = cases((second, -3), (both, -4), (none, -3))
    test = cases((both, -3), (second, -4), (second, -4), (none, -3), ([[1, 1], [1, 0]], -4))
    assert role(dev, test) == {
        "dev_sentences": 3,
        "test_sentences": 5,
        "skipped": 2,
        "layer": 2,
        "head": 2,
        "head_right": 3,
        "only_head": 2,
        "offset": -3,
        "offset_right": 2,
        "only_offset": 1,
    }
