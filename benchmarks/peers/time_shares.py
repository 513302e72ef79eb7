"""Where the time of a training step goes, and how fast the processor multiplies matrices."""

import statistics
import time

import torch

from transformer.training.trainer import Trainer

# The operations of torch that do each kind of work.
KINDS = {
    "matrix products with weights": "mm addmm linear _linear_pointwise mkldnn_linear",
    "matrix products of attention": "bmm baddbmm",
    "softmax of the vocabulary and of attention": "_softmax _softmax_backward_data _log_softmax logsumexp exp log",
    "layer normalization": "native_layer_norm native_layer_norm_backward",
    "Adam": "_fused_adam_",
    "conversions between formats, and copies": "_to_copy copy_ clone cat",
    "rows picked by index, embeddings among them": "embedding embedding_dense_backward index index_select index_add_ "
    "index_put_ gather scatter_add_",
}
OTHERS = "other operations of torch: additions, dropout, ReLU, sums"
OUTSIDE = "outside of operations: Python, autograd, making the batches"
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
    kinds = {f"aten::{name}": kind for kind, names in KINDS.items() for name in names.split()}
    shares = dict.fromkeys((*KINDS, OTHERS), 0.0)
    for event in profile.key_averages():
        if event.key.startswith("aten::"):
            shares[kinds.get(event.key, OTHERS)] += event.self_cpu_time_total / 1e6 / elapsed
    return {**shares, OUTSIDE: 1 - sum(shares.values())}


def matmul_rates(precision: str) -> dict[str, tuple[float, float]]:
    """Return the rates of the product of two large square matrices, in FLOPs a second, by who computes it.

    The first of each two is by the clock, and the second by processor time.

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
            clock, processor = time.perf_counter(), time.process_time()
            product()
            seconds.append((time.perf_counter() - clock, time.process_time() - processor))
        by_clock, by_processor = (
            2 * MATRIX_SIZE**3 / statistics.median(times) for times in zip(*seconds, strict=True)
        )
        rates[name] = by_clock, by_processor
    return rates
