"""What a scale asks for before it is started: operations, time, disk and memory of each step, by arithmetic."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tabulate import tabulate

from transformer.model.config import TransformerConfig
from transformer.model.flops import forward_flops, training_flops

# Sentences a second of one process, both sides counted (benchmarks/README.md).
CLEANED, ENCODED = 265_000, 78_000
SUBWORDS_LEARNED = 60_000  # sentences a second
PARSED_BY_PCFG = 40  # sentences of 20 to 29 words a second (docs/decisions.md)
SENTENCE_BYTES = 5.5  # of text a subword, in WMT's and Multi30k's languages
COPIES = 2  # of the text: raw and clean
START = 4  # seconds until a script has loaded torch
LOADED = 1.3e9  # bytes of a process that has


@dataclass(frozen=True)
class Corpus:
    """What is known of a language pair's training and test text before it is there; tokens are subwords with EOS."""

    pairs: int
    source_tokens: float  # a sentence
    target_tokens: float
    test_sentences: int


@dataclass(frozen=True)
class Device:
    """One of config/devices.yaml, and how many train together."""

    name: str
    flops: float  # a second
    decoding: float  # the share of it that beam search reaches
    count: int


@dataclass(frozen=True)
class Step:
    """One row of the plan; disk and memory in bytes, memory of one process."""

    rule: str
    what: str
    flops: float
    seconds: float
    disk: float
    memory: float


def parameters(config: TransformerConfig) -> int:
    """Of a model, from its shapes."""
    c = config
    keys, values = c.h * c.d_k, c.h * c.d_v
    bias = int(c.attention_bias)
    attention = c.d_model * (2 * keys + values) + values * c.d_model + bias * (2 * keys + values + c.d_model)
    feed_forward = 2 * c.d_model * c.d_ff + c.d_ff + c.d_model
    half = c.d_model // 2
    mix = {
        "recurrent": 2 * 3 * half * (c.d_model + half + 2),
        "convolutional": c.kernel_size * c.d_model**2 + c.d_model,
    }.get(c.encoder_layer, attention)
    layers = c.N * (mix + 2 * attention + 2 * feed_forward + 5 * 2 * c.d_model)
    positions = c.max_length * c.d_model if c.positions == "learned" else 0
    return (c.vocab_size + (c.target_vocab_size or 0)) * c.d_model + layers + positions


def plan_corpus(pair: str, corpus: Corpus, processes: int) -> list[Step]:
    """Cleaning, learning subwords and encoding one pair."""
    sentences = 2 * corpus.pairs
    tokens = corpus.pairs * (corpus.source_tokens + corpus.target_tokens)
    text = tokens * SENTENCE_BYTES
    learned = min(sentences, 4_000_000)  # subwords.LEARNING_SAMPLE
    return [
        Step("clean", pair, 0, sentences / CLEANED / processes, COPIES * text, 1e8 * processes),
        Step("learn_subwords", pair, 0, learned / SUBWORDS_LEARNED, 1e6, 5e7 + 540 * learned),
        Step("encode", pair, 0, sentences / ENCODED / processes, tokens * 2 + sentences * 8, 1e8 * processes),
    ]


def plan_run(
    run: str, pair: str, corpus: Corpus, model: TransformerConfig, settings: dict[str, Any], device: Device
) -> list[Step]:
    """Training one run, and decoding its test set.

    ``settings`` are those of training and decoding, by their names in config/runs.yaml.
    """
    what = f"{run}, {pair}"
    weights = 4 * parameters(model)
    training = settings["steps"] * step_flops(corpus, model, settings["batch_tokens"])
    # Each checkpoint has the weights, and the newest both moments; the average is one more.
    disk = weights * (settings["keep_checkpoints"] + 3)
    beam = settings["beam_size"]
    source, target = round(corpus.source_tokens), round(corpus.target_tokens)
    decoding = corpus.test_sentences * beam * forward_flops(model, 1, source, target)
    rate = device.flops * device.count
    return [
        Step(
            "train",
            what,
            training,
            training / rate,
            disk,
            LOADED + 4 * weights + activations(model, settings),
        ),
        Step(
            "translate",
            what,
            decoding,
            START + decoding / (device.decoding * device.flops),
            0,
            weights + LOADED,
        ),
    ]


def step_flops(corpus: Corpus, model: TransformerConfig, batch_tokens: int) -> float:
    """Of one update: as many average sentences as fill the longer side's budget."""
    source, target = corpus.source_tokens, corpus.target_tokens
    sentences = batch_tokens / max(source, target)
    # The count is linear in sentences and nearly so in lengths, so that whole lengths are near enough.
    return sentences * training_flops(model, 1, round(source), round(target))


def activations(model: TransformerConfig, settings: dict[str, Any]) -> float:
    """Bytes that one pass keeps for its backward, two bytes a number: about so many widths a layer and position."""
    inner = 16 * model.d_model + 4 * model.h * (2 * model.d_k + model.d_v) + 2 * model.d_ff
    return 2.0 * settings["max_tokens"] * 2.5 * model.N * inner


def plan_markdown(
    title: str, device: Device, source: str, steps: Sequence[Step], notes: Iterable[str]
) -> str:
    """The plan for people."""
    rows = [
        [
            step.rule,
            step.what,
            f"{step.flops:.1e}" if step.flops else "",
            duration(step.seconds),
            size(step.disk),
            size(step.memory),
        ]
        for step in steps
    ]
    total = [
        "**all**", "one after the other", f"{sum(step.flops for step in steps):.1e}",
        duration(sum(step.seconds for step in steps)), size(sum(step.disk for step in steps)),
        size(max(step.memory for step in steps)),
    ]  # fmt: skip
    heads = ["step", "of", "FLOPs", "time", "disk", "memory of a process"]
    body = tabulate([*rows, total], heads, tablefmt="pipe", disable_numparse=True)
    devices = f"{device.count} × {device.name}, {device.flops:.1e} FLOPs a second each ({source})"
    return "\n\n".join([f"# What {title} asks for", f"Training on {devices}.", body, *notes]) + "\n"


def duration(seconds: float) -> str:
    """``45 s``, ``12 min``, ``3.4 h``, ``2.1 days``."""
    for unit, length, digits in (("days", 86_400, 1), ("h", 3600, 1), ("min", 60, 0)):
        if seconds >= 2 * length or (unit != "days" and seconds >= length):
            return f"{seconds / length:.{digits}f} {unit}"
    return f"{seconds:.0f} s"


def size(count: float) -> str:
    """``1.2 GB``; nothing for nothing."""
    if not count:
        return ""
    return f"{count / 1e9:.1f} GB" if count >= 1e8 else f"{count / 1e6:.0f} MB"
