"""Beam search (section 6.1), by the rules of the 2017 code.

A hypothesis of ``len`` tokens (EOS included) has the score log P / ((5 + len) / 6)^α, with the length penalty
of Wu et al. (2016), equation 14.  Each step considers the 2 · beam_size best continuations of a sentence's
hypotheses, of which at most beam_size can end in EOS.  Those that do are finished; the best beam_size of the
others stay alive.  A beam of one is greedy decoding, as in the 2017 code: each step considers only the best
continuation, and a sentence ends when that is EOS.

Shapes: B sentences, K = beam_size hypotheses of each, n = nbest that are wanted of each, C continuations that a step
considers, V vocabulary entries, t tokens so far.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor
from torch.nn import functional as F

from transformer.common.special_tokens import EOS, PAD
from transformer.decoding.incremental import IncrementalDecoder, SearchModel
from transformer.settings.run_settings import BeamConfig

COMPACT_SHARE = 0.2  # finished sentences are removed when they make up this share of the batch
# Steps from one look at the state of the search to the next.  A look makes the host wait for a GPU, and costs nothing
# on a CPU.  The steps in between do not change the result of a sentence that has finished.
STEPS_BETWEEN_LOOKS = {"cpu": 1, "cuda": 8}


@dataclass(frozen=True)
class Hypothesis:
    """An output that a search has found, as token ids without EOS."""

    tokens: list[int]
    log_p: float  # natural logarithm, with that of EOS
    score: float  # log_p divided by the length penalty
    is_cut: bool = False  # at the maximal length, where no hypothesis had ended


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
    model: SearchModel, source: Tensor, config: BeamConfig, constraint: Constraint | None = None
) -> list[list[Hypothesis]]:
    """Return the ``config.nbest`` best hypotheses for each row of the padded source (B, S), the best one first.

    A ``constraint`` limits the search to the hypotheses that it allows, without changing their log P.

    The search of a sentence ends as soon as no alive hypothesis can beat the n-th best finished one.  Log-probabilities
    only fall, so an alive hypothesis can reach at most its current log P divided by the penalty of the maximal length.
    (The 2017 code waits until beam_size finished ones cannot be beaten, and finds the same best hypothesis.)  Where
    fewer have finished at the maximal length, there are fewer; if none has, the result is the best alive one.
    """
    search = _Search(model, source, config, constraint)
    while search.alive():
        search.step()
    return search.results()


class _Search:
    """The state of a search, on the model's device.

    ``sentences`` holds the indices of its B rows in the source.
    """

    def __init__(
        self, model: SearchModel, source: Tensor, config: BeamConfig, constraint: Constraint | None
    ) -> None:
        B, K, n, device = len(source), config.beam_size, config.nbest, source.device
        self.config, self.constraint = config, constraint
        self.considered = 1 if K == 1 else 2 * K  # continuations of a sentence in each step, C
        self.max_lengths = max_output_lengths(source, config)  # (B,)
        self.shortest, self.longest = (int(length) for length in self.max_lengths.aminmax())
        self.decoder = IncrementalDecoder(model, source, K)
        self.entries = model.config.target_entries
        self.length = 0  # t
        self.sentences = torch.arange(B, device=device)
        self.searching = torch.ones(B, dtype=torch.bool, device=device)
        # The search starts with one hypothesis, which is empty.  From the first step on, there are K.
        self.last = torch.full((B, 1), PAD, device=device)  # the newest tokens; PAD is the first input
        self.log_p = torch.zeros(B, 1, device=device)
        self.tokens = torch.full((B, K, self.longest), PAD, device=device)  # of each hypothesis; t are in use
        # The best hypotheses of each sentence: finished ones, or else the best alive one.
        self.best_score = torch.full((B, n), -math.inf, device=device)
        self.best_tokens = torch.full((B, n, self.longest), PAD, device=device)
        self.best_length = torch.zeros((B, n), dtype=torch.long, device=device)  # in tokens without EOS
        self.set_aside: list[list[Tensor]] = []  # what was found for sentences that were removed

    def step(self) -> None:
        """Extend all hypotheses by one token."""
        log_p, parents, tokens = self._candidates()
        ends = tokens == EOS
        penalty = length_penalty(self.length + 1, self.config.alpha)
        self._finish(log_p.masked_fill(~ends, -math.inf) / penalty, parents)
        self.log_p, chosen = log_p.masked_fill_(ends, -math.inf).topk(self.config.beam_size)  # (B, K)
        parents, self.last = parents.gather(1, chosen), tokens.gather(1, chosen)
        self.tokens[:, :, : self.length] = self._history(parents)
        self.tokens[:, :, self.length] = self.last
        self.length += 1
        if self.constraint is not None:
            self.constraint.advance(parents, self.last)
        self.decoder.reorder(parents)
        self._stop()

    def alive(self) -> bool:
        """Return whether a sentence is still searched.  At times, look at which are, and remove the others."""
        if self.length == self.longest:
            return False
        if self.length % STEPS_BETWEEN_LOOKS[self.sentences.device.type] or not self.length:
            return True
        searching = self.searching.tolist()
        if not any(searching):
            return False
        if searching.count(False) >= max(1, COMPACT_SHARE * len(searching)):
            self._set_aside([row for row, still in enumerate(searching) if not still])
            self._keep_sentences([row for row, still in enumerate(searching) if still])
        return True

    def results(self) -> list[list[Hypothesis]]:
        """Return the best hypotheses of each row of the source."""
        self._set_aside(range(len(self.sentences)))
        columns = (torch.cat(parts).tolist() for parts in zip(*self.set_aside, strict=True))
        results: dict[int, list[Hypothesis]] = {}
        for sentence, *found in zip(*columns, strict=True):
            results[sentence] = self._hypotheses(*found)
        return [results[sentence] for sentence in sorted(results)]

    def _hypotheses(
        self, limit: int, scores: list[float], tokens: list[list[int]], lengths: list[int]
    ) -> list[Hypothesis]:
        """Return the hypotheses of a sentence whose output has at most ``limit`` tokens."""
        found = []
        for score, ids, length in zip(scores, tokens, lengths, strict=True):
            # With EOS, which one that was cut off at the limit does not have.
            counted = min(length + 1, limit)
            log_p = score * float(length_penalty(counted, self.config.alpha))
            found.append(Hypothesis(ids[:length], log_p, score, is_cut=length == limit))
        return [found[0], *(one for one in found[1:] if one.score > -math.inf)]

    def _set_aside(self, rows: Sequence[int]) -> None:
        """Keep what was found for these of the B sentences, which are searched no more."""
        index = torch.tensor(rows, device=self.sentences.device)
        state = (self.sentences, self.max_lengths, self.best_score, self.best_tokens, self.best_length)
        self.set_aside.append([part[index] for part in state])

    def _candidates(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return the C best continuations of each sentence: log P, parent hypothesis and token, each (B, C)."""
        B, k = self.log_p.shape  # k hypotheses: 1 before the first step, and then K
        states = self.decoder.step(self.last).flatten(0, 1)  # (B * k, d_model)
        allowed = None if self.constraint is None else self.constraint.allowed()[:, :k].flatten(0, 1)
        best, ids = (part.view(B, k, -1) for part in self._best_tokens(states, allowed))
        # The C best of a sentence are among the C best of each of its hypotheses.
        scores = self.log_p[:, :, None] + best  # (B, k, C)
        log_p, flat = scores.flatten(1).topk(self.considered)  # (B, C)
        return log_p, flat // self.considered, ids.flatten(1).gather(1, flat)

    def _best_tokens(self, states: Tensor, allowed: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return the C best next tokens after each of n states (n, d_model): log P and token, each (n, C).

        ``allowed`` is (n, V).  If there are fewer than C tokens, some of the C are no continuations: log P is -inf.
        """
        logits = self.decoder.logits(states)  # (n, V)
        total = logits.logsumexp(1, keepdim=True)  # over all entries: excluding tokens does not change log P
        logits = logits[:, : self.entries]  # rows without a token are never output
        logits[:, PAD] = -math.inf
        if allowed is not None:
            logits.masked_fill_(~allowed, -math.inf)
        best, ids = logits.topk(min(self.considered, logits.shape[1]))
        missing = self.considered - best.shape[1]
        return F.pad(best - total, (0, missing), value=-math.inf), F.pad(ids, (0, missing))

    def _history(self, parents: Tensor) -> Tensor:
        """Return the tokens of hypotheses ``parents`` (B, k) of each sentence: (B, k, t)."""
        return self.tokens[:, :, : self.length].gather(1, parents[:, :, None].expand(-1, -1, self.length))

    def _finish(self, scores: Tensor, parents: Tensor) -> None:
        """Update each sentence's best finished hypotheses; scores (B, C) are -inf for those that did not end."""
        n, t = self.config.nbest, self.length
        # Of equals, a stable sort prefers those that were there before.
        ranked, order = torch.cat((self.best_score, scores), 1).sort(stable=True, dim=1, descending=True)
        self.best_score, order = ranked[:, :n], order[:, :n]  # (B, n)
        is_new, old = order >= n, order.clamp(max=n - 1)
        new_tokens = self._history(parents.gather(1, (order - n).clamp(min=0)))
        old_tokens = self.best_tokens[:, :, :t].gather(1, old[:, :, None].expand(-1, -1, t))
        self.best_tokens[:, :, :t] = torch.where(is_new[:, :, None], new_tokens, old_tokens)
        self.best_length = self.best_length.gather(1, old).masked_fill_(is_new, t)

    def _stop(self) -> None:
        """Stop the search of each sentence whose best hypotheses are found."""
        best_alive = self.log_p[:, 0] / length_penalty(self.max_lengths, self.config.alpha)
        done = self.best_score[:, -1] >= best_alive  # (B,); also true of those that were stopped before
        if self.length >= self.shortest:
            at_the_end = self.length >= self.max_lengths
            unfinished = self.searching & at_the_end & self.best_score[:, 0].isneginf()
            self._take_alive(unfinished)
            done |= at_the_end
        self.searching &= ~done
        self.log_p.masked_fill_(~self.searching[:, None], -math.inf)

    def _take_alive(self, sentences: Tensor) -> None:
        """Make the best alive hypothesis the result of the sentences for which ``sentences`` (B,) is true."""
        t = self.length
        score = self.log_p[:, 0] / length_penalty(t, self.config.alpha)
        self.best_score[:, 0] = torch.where(sentences, score, self.best_score[:, 0])
        best = self.best_tokens[:, 0, :t]
        self.best_tokens[:, 0, :t] = torch.where(sentences[:, None], self.tokens[:, 0, :t], best)
        self.best_length[:, 0].masked_fill_(sentences, t)

    def _keep_sentences(self, rows: list[int]) -> None:
        """Keep only these of the B sentences."""
        # Only as many sentences move as are needed to fill the first rows.
        searching, moved = set(rows), [row for row in rows if row >= len(rows)]
        stay = [row if row in searching else moved.pop() for row in range(len(rows))]
        self.decoder.keep_sentences(stay)
        index = torch.tensor(stay, device=self.sentences.device)
        best = ("best_score", "best_tokens", "best_length")
        for name in ("sentences", "searching", "max_lengths", "last", "tokens", "log_p", *best):
            setattr(self, name, getattr(self, name)[index])
        if self.constraint is not None:
            self.constraint.keep_sentences(index)
