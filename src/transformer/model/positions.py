"""Section 3.5: positional encodings, those of the 2017 code, and an encoding of our own that also counts words."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn


def sinusoids(length: int, d_model: int) -> Tensor:
    """Return the table of section 3.5: PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) the cosine.

    Returns (length, d_model) in float32.  It is computed in float64, because the angle of a late position
    would lose its fractional part in float32.
    """
    position = torch.arange(length, dtype=torch.float64)[:, None]  # (length, 1)
    even = torch.arange(0, d_model, 2, dtype=torch.float64)  # 2i
    angle = position / 10000 ** (even / d_model)  # (length, d_model / 2)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1).float()


def sinusoids_in_halves(length: int, d_model: int) -> Tensor:
    """Return the table of the 2017 code: PE(pos, i) = sin(pos / 10000^(i/(d_model/2 - 1))) for i < d_model/2.

    The second half has the cosines of the same angles.  So sines and cosines do not alternate, and the wavelengths
    grow up to 10000 · 2π, which those of section 3.5 do not quite reach.  Returns (length, d_model) in float32.
    """
    position = torch.arange(length, dtype=torch.float64)[:, None]  # (length, 1)
    exponent = torch.linspace(0, 1, d_model // 2, dtype=torch.float64)  # i / (d_model/2 - 1)
    angle = position / 10000**exponent  # (length, d_model / 2)
    return torch.cat((angle.sin(), angle.cos()), dim=-1).float()


class Positions(nn.Module):
    """Encodings of positions.  Those of one subclass also depend on words, which the others do not count."""

    def count_source(self, tokens: Tensor) -> Tensor | None:
        """Return the number, from 1, of the word that each of tokens (B, S) belongs to: (B, S)."""
        return None

    def count_target(self, tokens: Tensor, before: Tensor | None = None) -> Tensor | None:
        """Return the number, from 1, of the word that follows each of tokens (B, T): (B, T).

        ``before`` (B, 1) is the number that the preceding token got; without it, ``tokens`` begin the sentence.
        """
        return None


class SinusoidalPositions(Positions):
    """Fixed encodings.  Their table grows to fit longer sentences, and is not saved in checkpoints."""

    table: Tensor

    def __init__(
        self, d_model: int, length: int = 256, formula: Callable[[int, int], Tensor] = sinusoids
    ) -> None:
        super().__init__()
        self.formula = formula
        self.register_buffer("table", formula(length, d_model), persistent=False)

    def forward(self, start: int, end: int, words: Tensor | None = None) -> Tensor:
        """Return the encodings of positions ``start`` to ``end`` - 1: (end - start, d_model)."""
        if end > len(self.table):
            longer = self.formula(max(end, 2 * len(self.table)), self.table.shape[1])
            self.table = longer.to(self.table.device)
        return self.table[start:end]


class LearnedPositions(Positions):
    """Learned encodings, row (E) of Table 3.  Positions past the table use its last row."""

    def __init__(self, d_model: int, length: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(length, d_model))
        nn.init.normal_(self.table, std=d_model**-0.5)

    def forward(self, start: int, end: int, words: Tensor | None = None) -> Tensor:
        """Return the encodings of positions ``start`` to ``end`` - 1: (end - start, d_model)."""
        if end <= len(self.table):
            return self.table[start:end]
        rows = torch.arange(start, end, device=self.table.device).clamp(max=len(self.table) - 1)
        return self.table[rows]


class WordPositions(Positions):
    """Sinusoids of two positions: half of the entries encode the token's position, half its word's position.

    This encoding is not in the paper.  In parsing, each symbol of the tree belongs to one word of the input, which the
    decoder must find by counting.  With few trees, learning to count takes most of the training and works only up to
    the lengths seen there.  Here the count is given: a source token gets the number of its word, a target token the
    number of the word that comes next.  The vocabulary says which tokens are words, and the model's file keeps it.
    """

    source_words: Tensor  # (V,): 1 for a token that begins a word
    target_words: Tensor  # (V,): 1 for a token that stands for a word

    def __init__(self, d_model: int, source_size: int, target_size: int) -> None:
        super().__init__()
        self.sinusoids = SinusoidalPositions(d_model // 2)
        self.register_buffer("source_words", torch.zeros(source_size))
        self.register_buffer("target_words", torch.zeros(target_size))

    def set_words(self, source: Sequence[bool], target: Sequence[bool]) -> None:
        """Set which entries of the two vocabularies are counted as words."""
        self.source_words.copy_(torch.tensor(source))
        self.target_words.copy_(torch.tensor(target))

    def count_source(self, tokens: Tensor) -> Tensor:
        return self.source_words[tokens].long().cumsum(1)

    def count_target(self, tokens: Tensor, before: Tensor | None = None) -> Tensor:
        return self.target_words[tokens].long().cumsum(1) + (1 if before is None else before)

    def forward(self, start: int, end: int, words: Tensor | None = None) -> Tensor:
        """Return the encodings (B, end - start, d_model) of positions ``start`` to ``end`` - 1 in these words."""
        assert words is not None
        by_token = self.sinusoids(start, end).expand(*words.shape, -1)
        by_word = self.sinusoids(0, end + 2)[words]  # there are no more words than tokens
        return torch.cat((by_token, by_word), dim=-1)
