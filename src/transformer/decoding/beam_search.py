"""Beam search (section 6.1), by the rules of the 2017 code.

A hypothesis of ``len`` tokens (EOS included) scores log P / ((5 + len) / 6)^α, the length penalty of
Wu et al. (2016), equation 14.  At each step the 2 · beam_size best continuations of a sentence's hypotheses
are looked at, so that at least beam_size of them do not end; those that end are finished, the best
beam_size of the others live on.

Shapes: B sentences, K = beam_size hypotheses of each, V vocabulary entries, t tokens so far.
"""

import dataclasses
import math
from typing import Protocol

import torch
from torch import Tensor

from transformer.common.special_tokens import EOS, PAD
from transformer.decoding.incremental import IncrementalDecoder
from transformer.model.transformer import Transformer

COMPACT_SHARE = 0.2  # of the sentences, when so many are finished they leave the batch
LOGITS_AT_ONCE = {"cpu": 1 << 19, "cuda": 1 << 28}  # numbers: a share of a cache; of a GPU's memory


@dataclasses.dataclass(frozen=True)
class BeamConfig:
    """The paper's values are 4, 0.6 and 50."""

    beam_size: int
    alpha: float
    max_extra_tokens: int  # tokens by which an output may be longer than its input

    def __post_init__(self) -> None:
        if self.beam_size < 1:
            raise ValueError(f"beam_size is {self.beam_size}; it must be at least 1")
        if self.alpha < 0:
            raise ValueError(f"alpha is {self.alpha}; it must not be negative")
        if self.max_extra_tokens < 0:
            raise ValueError(f"max_extra_tokens is {self.max_extra_tokens}; it must not be negative")


class Constraint(Protocol):
    """What may follow each hypothesis; see tree_constraint.py."""

    def allowed(self) -> Tensor:
        """Which tokens may come next, (B, K, V): at least one after each hypothesis that may live."""

    def advance(self, parents: Tensor, tokens: Tensor) -> None:
        """Let hypothesis k be what ``parents[:, k]`` was, with ``tokens[:, k]`` behind it; both (B, K)."""

    def keep_sentences(self, sentences: Tensor) -> None:
        """Keep these of the B sentences."""


def length_penalty(length: int | Tensor, alpha: float) -> float | Tensor:
    """((5 + length) / 6)^α, by which a log-probability is divided."""
    return ((5 + length) / 6) ** alpha


def greatest_lengths(source: Tensor, config: BeamConfig) -> Tensor:
    """The most tokens that a hypothesis for each row of source (B, S) may have, EOS included, (B,)."""
    return (source != PAD).sum(1) + config.max_extra_tokens


@torch.inference_mode()
def beam_search(
    model: Transformer, source: Tensor, config: BeamConfig, constraint: Constraint | None = None
) -> list[list[int]]:
    """The best hypothesis for each row of source (B, S), padded: token ids without EOS.

    With a ``constraint``, the best of those that it allows; their log P are the model's own.

    A sentence leaves the search as soon as nothing alive can still beat its best finished hypothesis:
    log-probabilities only fall, so an alive one can reach at most its present log P over the penalty at
    the greatest length.  (The 2017 code waits until beam_size finished ones cannot be beaten; the best of
    them is the same.)  Where nothing has finished at the greatest length, the best alive one is taken.
    """
    search = _Search(model, source, config, constraint)
    while len(search.sentences):
        search.step()
    return search.results


class _Search:
    """The state of a search; ``sentences`` says which rows of the source its B rows are."""

    def __init__(
        self, model: Transformer, source: Tensor, config: BeamConfig, constraint: Constraint | None
    ) -> None:
        B, K, device = len(source), config.beam_size, source.device
        self.model, self.config, self.constraint, self.device = model, config, constraint, device
        self.decoder = IncrementalDecoder(model, source, K)
        self.max_lengths = greatest_lengths(source, config)  # (B,)
        self.sentences = torch.arange(B, device=device)
        self.tokens = torch.full((B, K, 1), PAD, device=device)  # the first input, then the hypotheses
        self.log_p = torch.full((B, K), -math.inf, device=device)
        self.log_p[:, 0] = 0  # one hypothesis at first: K equal ones would stay equal
        self.best_score = torch.full((B,), -math.inf, device=device)  # of the finished
        self.best_tokens: list[list[int]] = [[] for _ in range(B)]
        self.searching = torch.ones(B, dtype=torch.bool, device=device)
        self.results: list[list[int]] = [[] for _ in range(B)]

    def step(self) -> None:
        """Lengthen all hypotheses by a token."""
        log_p, parents, tokens = self._candidates()
        length = self.tokens.shape[2]  # with the new token, without the first input
        ends = tokens == EOS
        self._finish(log_p.masked_fill(~ends, -math.inf) / length_penalty(length, self.config.alpha), parents)
        self.log_p, chosen = log_p.masked_fill(ends, -math.inf).topk(self.config.beam_size)  # (B, K)
        parents, tokens = parents.gather(1, chosen), tokens.gather(1, chosen)
        history = self.tokens.gather(1, parents[:, :, None].expand(-1, -1, length))
        self.tokens = torch.cat((history, tokens[:, :, None]), 2)
        if self.constraint is not None:
            self.constraint.advance(parents, tokens)
        self._leave_and_reorder(parents, length)

    def _candidates(self) -> tuple[Tensor, Tensor, Tensor]:
        """The 2K best continuations of each sentence: log P, parent hypothesis and token, each (B, 2K)."""
        B, K = self.log_p.shape
        states = self.decoder.step(self.tokens[:, :, -1]).flatten(0, 1)  # (B * K, d_model)
        rows = max(1, LOGITS_AT_ONCE[states.device.type] // self.model.config.output_size)
        allowed = None if self.constraint is None else self.constraint.allowed().flatten(0, 1)  # (B * K, V)
        parts = [
            self._best_tokens(part, None if allowed is None else allowed[start : start + rows])
            for start, part in zip(range(0, B * K, rows), states.split(rows), strict=True)
        ]
        best, ids = (torch.cat(part).view(B, K, -1) for part in zip(*parts, strict=True))
        # The 2K best of a sentence are among the 2K best of each of its hypotheses.
        scores = self.log_p[:, :, None] + best  # (B, K, 2K)
        log_p, flat = scores.flatten(1).topk(min(2 * K, scores[0].numel()))  # (B, 2K)
        return log_p, flat // best.shape[-1], ids.flatten(1).gather(1, flat)

    def _best_tokens(self, states: Tensor, allowed: Tensor | None) -> tuple[Tensor, Tensor]:
        """The 2K best next tokens after each of n states (n, d_model): log P and token, each (n, 2K)."""
        logits = self.model.logits(states).float()  # (n, V)
        total = logits.logsumexp(1, keepdim=True)  # of all entries: that PAD is never chosen changes no log P
        logits[:, PAD] = -math.inf
        if allowed is not None:
            logits.masked_fill_(~allowed, -math.inf)
        best, ids = logits.topk(min(2 * self.config.beam_size, logits.shape[1]))
        return best - total, ids

    def _finish(self, scores: Tensor, parents: Tensor) -> None:
        """Note each sentence's best finished hypothesis; scores (B, 2K) are -inf where nothing ended."""
        score, place = scores.max(1)
        for row in torch.nonzero(score > self.best_score)[:, 0].tolist():
            parent = int(parents[row, place[row]])
            self.best_tokens[row] = self.tokens[row, parent, 1:].tolist()
        self.best_score = torch.maximum(self.best_score, score)

    def _leave_and_reorder(self, parents: Tensor, length: int) -> None:
        """Let finished sentences leave once they are many, and line the cache up with the hypotheses."""
        best_alive = self.log_p[:, 0] / length_penalty(self.max_lengths, self.config.alpha)
        done = self.searching & ((self.best_score >= best_alive) | (length >= self.max_lengths))  # (B,)
        for row in torch.nonzero(done)[:, 0].tolist():
            unfinished = self.best_score[row] == -math.inf
            tokens = self.tokens[row, 0, 1:].tolist() if unfinished else self.best_tokens[row]
            self.results[int(self.sentences[row])] = tokens
        self.searching &= ~done
        self.log_p.masked_fill_(~self.searching[:, None], -math.inf)
        B, K = parents.shape
        rows = torch.arange(B, device=self.device)[:, None] * K + parents  # (B, K) rows of the cache
        if int((~self.searching).sum()) >= max(1, COMPACT_SHARE * B):
            stay = torch.nonzero(self.searching)[:, 0]
            self._select(stay)
            self.decoder.keep_sentences(stay)
            rows = rows[stay]
        if len(rows):
            self.decoder.reorder(rows.flatten())

    def _select(self, stay: Tensor) -> None:
        """Keep these of the B sentences."""
        self.best_tokens = [self.best_tokens[row] for row in stay.tolist()]
        self.sentences, self.max_lengths = self.sentences[stay], self.max_lengths[stay]
        self.tokens, self.log_p, self.best_score = self.tokens[stay], self.log_p[stay], self.best_score[stay]
        self.searching = self.searching[stay]
        if self.constraint is not None:
            self.constraint.keep_sentences(stay)
