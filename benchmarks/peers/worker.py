"""Measures one program at the request of `compare_with_peers.py`: a JSON line comes in, a JSON line goes out.

An adapter, such as `with_fairseq.py`, runs in the environment of its program and calls :func:`serve`.  This module
imports torch and the standard library only, because it runs in all these environments.
"""

import dataclasses
import functools
import gc
import itertools
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

LABEL_SMOOTHING = 0.1
DROPOUT = 0.1  # of embeddings and sublayers' outputs, as in the paper, and nowhere else
BEAM_SIZE = 4
ALPHA = 0.6
ADAM: dict[str, Any] = {"lr": 1e-4, "betas": (0.9, 0.98), "eps": 1e-9}
# Ids below this are special tokens in one program or another.  Sentences have other ids only.
FIRST_WORD = 4
# How many batches the sentences are divided into, to find the fastest size.
PARTS = (1, 2, 4)
PATIENCE = 30  # seconds

Pair = tuple[list[int], list[int]]  # source and target ids, without special tokens


@dataclasses.dataclass(frozen=True)
class Shape:
    """The size of a model, and the batches it is trained with."""

    layers: int  # of the encoder, and as many of the decoder
    d_model: int
    d_ff: int
    heads: int
    vocab_size: int
    batch_tokens: int  # most source tokens, and most target tokens, of a batch


@dataclasses.dataclass(frozen=True)
class Workload:
    """What every program works on.  Ids are at least FIRST_WORD and less than the shape's vocab_size."""

    pairs: list[Pair]
    batches: list[list[int]]  # of training, each as indices of pairs
    sources: list[list[int]]  # to translate


# The sources of a batch, and the number of tokens of each translation.
Batch = tuple[list[list[int]], int]
Decode = Callable[[list[Batch]], int]  # translates batches and returns the number of target tokens
# From a shape and a precision, fp32 or bf16, make an iterator whose every item is the number of tokens of a step.
MakeTraining = Callable[[Shape, str, Workload], Iterator[int]]
MakeDecoding = Callable[[Shape, str], Decode]


def serve(
    package: str,
    training: MakeTraining | None = None,
    decoding: MakeDecoding | None = None,
    other: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] | None = None,
) -> None:
    """Answer requests until standard input ends.  ``other`` has further kinds of requests, by name."""
    # Libraries may print; what they print goes to standard error.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    turn: Callable[[float], int] = no_work
    answer: dict[str, Any]
    for line in sys.stdin:
        request = json.loads(line)
        try:
            match request["do"]:
                case "prepare":
                    turn = no_work
                    gc.collect()  # frees the previous model
                    turn = prepared(request, training, decoding)
                    answer = {"version": version(package), "torch": torch.__version__}
                case "turn":
                    answer = measured(functools.partial(turn, request["seconds"]))
                case name:
                    answer = (other or {})[name](request)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
        print(json.dumps(answer), file=answers, flush=True)


def no_work(seconds: float) -> int:
    return 0


def prepared(
    request: dict[str, Any], training: MakeTraining | None, decoding: MakeDecoding | None
) -> Callable[[float], int]:
    """Make the model of a request and warm up; return the function that works for some seconds and counts tokens."""
    torch.manual_seed(1)
    torch.set_num_threads(request["threads"])
    shape = Shape(**request["shape"])
    workload = load_workload(request["workload"])
    if request["task"] == "training":
        if training is None:
            raise NotImplementedError("training")
        steps = training(shape, request["precision"], workload)
        run_for(request["warm_up"], lambda: next(steps))
        return lambda seconds: run_for(seconds, lambda: next(steps))
    if decoding is None:
        raise NotImplementedError("decoding")
    decode = decoding(shape, request["precision"])
    decode(batches_of(workload.sources[:4], 4))  # torch loads and compiles kernels
    batches = fastest_batches(decode, workload.sources)
    return lambda seconds: run_for(seconds, lambda: decode(batches))


def batches_of(sources: list[list[int]], size: int) -> list[Batch]:
    """Divide sentences, in the order of their lengths, into batches of ``size``.

    A sentence is translated into as many tokens as the longest source of its batch has, EOS included.
    """
    ordered = sorted(sources, key=len, reverse=True)
    parts = [ordered[n : n + size] for n in range(0, len(ordered), size)]
    return [(part, len(part[0]) + 1) for part in parts]


def fastest_batches(decode: Decode, sources: list[list[int]]) -> list[Batch]:
    """Return the batches of the size at which a program is fastest, of those that it can try in PATIENCE seconds."""
    speeds, begin = {}, time.perf_counter()
    for parts in PARTS:
        if time.perf_counter() - begin > PATIENCE:
            break
        size = -(-len(sources) // parts)
        turn = measured(lambda: decode(batches_of(sources, size)))  # noqa: B023
        speeds[size] = turn["tokens"] / turn["seconds"]
    return batches_of(sources, max(speeds, key=lambda size: speeds[size]))


def one_by_one(translate: Callable[[list[list[int]], int], int]) -> Decode:
    """Return a function that translates batches in turn."""
    return lambda batches: sum(translate(sources, length) for sources, length in batches)


def load_workload(path: str) -> Workload:
    """Return the workload that `compare_with_peers.py` wrote."""
    return Workload(**json.loads(Path(path).read_text(encoding="utf-8")))


def training_steps(step: Callable[[list[Pair]], None], workload: Workload) -> Iterator[int]:
    """Train on the batches in turn, for ever; yield the tokens of each, EOS of both sides included."""
    for batch in itertools.cycle(workload.batches):
        pairs = [workload.pairs[i] for i in batch]
        step(pairs)
        yield sum(len(source) + len(target) + 2 for source, target in pairs)


def run_for(seconds: float, work: Callable[[], int]) -> int:
    """Repeat ``work``, which returns a number of tokens, for about ``seconds``, at least once; return their sum."""
    end = time.perf_counter() + seconds
    tokens = work()
    while time.perf_counter() < end:
        tokens += work()
    return tokens


def measured(work: Callable[[], int]) -> dict[str, float]:
    """Return the tokens of ``work``, its seconds, and its seconds of processor time."""
    clock, processor = time.perf_counter(), time.process_time()
    tokens = work()
    return {
        "tokens": tokens,
        "seconds": time.perf_counter() - clock,
        "cpu_seconds": time.process_time() - processor,
    }


def pad(rows: Sequence[Sequence[int]], value: int, left: bool = False) -> Tensor:
    """Return rows of ids as a tensor (B, T), padded with ``value`` on the right, or on the left."""
    width = max(map(len, rows))
    padding = [[value] * (width - len(row)) for row in rows]
    return torch.tensor([[*p, *row] if left else [*row, *p] for row, p in zip(rows, padding, strict=True)])


def autocast(precision: str) -> torch.autocast:
    """Return a context in which matrix products run in ``precision``, fp32 or bf16."""
    return torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16")


def weights_in(precision: str) -> torch.dtype:
    """Return the format of a decoder's weights."""
    return {"fp32": torch.float32, "bf16": torch.bfloat16}[precision]
