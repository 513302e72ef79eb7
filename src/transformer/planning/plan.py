"""Estimate the operations, time, disk and memory of each step of a scale before it is started."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tabulate import tabulate

from transformer.common.sizes import LEARNING_SAMPLE
from transformer.model.config import TARGET_SPACES, TransformerConfig
from transformer.model.flops import forward_flops, training_flops

# Measured rates, in sentences per second of one process.
CLEANED, ENCODED = 265_000, 78_000  # both sides of a pair count
SUBWORDS_LEARNED = 60_000
PARSED_BY_PCFG = 40  # sentences of 20 to 29 words
# What an update takes beside its counted operations, in the time of so many of them.  Updates of the demo's base and
# big took 0.12 and 0.26 s of one core (2026-11-27), and big has 3.3 times as many operations.
UNCOUNTED = 3e9
SENTENCE_BYTES = 5.5  # bytes of text per subword, in the languages of WMT and Multi30k
COPIES = 2  # of the text: raw and clean
START = 4  # seconds until a script has loaded torch
LOADED = 1.3e9  # bytes of memory of a process that has loaded torch


@dataclass(frozen=True)
class Corpus:
    """The assumed sizes of a language pair's training and test text; tokens are subwords with EOS."""

    pairs: int
    source_tokens: float  # per sentence
    target_tokens: float  # per sentence
    test_sentences: int


@dataclass(frozen=True)
class Device:
    """A device of resources/devices.yaml, and how many of them train together."""

    name: str
    flops: float  # per second
    decoding: float  # the share of `flops` that beam search reaches
    count: int


@dataclass(frozen=True)
class Step:
    """One row of the plan: ``what`` a rule of the pipeline processes, and the resources needed."""

    rule: str
    what: str
    flops: float
    seconds: float
    disk: float  # bytes
    memory: float  # bytes of one process


def combine(rule: str, what: str, steps: Sequence[Step]) -> Step:
    """Return several steps, one after the other, as one row."""
    return Step(
        rule,
        what,
        flops=sum(step.flops for step in steps),
        seconds=sum(step.seconds for step in steps),
        disk=sum(step.disk for step in steps),
        memory=max(step.memory for step in steps),
    )


def parameters(config: TransformerConfig) -> int:
    """Return the number of parameters of a model."""
    c = config
    keys, values = c.h * c.d_k, c.h * c.d_v
    bias = int(c.attention_bias)
    attention = c.d_model * (2 * keys + values) + values * c.d_model + bias * (2 * keys + values + c.d_model)
    feed_forward = 2 * c.d_model * c.d_ff + c.d_ff + c.d_model
    half = c.d_model // 2
    encoder_mix = {
        "recurrent": 2 * 3 * half * (c.d_model + half + 2),
        "convolutional": c.kernel_size * c.d_model**2 + c.d_model,
    }.get(c.encoder_layer, attention)
    layers = c.N * (encoder_mix + 2 * attention + 2 * feed_forward + 5 * 2 * c.d_model)
    positions = c.max_length * c.d_model if c.positions == "learned" else 0
    spaces = TARGET_SPACES if c.target_space else 0
    softmax = 0 if c.tied_softmax else c.output_size
    rows = c.embedding_rows + (c.target_vocab_size or 0) + softmax + spaces
    return rows * c.d_model + layers + positions


def plan_corpus(pair: str, corpus: Corpus, processes: int) -> list[Step]:
    """Return the steps of cleaning, learning subwords and encoding for one pair."""
    sentences = 2 * corpus.pairs
    tokens = corpus.pairs * (corpus.source_tokens + corpus.target_tokens)
    text = tokens * SENTENCE_BYTES
    learned = min(sentences, LEARNING_SAMPLE)
    return [
        Step("clean", pair, 0, sentences / CLEANED, COPIES * text, 1e8),
        Step("learn_subwords", pair, 0, learned / SUBWORDS_LEARNED, 1e6, 5e7 + 540 * learned),
        Step("encode", pair, 0, sentences / ENCODED / processes, tokens * 2 + sentences * 8, 1e8 * processes),
    ]


def plan_run(
    run: str, pair: str, corpus: Corpus, model: TransformerConfig, settings: dict[str, Any], device: Device
) -> tuple[Step, Step]:
    """Return the steps of training a run and of decoding its test set.

    ``settings`` are the run's settings of training and decoding.
    """
    what = f"{run}, {pair}"
    weights = 4 * parameters(model)  # bytes
    training = settings["steps"] * step_flops(corpus, model, settings["batch_tokens"])
    training_seconds = (training + settings["steps"] * UNCOUNTED) / (device.flops * device.count)
    # Each checkpoint holds the weights, the newest also Adam's two moments; the averaged weights are one more copy.
    disk = weights * (settings["keep_checkpoints"] + 3)
    memory = training_memory(model, settings["max_tokens"])
    source, target = round(corpus.source_tokens), round(corpus.target_tokens)
    decoding = corpus.test_sentences * settings["beam_size"] * forward_flops(model, 1, source, target)
    decoding_seconds = START + decoding / (device.decoding * device.flops)
    return (
        Step("train", what, training, training_seconds, disk, memory),
        Step("translate", what, decoding, decoding_seconds, 0, weights + LOADED),
    )


def step_flops(corpus: Corpus, model: TransformerConfig, batch_tokens: int) -> float:
    """Return the operations of one update on average sentences that fill the batch on its longer side."""
    source, target = corpus.source_tokens, corpus.target_tokens
    sentences = batch_tokens / max(source, target)
    # The count is linear in the number of sentences and nearly linear in their lengths, so rounding these is harmless.
    return sentences * training_flops(model, 1, round(source), round(target))


def training_memory(model: TransformerConfig, max_tokens: int) -> float:
    """Return the memory of a training process: weights, gradients, both of Adam's moments, and activations.

    While a checkpoint is written, there are copies of weights and moments.
    """
    return LOADED + (4 + 3) * 4 * parameters(model) + activation_bytes(model, max_tokens)


def activation_bytes(model: TransformerConfig, max_tokens: int) -> float:
    """Return the memory for the activations of one forward pass, with two bytes per number.

    The factors are rough: the widths of a layer's activations, summed, for each position of 2.5 layers per N.
    """
    widths = 16 * model.d_model + 4 * model.h * (2 * model.d_k + model.d_v) + 2 * model.d_ff
    return 2.0 * max_tokens * 2.5 * model.N * widths


def plan_markdown(title: str, device: Device, source: str, steps: Sequence[Step], notes: str) -> str:
    """Return the plan as a Markdown page; ``source`` says where the device's rate is from."""
    rows = []
    for step in [*steps, combine("**all**", "one after the other", steps)]:
        flops = f"{step.flops:.1e}" if step.flops else ""
        rows.append([step.rule, step.what, flops, duration(step.seconds), size(step.disk), size(step.memory)])
    heads = ["step", "of", "FLOPs", "time", "disk", "memory of a process"]
    table = tabulate(rows, heads, tablefmt="pipe", disable_numparse=True)
    devices = f"{device.count} × {device.name}, {device.flops:.1e} FLOPs a second each ({source})"
    return f"# What {title} asks for\n\nTraining on {devices}.\n\n{table}\n\n{notes}\n"


def duration(seconds: float) -> str:
    """Return a time as ``45 s``, ``12 min``, ``3.4 h`` or ``2.1 days``."""
    for unit, length, digits in (("days", 86_400, 1), ("h", 3600, 1), ("min", 60, 0)):
        if seconds >= 2 * length or (unit != "days" and seconds >= length):
            return f"{seconds / length:.{digits}f} {unit}"
    return f"{seconds:.0f} s"


def size(count: float) -> str:
    """Return a number of bytes as ``45 MB`` or ``1.2 GB``; zero is an empty string."""
    if not count:
        return ""
    return f"{count / 1e9:.1f} GB" if count >= 1e8 else f"{count / 1e6:.0f} MB"
