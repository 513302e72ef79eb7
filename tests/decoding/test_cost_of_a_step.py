"""What a step of beam search costs on a GPU besides arithmetic: kernels to start, and times that the host waits."""

import collections
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
import tiny
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from transformer.decoding import beam_search as module
from transformer.decoding.beam_search import BeamConfig, beam_search
from transformer.decoding.incremental import IncrementalDecoder, SearchModel

BEAM = BeamConfig(beam_size=4, alpha=0.6, max_extra_tokens=30)
# Results of these depend on a tensor's values, in their numbers or their sizes.
VALUES_NEEDED = set("_local_scalar_dense is_nonzero nonzero masked_select equal repeat_interleave".split())

# Mostly views, or nothing at all, though torch does not mark them so.
RESHAPING = set(
    "to flatten unflatten reshape split contiguous expand_as view_as type_as promote_types".split()
)


class Operations(TorchDispatchMode):
    """Counts operations that are not views, and among them those for whose result the host waits."""

    def __init__(self) -> None:
        super().__init__()
        self.kernels = self.waits = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        self.kernels += not func.is_view and name not in RESHAPING
        by_mask = name in ("index", "index_put", "index_put_", "_index_put_impl_") and any(
            index is not None and index.dtype == torch.bool for index in args[1]
        )
        self.waits += name in VALUES_NEEDED or by_mask
        return func(*args, **(kwargs or {}))


class Copies(TorchFunctionMode):
    """Counts the calls that bring a tensor to the host; on a CPU they are not operations."""

    waits = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.waits += func in (torch.Tensor.tolist, torch.Tensor.cpu, torch.Tensor.numpy)
        return func(*args, **(kwargs or {}))


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[collections.Counter[str]]:
    """Count steps, kernels and waits."""
    counts: collections.Counter[str] = collections.Counter()
    plain_step = IncrementalDecoder.step

    def step(self: IncrementalDecoder, tokens: torch.Tensor) -> torch.Tensor:
        counts["steps"] += 1
        return plain_step(self, tokens)

    with monkeypatch.context() as patch, ExitStack() as stack:
        patch.setattr(IncrementalDecoder, "step", step)
        copies, operations = stack.enter_context(Copies()), stack.enter_context(Operations())
        yield counts
        counts["waits"], counts["kernels"] = operations.waits + copies.waits, operations.kernels


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


def test_a_step_starts_few_kernels() -> None:
    """A layer starts 25 on a CPU.  On a GPU they are 17, because its attention is one kernel and not five."""
    kernels = []
    for layers in (1, 2):
        decoder = IncrementalDecoder(SearchModel(tiny.model(20, N=layers)), sources(20), BEAM.beam_size)
        with Operations() as operations, torch.inference_mode():
            decoder.step(torch.full((20, BEAM.beam_size), 3))
        kernels.append(operations.kernels)
    assert kernels[1] - kernels[0] <= 25
    assert kernels[0] <= 25 + 5
