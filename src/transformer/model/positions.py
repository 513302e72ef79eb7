"""Section 3.5: positional encodings, and one that counts words as well."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def sinusoids(length: int, d_model: int) -> Tensor:
    """The table of section 3.5: PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) the cosine.

    Returns (length, d_model) in float32, computed in float64: the angle of a late position would lose
    its fractional part otherwise.
    """
    position = torch.arange(length, dtype=torch.float64)[:, None]  # (length, 1)
    even = torch.arange(0, d_model, 2, dtype=torch.float64)  # 2i
    angle = position / 10000 ** (even / d_model)  # (length, d_model / 2)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1).float()


class SinusoidalPositions(nn.Module):
    """Fixed encodings; the table grows when a longer sentence comes, and is in no checkpoint."""

    table: Tensor

    def __init__(self, d_model: int, length: int = 256) -> None:
        super().__init__()
        self.register_buffer("table", sinusoids(length, d_model), persistent=False)

    def forward(self, start: int, end: int) -> Tensor:
        """The encodings of positions ``start`` to ``end`` - 1: (end - start, d_model)."""
        if end > len(self.table):
            self.table = sinusoids(max(end, 2 * len(self.table)), self.table.shape[1]).to(self.table.device)
        return self.table[start:end]


class LearnedPositions(nn.Module):
    """Learned encodings, row (E) of Table 3; positions past the table use its last row."""

    def __init__(self, d_model: int, length: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(length, d_model))
        nn.init.normal_(self.table, std=d_model**-0.5)

    def forward(self, start: int, end: int) -> Tensor:
        """The encodings of positions ``start`` to ``end`` - 1: (end - start, d_model)."""
        if end <= len(self.table):
            return self.table[start:end]
        rows = torch.arange(start, end, device=self.table.device).clamp(max=len(self.table) - 1)
        return self.table[rows]


class WordPositions(nn.Module):
    """Two counts in one encoding: half of its entries are the sinusoids of the token, half those of the word.

    Not of the paper.  A tree has several symbols to a word, and each of them is about one word of the input, which the
    decoder finds by counting; with few trees it takes most of the training to learn to count, and only as far as
    sentences are long there.  Here it is told: a source token has the number of its word, a target token that of the
    word that comes next.  Which tokens are words, a vocabulary knows, and the model's files say.
    """

    source_words: Tensor  # (V,): 1 for a token that begins a word
    target_words: Tensor  # (V,): 1 for a token after which the next word's turn comes

    def __init__(self, d_model: int, source_size: int, target_size: int) -> None:
        super().__init__()
        self.sinusoids = SinusoidalPositions(d_model // 2)
        self.register_buffer("source_words", torch.zeros(source_size))
        self.register_buffer("target_words", torch.zeros(target_size))

    def tell_words(self, source: Sequence[bool], target: Sequence[bool]) -> None:
        """Say of each entry of either vocabulary whether it is counted."""
        self.source_words.copy_(torch.tensor(source))
        self.target_words.copy_(torch.tensor(target))

    def of_source(self, tokens: Tensor) -> Tensor:
        """The word that each of tokens (B, S) belongs to, from 1: (B, S)."""
        return self.source_words[tokens].long().cumsum(1)

    def of_target(self, tokens: Tensor, before: Tensor | None = None) -> Tensor:
        """The word that comes next after each of tokens (B, T), from 1: (B, T); ``before`` (B, 1) is what came last."""
        return self.target_words[tokens].long().cumsum(1) + (1 if before is None else before)

    def forward(self, start: int, end: int, words: Tensor) -> Tensor:
        """The encodings of positions ``start`` to ``end`` - 1, of these words (B, end - start): (B, …, d_model)."""
        of_tokens = self.sinusoids(start, end).expand(*words.shape, -1)
        of_words = self.sinusoids(0, end + 2)[words]  # there are no more words than tokens
        return torch.cat((of_tokens, of_words), dim=-1)
