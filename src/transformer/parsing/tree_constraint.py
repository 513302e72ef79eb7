"""Decoding limited to trees: which symbols may come next, so that each hypothesis becomes a tree over its sentence.

A linearised tree is a sequence of openings, words and closings (parsing/linearise.py).  It is enough to know how many
words each hypothesis has used and which constituents are open: the rules of :meth:`TreeConstraint.allowed` then allow
at least one symbol at every step, and only trees at the end.

Shapes: B sentences, K hypotheses of each, V symbols of the vocabulary, D constituents that may be open at a time.
"""

import torch
from torch import Tensor
from torch.nn import functional as F

from transformer.common.special_tokens import EOS
from transformer.subwords.symbols import is_word
from transformer.subwords.vocabularies import Symbols

STACK = 16  # constituents by which the stack grows
MOST_OPENINGS = 8  # in a row: the treebank's trees have at most 6


class TreeConstraint:
    """The state of all hypotheses of a search, updated at each of its steps."""

    def __init__(self, symbols: Symbols, words: Tensor, max_lengths: Tensor, K: int) -> None:
        """Take the number of words (B,) and the maximal number of symbols (B,), EOS included, of each sentence.

        A tree has at least an opening, the words, a closing and EOS, so that many symbols must be allowed.
        """
        B, device = len(words), words.device
        # Of all ids; those that are not symbols have none.
        pieces = [""] * symbols.first_id + [*symbols.symbols]
        labels = sorted({piece[1:] for piece in pieces if piece.startswith("(")})
        numbers = {label: number for number, label in enumerate(labels)}
        # For each symbol, the number of the label that it opens or closes, or -1.
        self.opens, self.closes = (
            torch.tensor(
                [numbers.get(piece[1:], -1) if piece.startswith(bracket) else -1 for piece in pieces],
                device=device,
            )
            for bracket in "()"
        )
        self.is_word = torch.tensor([piece != "" and is_word(piece) for piece in pieces], device=device)
        self.is_end = torch.arange(len(pieces), device=device) == EOS
        self.left = words[:, None].expand(B, K)  # words that are still to come
        self.room = max_lengths[:, None].expand(B, K)  # symbols that still fit
        self.openings = torch.zeros(B, K, dtype=torch.long, device=device)  # openings at the end
        self.depth = torch.zeros(B, K, dtype=torch.long, device=device)  # constituents that are open
        # (B, K, D): their labels, the outermost first
        self.stack = torch.full((B, K, STACK), -1, device=device)
        self.room_on_stack = STACK  # steps for which the stack is high enough, whatever is opened

    def allowed(self) -> Tensor:
        """Return which symbols may come next, (B, K, V)."""
        inside, words_left = self.depth > 0, self.left > 0
        # After an opening, the words left, one closing more than now, and EOS must still fit.
        fits = self.room - 1 >= self.left + self.depth + 2
        # The outermost constituent closes after the last word, so if none is open and words are left, none was opened.
        may_open = words_left & (self.openings < MOST_OPENINGS) & fits
        # A constituent that was just opened holds no word yet.
        may_close = inside & (self.openings == 0) & ((self.depth > 1) | ~words_left)
        may_end = ~inside & ~words_left
        top = self.stack.gather(2, (self.depth - 1).clamp_min(0)[:, :, None])  # (B, K, 1)
        return (
            ((self.opens >= 0) & may_open[:, :, None])
            | (self.is_word & (inside & words_left)[:, :, None])
            | ((self.closes >= 0) & (self.closes == top) & may_close[:, :, None])
            | (self.is_end & may_end[:, :, None])
        )

    def advance(self, parents: Tensor, tokens: Tensor) -> None:
        """Let hypothesis k continue hypothesis ``parents[:, k]`` with ``tokens[:, k]``; both are (B, K).

        A token that was not allowed raises no error and leaves a meaningless state.  A search takes such tokens when
        fewer than K hypotheses are left.
        """
        opens, closes = self.opens[tokens], self.closes[tokens]  # (B, K)
        opened, closed = (opens >= 0).long(), (closes >= 0).long()
        self.room = self.room.gather(1, parents) - 1
        self.left = self.left.gather(1, parents) - self.is_word[tokens].long()
        self.openings = (self.openings.gather(1, parents) + 1) * opened
        depth = self.depth.gather(1, parents)
        stack = self.stack.gather(1, parents[:, :, None].expand_as(self.stack))
        if self.room_on_stack == 0:
            self.room_on_stack = stack.shape[2] - int(depth.max())  # the host waits for the device
            if self.room_on_stack < STACK // 2:
                stack = F.pad(stack, (0, STACK), value=-1)
                self.room_on_stack += STACK
        self.room_on_stack -= 1
        # A hypothesis that opens nothing writes above its stack, too, but this entry is overwritten before it is read.
        self.stack = stack.scatter(2, depth[:, :, None], opens[:, :, None])
        self.depth = (depth + opened - closed).clamp_min(0)

    def keep_sentences(self, sentences: Tensor) -> None:
        """Keep only these of the B sentences."""
        self.left, self.room, self.openings, self.depth, self.stack = (
            state[sentences] for state in (self.left, self.room, self.openings, self.depth, self.stack)
        )
