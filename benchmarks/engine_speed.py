"""Measure how fast CTranslate2 translates in place of our beam search, in tokens a second.

    python benchmarks/engine_speed.py --compute-type int8

Both search with a beam of 4, with a base model of random weights, from 24 tokens to 24 tokens (EOS included), as
`translate.py` does without and with `--engine ctranslate2`.  They take turns, so that other
load slows both down, and the ratios are those by processor time.  It needs requirements-export.lock.
"""

import random
import statistics
from collections.abc import Callable
from typing import Any, get_args

import torch
from comparison import argument_parser, measure, with_our_malloc_settings

from transformer.common.errors import run_script
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.options import ComputeType
from transformer.decoding.trained_model import TrainedModel
from transformer.decoding.translation import BATCH_TOKENS
from transformer.export.ctranslate2_engine import with_ctranslate2
from transformer.model.config import TransformerConfig
from transformer.model.precision import resolve_precision
from transformer.model.transformer import Transformer

BEAM = BeamConfig(
    beam_size=4, alpha=0.6, max_extra_tokens=0
)  # with random weights, outputs are as long as they may be
SOURCE_TOKENS = 24  # EOS included


def main() -> None:
    parser = argument_parser(__doc__, data_required=False)
    parser.add_argument("--compute-type", choices=get_args(ComputeType), default="int8")
    parser.add_argument("--vocabulary", type=int, default=8000, help="entries (8000)")
    parser.add_argument("--sentences", type=int, default=256, help="sentences of each turn (256)")
    arguments = parser.parse_args()
    with_our_malloc_settings()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    base = TransformerConfig(
        vocab_size=arguments.vocabulary, N=6, d_model=512, d_ff=2048, h=8, d_k=64, d_v=64, dropout=0.1,
        attention_dropout=0, relu_dropout=0, positions="sinusoidal", attention_bias=False, max_length=256,
    )  # fmt: skip
    vocabularies: Any = None  # the search does not use them
    model = Transformer(base).eval()
    rng = random.Random(0)
    sources = [
        [rng.randrange(3, arguments.vocabulary) for _ in range(SOURCE_TOKENS - 1)]
        for _ in range(arguments.sentences)
    ]
    programs = {
        f"ours, {precision}": TrainedModel(model, vocabularies, BEAM, BATCH_TOKENS["cpu"], precision)
        for precision in dict.fromkeys([resolve_precision("auto", torch.device("cpu")), "fp32"])
    }
    own = next(iter(programs.values()))
    programs[f"CTranslate2, {arguments.compute_type}"] = with_ctranslate2(own, arguments.compute_type)
    speeds: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(arguments.rounds):
        for name, program in programs.items():
            turn = measure(counted(program, sources))
            speeds[name].append(turn.cpu_speed)
            print(
                f"{name}: {turn.tokens} tokens in {turn.seconds:.1f} s, {turn.speed:,.0f} tokens/s, "
                f"{turn.cpu_speed:,.0f} per second of processor time",
                flush=True,
            )
    *ours, (_, theirs) = ((name, statistics.median(values)) for name, values in speeds.items())
    for name, speed in ours:
        print(f"CTranslate2 is {theirs / speed:.2f} times as fast as {name}")


def counted(program: TrainedModel, sources: list[list[int]]) -> Callable[[], int]:
    """Return a function that translates and returns the number of tokens, EOS included."""
    return lambda: sum(len(ids) + 1 for ids in program.search(sources))


if __name__ == "__main__":
    run_script(main)
