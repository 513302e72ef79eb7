"""Measure the decoding speed of our beam search and of a plain one over torch.nn.Transformer, in tokens a second.

    python benchmarks/decoding_speed.py --model results/small/runs/base/en-de/averaged --data data/small/tokenized/en-de

Both decode the test set with the same weights and a beam of 4.  The plain search takes the sentences in their order,
in batches of a fixed number, and recomputes each prefix at each step.  The count of tokens includes EOS.

    python benchmarks/decoding_speed.py --random-weights --precision fp32 --threads 2

This needs neither a trained model nor data, and runs on the GPU if there is one: our search alone, with a base model of
random weights, sentences of 24 tokens (EOS included) and outputs of about 74.  Each round also measures the rate of
large matrix products, the device's practical peak, of which it prints the share that the model's products reach.
"""

import random
import time
from collections.abc import Callable
from pathlib import Path

import torch
from comparison import argument_parser, compare, measure, with_our_malloc_settings
from plain_transformer import plain_beam_search, with_weights_of

from transformer.common.errors import UserError, run_script
from transformer.common.special_tokens import EOS
from transformer.dataset.padding import pad
from transformer.dataset.tokenized import TokenizedDataset
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.translation import BATCH_TOKENS, translate
from transformer.model.config import TransformerConfig
from transformer.model.device import default_device, device_name
from transformer.model.numerics import Precision, resolve_numerics
from transformer.model.storage import load_model
from transformer.model.transformer import Transformer, parameter_count

BEAM = BeamConfig(beam_size=4, alpha=0.6, max_extra_tokens=50)
SOURCE_TOKENS = 24  # EOS included

Hypotheses = list[list[int]]  # token ids, without EOS


def main() -> None:
    parser = argument_parser(__doc__, data_required=False)
    parser.add_argument("--model", type=Path, help="folder with model.safetensors and model.json")
    parser.add_argument("--random-weights", action="store_true", help="instead of --model and --data")
    parser.add_argument("--vocabulary", type=int, default=8000, help="with --random-weights (8000)")
    parser.add_argument("--precision", choices=["fast", "fp32", "bf16"], default="fast", help="of our search")
    parser.add_argument(
        "--sentences", type=int, default=1000, help="the first sentences of the test set (1000)"
    )
    parser.add_argument(
        "--plain-batch", type=int, default=32, help="sentences in a batch of the plain search (32)"
    )
    arguments = parser.parse_args()
    with_our_malloc_settings()
    torch.set_num_threads(arguments.threads)
    if arguments.random_weights:
        return measure_random_weights(
            arguments.vocabulary, arguments.sentences, arguments.precision, arguments.rounds
        )
    if arguments.model is None or arguments.data is None:
        raise UserError("give --model and --data, or --random-weights")
    dataset = TokenizedDataset.open(arguments.data / "test")
    model, _ = load_model(arguments.model, dataset.vocabulary_sha256)
    plain_model = with_weights_of(model)
    sources = [
        dataset.source[i][:-1].tolist() for i in range(min(arguments.sentences, len(dataset)))
    ]  # no EOS

    def plain() -> Hypotheses:
        results: Hypotheses = []
        for start in range(0, len(sources), arguments.plain_batch):
            batch = [[*ids, EOS] for ids in sources[start : start + arguments.plain_batch]]
            source = pad(batch, torch.device("cpu"))
            results += plain_beam_search(
                plain_model, source, BEAM.beam_size, BEAM.alpha, BEAM.max_extra_tokens
            )
        return results

    def ours() -> Hypotheses:
        return translate(model, sources, BEAM, BATCH_TOKENS["cpu"], arguments.precision)

    print(f"{len(sources)} sentences, {arguments.threads} thread(s) each", flush=True)
    results: dict[str, Hypotheses] = {}
    run_plain, run_ours = counted("plain", plain, results), counted("ours", ours, results)
    compare(lambda: measure(run_plain), lambda: measure(run_ours), arguments.rounds)
    same = sum(a == b for a, b in zip(results["plain"], results["ours"], strict=True))
    print(f"translations that are the same: {same / len(sources):.1%}")


def measure_random_weights(vocab_size: int, sentences: int, precision: Precision, rounds: int) -> None:
    """Print the speed of our search with a base model of random weights, and the peak of matrix products."""
    device = default_device()
    torch.manual_seed(1)
    base = TransformerConfig(
        vocab_size=vocab_size, N=6, d_model=512, d_ff=2048, h=8, d_k=64, d_v=64, dropout=0.1, attention_dropout=0,
        relu_dropout=0, positions="sinusoidal", attention_bias=False, max_length=256,
    )  # fmt: skip
    model = Transformer(base).to(device).eval()
    # The products of one token: those of the decoder for each hypothesis, and its share of the encoder's.
    per_hypothesis = parameter_count(model.decoder) + vocab_size * base.d_model
    per_source_token = parameter_count(model.encoder)
    rng = random.Random(0)
    sources = [[rng.randrange(2, vocab_size) for _ in range(SOURCE_TOKENS - 1)] for _ in range(sentences)]
    results: dict[str, Hypotheses] = {}
    run = counted(
        "ours", lambda: translate(model, sources, BEAM, BATCH_TOKENS[device.type], precision), results
    )
    translate(
        model, sources[:2], BEAM, BATCH_TOKENS[device.type], precision
    )  # torch loads and compiles kernels
    print(
        f"{device_name(device)}, {torch.get_num_threads()} thread(s), {resolve_numerics(precision, device)}"
    )
    for number in range(1, rounds + 1):
        peak, turn = matmul_peak(device, precision), measure(run)
        products = (
            turn.tokens * BEAM.beam_size * per_hypothesis + sentences * SOURCE_TOKENS * per_source_token
        )
        seconds = turn.cpu_seconds if device.type == "cpu" else turn.seconds
        print(
            f"round {number}: {turn.tokens} tokens in {turn.seconds:.1f} s, {turn.speed:,.0f} tokens/s, "
            f"{turn.cpu_speed:,.0f} per second of processor time; peak {peak:,.0f} GFLOP/s, "
            f"share {2 * products / seconds / 1e9 / peak:.0%}",
            flush=True,
        )


def matmul_peak(device: torch.device, precision: Precision) -> float:
    """Return the best rate of torch's product of two large matrices, in GFLOP/s; on a CPU that of one core.

    On a CPU, the rate by processor time is the steadier figure, because other programs may run.
    """
    clock = time.process_time if device.type == "cpu" else time.perf_counter
    n = 1024 if device.type == "cpu" else 8192
    a, b = (torch.randn(n, n, device=device) for _ in range(2))
    if resolve_numerics(precision, device) == "bf16":
        a, b = a.bfloat16(), b.bfloat16()
    seconds = []
    for _ in range(20):
        started = clock()
        c = a @ b
        c[0, 0].item()  # waits for a GPU
        seconds.append(clock() - started)
    return 2 * n**3 / min(seconds) / 1e9


def counted(name: str, decode: Callable[[], Hypotheses], results: dict[str, Hypotheses]) -> Callable[[], int]:
    """Wrap ``decode``: store its hypotheses in ``results`` and return their number of tokens."""

    def run() -> int:
        results[name] = decode()
        return sum(len(ids) + 1 for ids in results[name])

    return run


if __name__ == "__main__":
    run_script(main)
