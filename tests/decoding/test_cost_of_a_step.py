"""What a step of beam search costs on a GPU besides arithmetic: times that the host waits."""

import collections
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
import tiny
import torch
from torch.overrides import TorchFunctionMode
from waits import Waits

from transformer.decoding import beam_search as module
from transformer.decoding.beam_search import BeamConfig, beam_search
from transformer.decoding.incremental import IncrementalDecoder, SearchModel

BEAM = BeamConfig(beam_size=4, alpha=0.6, max_extra_tokens=30)


class Copies(TorchFunctionMode):
    """Counts the calls that bring a tensor to the host; on a CPU they are not operations."""

    waits = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.waits += func in (torch.Tensor.tolist, torch.Tensor.cpu, torch.Tensor.numpy)
        return func(*args, **(kwargs or {}))


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[collections.Counter[str]]:
    """Count steps and waits."""
    counts: collections.Counter[str] = collections.Counter()
    plain_step = IncrementalDecoder.step

    def step(self: IncrementalDecoder, tokens: torch.Tensor) -> torch.Tensor:
        counts["steps"] += 1
        return plain_step(self, tokens)

    with monkeypatch.context() as patch, ExitStack() as stack:
        patch.setattr(IncrementalDecoder, "step", step)
        copies, operations = stack.enter_context(Copies()), stack.enter_context(Waits())
        yield counts
        counts["waits"] = len(operations.found) + copies.waits


def sources(vocab_size: int) -> torch.Tensor:
    """Sentences of 3 to 12 tokens, so that their searches end at different steps."""
    source = tiny.tokens(20, 12, vocab_size)
    for row in range(20):
        source[row, 3 + row % 10 :] = 0
    return source


def test_the_host_seldom_waits_for_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """The branch for GPUs, which is run on a CPU here, finds the same with at most three waits in eight steps."""
    model, source = tiny.model(20), sources(20)
    with torch.no_grad():
        model.embedding.mul_(3)
    expected = beam_search(SearchModel(model), source, BEAM)
    monkeypatch.setitem(module.STEPS_BETWEEN_LOOKS, "cpu", 8)
    with counted(monkeypatch) as counts:
        assert beam_search(SearchModel(model), source, BEAM) == expected
    assert len({len(tokens) for tokens in tiny.best(expected)}) > 5
    assert counts["steps"] > 30
    at_the_start_and_the_end = 5
    assert counts["waits"] <= at_the_start_and_the_end + 3 * counts["steps"] / 8
