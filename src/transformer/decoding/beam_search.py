"""Beam search (section 6.1), by the rules of the 2017 code.

A hypothesis of ``len`` tokens (EOS included) has the score log P / ((5 + len) / 6)^α, with the length penalty
of Wu et al. (2016), equation 14.  Each step considers the 2 · beam_size best continuations of a sentence's
hypotheses, of which at most beam_size can end in EOS.  Those that do are finished; the best beam_size of the
others stay alive.

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

COMPACT_SHARE = 0.2  # finished sentences are removed when they make up this share of the batch
LOGITS_AT_ONCE = {"cpu": 1 << 19, "cuda": 1 << 28}  # a part of a processor's cache, or of a GPU's memory


@dataclasses.dataclass(frozen=True)
class BeamConfig:
    """The settings of a beam search.  The paper's are 4, 0.6 and 50."""

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
    """The tokens that may follow each hypothesis; see ``parsing/tree_constraint.py``."""

    def allowed(self) -> Tensor:
        """Return which tokens may come next, (B, K, V): at least one after each allowed hypothesis."""

    def advance(self, parents: Tensor, tokens: Tensor) -> None:
        """Make hypothesis ``parents[:, k]``, followed by ``tokens[:, k]``, the new hypothesis k; both are (B, K)."""

    def keep_sentences(self, sentences: Tensor) -> None:
        """Keep only these of the B sentences."""


def length_penalty(length: int | Tensor, alpha: float) -> float | Tensor:
    """Return ((5 + length) / 6)^α, which divides a log-probability (Wu et al. 2016, equation 14)."""
    return ((5 + length) / 6) ** alpha


def max_output_lengths(source: Tensor, config: BeamConfig) -> Tensor:
    """Return the maximal length (B,), EOS included, of a hypothesis for each row of source (B, S)."""
    return (source != PAD).sum(1) + config.max_extra_tokens


@torch.inference_mode()
def beam_search(
    model: Transformer, source: Tensor, config: BeamConfig, constraint: Constraint | None = None
) -> list[list[int]]:
    """Return the best hypothesis for each row of the padded source (B, S), as token ids without EOS.

    A ``constraint`` limits the search to the hypotheses that it allows, without changing their log P.

    The search of a sentence ends as soon as no alive hypothesis can beat the best finished one.  Log-probabilities
    only fall, so an alive hypothesis can reach at most its current log P divided by the penalty of the maximal length.
    (The 2017 code waits until beam_size finished ones cannot be beaten, and finds the same best hypothesis.)  If none
    has finished at the maximal length, the result is the best alive one.
    """
    search = _Search(model, source, config, constraint)
    while len(search.sentences):
        search.step()
    return search.results


class _Search:
    """The state of a search.  ``sentences`` holds the indices of its B rows in the source."""

    def __init__(
        self, model: Transformer, source: Tensor, config: BeamConfig, constraint: Constraint | None
    ) -> None:
        B, K, device = len(source), config.beam_size, source.device
        self.model, self.config, self.constraint, self.device = model, config, constraint, device
        self.decoder = IncrementalDecoder(model, source, K)
        self.max_lengths = max_output_lengths(source, config)  # (B,)
        self.sentences = torch.arange(B, device=device)
        self.tokens = torch.full((B, K, 1), PAD, device=device)  # the first input, then each hypothesis
        self.log_p = torch.full((B, K), -math.inf, device=device)
        self.log_p[:, 0] = 0  # the search starts with one hypothesis: K equal ones would stay equal
        self.best_score = torch.full((B,), -math.inf, device=device)  # of the finished hypotheses
        self.best_tokens: list[list[int]] = [[] for _ in range(B)]
        self.searching = torch.ones(B, dtype=torch.bool, device=device)
        self.results: list[list[int]] = [[] for _ in range(B)]

    def step(self) -> None:
        """Extend all hypotheses by one token."""
        log_p, parents, tokens = self._candidates()
        length = self.tokens.shape[2]  # includes the new token, but not the first input
        ends = tokens == EOS
        self._finish(log_p.masked_fill(~ends, -math.inf) / length_penalty(length, self.config.alpha), parents)
        self.log_p, chosen = log_p.masked_fill(ends, -math.inf).topk(self.config.beam_size)  # (B, K)
        parents, tokens = parents.gather(1, chosen), tokens.gather(1, chosen)
        history = self.tokens.gather(1, parents[:, :, None].expand(-1, -1, length))
        self.tokens = torch.cat((history, tokens[:, :, None]), 2)
        if self.constraint is not None:
            self.constraint.advance(parents, tokens)
        self._remove_and_reorder(parents, length)

    def _candidates(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return the 2K best continuations of each sentence: log P, parent hypothesis and token, each (B, 2K)."""
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
        """Return the 2K best next tokens after each of n states (n, d_model): log P and token, each (n, 2K)."""
        logits = self.model.logits(states).float()  # (n, V)
        total = logits.logsumexp(1, keepdim=True)  # over all entries: excluding tokens does not change log P
        logits = logits[:, : self.model.config.target_entries]  # rows without a token are never output
        logits[:, PAD] = -math.inf
        if allowed is not None:
            logits.masked_fill_(~allowed, -math.inf)
        best, ids = logits.topk(min(2 * self.config.beam_size, logits.shape[1]))
        return best - total, ids

    def _finish(self, scores: Tensor, parents: Tensor) -> None:
        """Update each sentence's best finished hypothesis; scores (B, 2K) are -inf for those that did not end."""
        score, place = scores.max(1)
        for row in torch.nonzero(score > self.best_score)[:, 0].tolist():
            parent = int(parents[row, place[row]])
            self.best_tokens[row] = self.tokens[row, parent, 1:].tolist()
        self.best_score = torch.maximum(self.best_score, score)

    def _remove_and_reorder(self, parents: Tensor, length: int) -> None:
        """Remove finished sentences once there are many, and reorder the cache like the hypotheses."""
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
        """Keep only these of the B sentences."""
        self.best_tokens = [self.best_tokens[row] for row in stay.tolist()]
        self.sentences, self.max_lengths = self.sentences[stay], self.max_lengths[stay]
        self.tokens, self.log_p, self.best_score = self.tokens[stay], self.log_p[stay], self.best_score[stay]
        self.searching = self.searching[stay]
        if self.constraint is not None:
            self.constraint.keep_sentences(stay)
