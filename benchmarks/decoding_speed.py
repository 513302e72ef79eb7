"""Measure the decoding speed of our beam search and of a plain one over torch.nn.Transformer, in tokens a second.

    python benchmarks/decoding_speed.py --model results/small/runs/base/en-de/averaged --data data/small/tokenized/en-de

Both decode the test set with the same weights and a beam of 4.  The plain search takes the sentences in their order,
in batches of a fixed number, and recomputes each prefix at each step.  The count of tokens includes EOS.
"""

from collections.abc import Callable
from pathlib import Path

import torch
from comparison import argument_parser, compare, measure, with_our_malloc_settings
from plain_transformer import plain_beam_search, with_weights_of

from transformer.common.errors import run_script
from transformer.common.special_tokens import EOS
from transformer.dataset.padding import pad
from transformer.dataset.tokenized import TokenizedDataset
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.translation import translate
from transformer.model.storage import load_model

BEAM = BeamConfig(beam_size=4, alpha=0.6, max_extra_tokens=50)
BATCH_TOKENS = 8192  # the default of src/decoding/translate.py

Hypotheses = list[list[int]]  # token ids, without EOS


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument(
        "--model", type=Path, required=True, help="folder with model.safetensors and model.json"
    )
    parser.add_argument(
        "--sentences", type=int, default=1000, help="the first sentences of the test set (1000)"
    )
    parser.add_argument(
        "--plain-batch", type=int, default=32, help="sentences in a batch of the plain search (32)"
    )
    arguments = parser.parse_args()
    with_our_malloc_settings()
    torch.set_num_threads(arguments.threads)
    dataset = TokenizedDataset.open(arguments.data / "test")
    model, _ = load_model(arguments.model, torch.device("cpu"), dataset.vocabulary_sha256)
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
        return translate(model, sources, BEAM, BATCH_TOKENS)

    print(f"{len(sources)} sentences, {arguments.threads} thread(s) each", flush=True)
    results: dict[str, Hypotheses] = {}
    run_plain, run_ours = counted("plain", plain, results), counted("ours", ours, results)
    compare(lambda: measure(run_plain), lambda: measure(run_ours), arguments.rounds)
    same = sum(a == b for a, b in zip(results["plain"], results["ours"], strict=True))
    print(f"translations that are the same: {same / len(sources):.1%}")


def counted(name: str, decode: Callable[[], Hypotheses], results: dict[str, Hypotheses]) -> Callable[[], int]:
    """Wrap ``decode``: store its hypotheses in ``results`` and return their number of tokens."""

    def run() -> int:
        results[name] = decode()
        return sum(len(ids) + 1 for ids in results[name])

    return run


if __name__ == "__main__":
    run_script(main)
