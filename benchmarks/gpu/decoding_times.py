"""How long beam search takes for a test set like newstest2014: 3003 sentences of 27 tokens, base, beam 4, bf16.

The weights are random, and hypotheses of random weights do not end by themselves.  They are as long as the longest
allowed: with no extra token about as long as a trained model's (``like a trained model``), with the paper's 50 extra
tokens longer than any translation (``the longest``).
"""

import dataclasses
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from campaign_record import Item
from workload import LOG_DEVIATION, SEED, Sizes, make_model, synchronize

from transformer.common.files import read_lines, write_text
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.translation import translate
from transformer.model.storage import save_model
from transformer.subwords.subwords import load_subwords

STAGE = "decoding"
ROOT = Path(__file__).parents[2]
PAPER = BeamConfig(beam_size=4, alpha=0.6, max_extra_tokens=50)
LENGTHS = {
    "like a trained model": dataclasses.replace(PAPER, max_extra_tokens=0),
    "the longest": PAPER,
}
BATCH_TOKENS = (131_072, 32_768, 524_288, 8_192)
TOKENS = 27  # of a source, EOS included


def items(sizes: Sizes, data: Path | None, device: torch.device) -> list[Item]:
    """Return the measurements, the most valuable first.  ``data`` is the folder of a language pair's subwords."""
    listed = []
    if data is not None:
        listed.append(Item("translate.py, like a trained model", 90, partial(measure_script, sizes, data, 0)))
    for name, beam in LENGTHS.items():
        listed += [
            Item(f"{name}, batches of {size}", 90, partial(measure_search, sizes, device, beam, size, "bf16"))
            for size in (BATCH_TOKENS if beam is not PAPER else BATCH_TOKENS[:1])
        ]
    fp32 = partial(measure_search, sizes, device, LENGTHS["like a trained model"], BATCH_TOKENS[0], "fp32")
    return [*listed, Item(f"like a trained model, fp32, batches of {BATCH_TOKENS[0]}", 90, fp32)]


def measure_search(
    sizes: Sizes, device: torch.device, beam: BeamConfig, batch_tokens: int, precision: Any
) -> dict[str, Any]:
    """Return the seconds of the search alone, for a model and sentences that are in memory."""
    model = make_model(sizes.models["base"], sizes.vocabulary).to(device).eval()
    rng = np.random.default_rng(SEED)
    # The mean of a log-normal distribution is more than the exponential of its logarithm's mean.
    lengths = rng.lognormal(np.log(TOKENS - 1) - LOG_DEVIATION**2 / 2, LOG_DEVIATION, sizes.test_sentences)
    sources = [
        rng.integers(3, sizes.vocabulary, max(1, min(150, round(length)))).tolist() for length in lengths
    ]
    model.compute_with(precision)
    translate(model, sources[:4], beam, batch_tokens)  # kernels are loaded
    synchronize(device)
    started = time.perf_counter()
    hypotheses = translate(model, sources, beam, batch_tokens)
    seconds = time.perf_counter() - started
    tokens = sum(len(best.tokens) + 1 for (best,) in hypotheses)
    memory = torch.cuda.max_memory_allocated(device) if device.type == "cuda" else None
    return {
        "search_seconds": round(seconds, 2),
        "sentences": len(sources),
        "output_tokens": tokens,
        "output_tokens_per_second": round(tokens / seconds),
        "peak_memory": memory,
    }


def measure_script(sizes: Sizes, data: Path, max_extra_tokens: int) -> dict[str, Any]:
    """Return the seconds of ``translate.py`` from its start to its end, with Python, torch and the model to load."""
    with tempfile.TemporaryDirectory() as folder:
        subwords = load_subwords(data / "subwords.model")
        model = make_model(
            sizes.models["base"],
            subwords.vocab_size,
            vocabulary_rows=max(sizes.vocabulary, subwords.vocab_size),
        )
        save_model(Path(folder, "model"), model, subwords.sha256, "fp32")
        text = Path(folder, "text")
        write_text(text, "".join(line + "\n" for line in long_sentences(data, sizes.test_sentences)))
        command = [
            sys.executable, ROOT / "src/transformer/decoding/translate.py", "--model", f"{folder}/model",
            "--subwords", data / "subwords.model", "--input", text, "--output", f"{folder}/output",
            "--max-extra-tokens", str(max_extra_tokens),
        ]  # fmt: skip
        started = time.perf_counter()
        subprocess.run(list(map(str, command)), check=True)
        seconds = time.perf_counter() - started
        lines = len(Path(folder, "output").read_text(encoding="utf-8").splitlines())
        encoded = [len(subwords.encode(line)) + 1 for line in read_lines(text)]
    return {
        "script_seconds": round(seconds, 2),
        "sentences": lines,
        "source_tokens_a_sentence": float(np.mean(encoded)),
    }


def long_sentences(data: Path, count: int) -> list[str]:
    """Return pairs of captions as one sentence each, since captions are half as long as the sentences of news."""
    lines = list(read_lines(data / "test.en"))
    joined = [f"{one} {other}" for one, other in zip(lines, lines[1:] + lines[:1], strict=True)]
    return (joined * -(-count // len(joined)))[:count]
