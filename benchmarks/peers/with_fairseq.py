"""fairseq: its Transformer, its label-smoothed criterion, its Adam and its sequence generator."""

import argparse
import dataclasses
from collections.abc import Iterator
from typing import Any

import torch
from worker import (
    ADAM,
    ALPHA,
    BEAM_SIZE,
    DROPOUT,
    LABEL_SMOOTHING,
    Decode,
    Pair,
    Shape,
    Workload,
    autocast,
    one_by_one,
    pad,
    serve,
    training_steps,
    weights_in,
)


def hashable_dataclass(cls: Any = None, /, **options: Any) -> Any:
    """Make a dataclass whose instances have a hash: Python 3.11 accepts no others as the defaults that fairseq has."""
    return make_dataclass(cls, **options if options.get("frozen") else {"unsafe_hash": True, **options})


make_dataclass = dataclasses.dataclass
dataclasses.dataclass = hashable_dataclass  # type: ignore[assignment]
from fairseq.criterions.label_smoothed_cross_entropy import LabelSmoothedCrossEntropyCriterion  # noqa: E402
from fairseq.data import Dictionary  # noqa: E402
from fairseq.models.transformer import TransformerModel, base_architecture  # noqa: E402
from fairseq.optim.adam import Adam  # noqa: E402
from fairseq.sequence_generator import SequenceGenerator  # noqa: E402

dataclasses.dataclass = make_dataclass


def make_task(shape: Shape) -> argparse.Namespace:
    """Return what fairseq's classes read from a task."""
    dictionary = Dictionary()
    for number in range(shape.vocab_size - len(dictionary)):
        dictionary.add_symbol(f"w{number}")
    return argparse.Namespace(source_dictionary=dictionary, target_dictionary=dictionary)


def make_model(shape: Shape, task: argparse.Namespace) -> TransformerModel:
    settings = argparse.Namespace(
        encoder_layers=shape.layers, encoder_embed_dim=shape.d_model, encoder_ffn_embed_dim=shape.d_ff,
        encoder_attention_heads=shape.heads, decoder_layers=shape.layers, decoder_ffn_embed_dim=shape.d_ff,
        decoder_attention_heads=shape.heads, share_all_embeddings=True, dropout=DROPOUT, max_source_positions=256,
        max_target_positions=256,
    )  # fmt: skip
    base_architecture(settings)
    return TransformerModel.build_model(settings, task)


def training(shape: Shape, precision: str, workload: Workload) -> Iterator[int]:
    task = make_task(shape)
    eos, padding = task.target_dictionary.eos(), task.target_dictionary.pad()
    model = make_model(shape, task).train()
    criterion = LabelSmoothedCrossEntropyCriterion(task, sentence_avg=False, label_smoothing=LABEL_SMOOTHING)
    optimizer = Adam(model.parameters(), **ADAM)

    def step(pairs: list[Pair]) -> None:
        sample = {
            "net_input": {
                "src_tokens": pad([[*s, eos] for s, _ in pairs], padding, left=True),
                "src_lengths": torch.tensor([len(s) + 1 for s, _ in pairs]),
                "prev_output_tokens": pad([[eos, *t] for _, t in pairs], padding),
            },
            "target": pad([[*t, eos] for _, t in pairs], padding),
            "ntokens": sum(len(t) + 1 for _, t in pairs),
        }
        with autocast(precision):
            loss, tokens, _ = criterion(model, sample)
        (loss / tokens).backward()
        optimizer.step()
        optimizer.zero_grad()

    return training_steps(step, workload)


def decoding(shape: Shape, precision: str) -> Decode:
    task = make_task(shape)
    eos, padding = task.target_dictionary.eos(), task.target_dictionary.pad()
    model = make_model(shape, task).to(weights_in(precision)).eval()
    model.prepare_for_inference_(argparse.Namespace(generation=argparse.Namespace(beam=BEAM_SIZE)))
    generator = SequenceGenerator([model], task.target_dictionary, beam_size=BEAM_SIZE, len_penalty=ALPHA)

    def decode(sources: list[list[int]], length: int) -> int:
        # The generator adds EOS to these lengths.
        generator.max_len_b = generator.min_len = length - 1
        sample = {
            "net_input": {
                "src_tokens": pad([[*s, eos] for s in sources], padding, left=True),
                "src_lengths": torch.tensor([len(s) + 1 for s in sources]),
            }
        }
        with torch.no_grad():
            outputs = generator.generate([model], sample)
        return sum(len(hypotheses[0]["tokens"]) for hypotheses in outputs)

    return one_by_one(decode)


if __name__ == "__main__":
    serve("fairseq", training, decoding)
