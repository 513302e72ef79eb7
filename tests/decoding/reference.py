"""A plain beam search: no batch, no cache, lists and floats.

The rules are those of tensor2tensor 1.0.3 (docs/protocol.md), ``beam_search.py``: alive and finished hypotheses
are kept apart, each step considers 2 · beam_size candidates, and the search of a sentence ends when its worst finished
hypothesis beats any score that the best alive one can still reach.  With beam_size 1 tensor2tensor decodes greedily.
"""

import torch

from transformer.common.special_tokens import EOS, PAD
from transformer.model.transformer import Transformer

Scored = tuple[float, list[int]]


def beam_search(
    model: Transformer, source: list[int], beam_size: int, alpha: float, max_extra_tokens: int
) -> list[int]:
    """The best hypothesis, without EOS, for source tokens that end in EOS."""
    if beam_size == 1:
        return greedy(model, source, len(source) + max_extra_tokens)
    return hypotheses(model, source, beam_size, alpha, max_extra_tokens)[0][1]


def hypotheses(
    model: Transformer, source: list[int], beam_size: int, alpha: float, max_extra_tokens: int, count: int = 0
) -> list[Scored]:
    """The finished hypotheses without EOS, the best first, or else the best alive one; their log P over the penalty.

    With a ``count``, so many of them must beat what the best alive one can reach.
    """
    max_length = len(source) + max_extra_tokens
    alive: list[Scored] = [(0.0, [])]  # log P, tokens
    finished: list[Scored] = []  # log P over the penalty, tokens
    for length in range(1, max_length + 1):
        candidates = [
            (log_p + float(added), [*tokens, token])
            for (log_p, tokens), row in zip(alive, next_log_p(model, source, alive), strict=True)
            for token, added in enumerate(row)
            if token != PAD
        ]
        candidates = best(candidates, 2 * beam_size)
        ended = [
            (log_p / penalty(length, alpha), tokens) for log_p, tokens in candidates if tokens[-1] == EOS
        ]
        finished = best(finished + ended, beam_size)
        alive = best([(log_p, tokens) for log_p, tokens in candidates if tokens[-1] != EOS], beam_size)
        if len(finished) > max(0, count - 1) and finished[count - 1][0] > alive[0][0] / penalty(
            max_length, alpha
        ):
            break
    if finished:
        return [(score, tokens[:-1]) for score, tokens in finished]
    return [(alive[0][0] / penalty(max_length, alpha), alive[0][1])]


def greedy(model: Transformer, source: list[int], max_length: int) -> list[int]:
    """The best next token at each step, until that is EOS."""
    tokens: list[int] = []
    while len(tokens) < max_length:
        row = next_log_p(model, source, [(0.0, tokens)])[0]
        token = max(range(PAD + 1, len(row)), key=row.__getitem__)
        if token == EOS:
            break
        tokens.append(token)
    return tokens


def best(scored: list[Scored], count: int) -> list[Scored]:
    return sorted(scored, key=lambda pair: -pair[0])[:count]


def penalty(length: int, alpha: float) -> float:
    """Wu et al. (2016), equation 14."""
    return ((5 + length) / 6) ** alpha


@torch.no_grad()
def next_log_p(model: Transformer, source: list[int], alive: list[Scored]) -> list[list[float]]:
    """log P of each next token after each hypothesis, by running the whole model on all of it."""
    sources = torch.tensor([source] * len(alive))
    target_input = torch.tensor([[PAD, *tokens] for _, tokens in alive])
    log_p: list[list[float]] = model(sources, target_input)[:, -1].log_softmax(-1).tolist()
    return log_p
