"""Where the time of a training step goes, and how fast the processor multiplies matrices."""

import statistics
import time

import torch

from transformer.training.trainer import Trainer

# Parts of the names of torch's operations, in the order in which they are looked for.
KINDS = {
    "matrix products": ("mm", "linear", "matmul", "mkldnn"),
    "Adam": ("adam",),
    "softmax of the vocabulary and of attention, loss": (
        "softmax",
        "nll_loss",
        "logsumexp",
        "cross_entropy",
        "exp",
    ),
    "layer normalization": ("layer_norm",),
    "conversions between formats, and copies": ("copy", "to", "contiguous", "clone", "cat", "pad"),
    "embeddings": ("embedding", "index", "gather", "scatter"),
}
ELEMENTWISE = "additions, dropout, ReLU and other elementwise operations"
OUTSIDE = "Python, and making the batches"
MATRIX_SIZE = 2048
PRODUCTS = 5


def time_shares(trainer: Trainer, seconds: float) -> dict[str, float]:
    """Profile training steps for about ``seconds`` and return the share of each kind of work, which sum to 1."""
    work = trainer.work()
    prepared = next(work)
    trainer.train_step(prepared)  # makes Adam's moments
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        started = time.perf_counter()
        while time.perf_counter() < started + seconds:
            item = next(work)
            trainer.read_loss(trainer.train_step(item), item.target_tokens)
        elapsed = time.perf_counter() - started
    shares = dict.fromkeys((*KINDS, ELEMENTWISE), 0.0)
    for event in profile.key_averages():
        shares[kind_of(event.key)] += event.self_cpu_time_total / 1e6 / elapsed
    return {**shares, OUTSIDE: 1 - sum(shares.values())}


def kind_of(operation: str) -> str:
    """Return the kind of work that an operation of torch belongs to, judged by its name."""
    name = operation.split("::")[-1].lower()
    return next((kind for kind, parts in KINDS.items() if any(part in name for part in parts)), ELEMENTWISE)


def matmul_rates(precision: str) -> dict[str, float]:
    """Return the rates of the product of two large square matrices, in FLOPs a second, by who computes it.

    In fp32, torch's own product is MKL's on most machines.  oneDNN, which multiplies in bf16, is asked for here too.
    """
    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[precision]
    a, b = (torch.randn(MATRIX_SIZE, MATRIX_SIZE).to(dtype) for _ in range(2))
    products = {"torch": lambda: a @ b}
    if precision == "fp32" and hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        packed = torch.ops.mkldnn._reorder_linear_weight(b)
        products["oneDNN"] = lambda: torch.ops.mkldnn._linear_pointwise(a, packed, None, "none", [], "")
    rates = {}
    for name, product in products.items():
        product()
        seconds = []
        for _ in range(PRODUCTS):
            started = time.perf_counter()
            product()
            seconds.append(time.perf_counter() - started)
        rates[name] = 2 * MATRIX_SIZE**3 / statistics.median(seconds)
    return rates
