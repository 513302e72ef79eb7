"""OpenNMT-py: its Transformer, which is pre-norm, its loss and its translator, with torch's Adam."""

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
    pretend_installed,
    serve,
    training_steps,
    weights_in,
)

# These are for reading text, which this program does not.
pretend_installed("spacy", "ahocorasick", "rapidfuzz", "fasttext")
import onmt.opts  # noqa: E402
import pyonmttok  # noqa: E402
from onmt.constants import DefaultTokens  # noqa: E402
from onmt.model_builder import build_base_model  # noqa: E402
from onmt.translate import GNMTGlobalScorer  # noqa: E402
from onmt.translate.translator import Translator  # noqa: E402
from onmt.utils.loss import LossCompute  # noqa: E402
from onmt.utils.parse import ArgumentParser  # noqa: E402

SPECIAL = [DefaultTokens.UNK, DefaultTokens.PAD, DefaultTokens.BOS, DefaultTokens.EOS]
PAD, BOS, EOS = 1, 2, 3  # their places in this list


def make_model(shape: Shape) -> tuple[Any, dict[str, Any], Any]:
    """Return the model, its vocabularies and its settings."""
    words = [f"w{number}" for number in range(shape.vocab_size - len(SPECIAL))]
    vocabulary = pyonmttok.build_vocab_from_tokens(words, special_tokens=SPECIAL)
    vocabularies = {"src": vocabulary, "tgt": vocabulary, "decoder_start_token": DefaultTokens.BOS}
    parser = ArgumentParser()
    onmt.opts.model_opts(parser)
    onmt.opts._add_train_general_opts(parser)
    onmt.opts.distributed_opts(parser)
    settings, _ = parser.parse_known_args([
        "--encoder_type", "transformer", "--decoder_type", "transformer", "--position_encoding",
        "--layers", str(shape.layers), "--hidden_size", str(shape.d_model), "--word_vec_size", str(shape.d_model),
        "--transformer_ff", str(shape.d_ff), "--heads", str(shape.heads), "--dropout", str(DROPOUT),
        "--attention_dropout", "0", "--share_embeddings", "--share_decoder_embeddings",
        "--label_smoothing", str(LABEL_SMOOTHING),
    ])  # fmt: skip
    ArgumentParser.update_model_opts(settings)
    model = build_base_model(settings, vocabularies)
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.xavier_uniform_(parameter)
    return model, vocabularies, settings


def training(shape: Shape, precision: str, workload: Workload) -> Iterator[int]:
    model, vocabularies, settings = make_model(shape)
    model.train()
    loss_compute = LossCompute.from_opts(settings, model, vocabularies["tgt"])
    optimizer = torch.optim.Adam(model.parameters(), fused=True, **ADAM)

    def step(pairs: list[Pair]) -> None:
        source = pad([[*s, EOS] for s, _ in pairs], PAD)[..., None]
        target = pad([[BOS, *t, EOS] for _, t in pairs], PAD)[..., None]
        lengths = torch.tensor([len(s) + 1 for s, _ in pairs])
        with autocast(precision):
            output, attention = model(source, target, lengths)
            loss, _ = loss_compute({"tgt": target, "srclen": lengths}, output, attention)
        (loss / sum(len(t) + 1 for _, t in pairs)).backward()
        optimizer.step()
        optimizer.zero_grad()

    return training_steps(step, workload)


def decoding(shape: Shape, precision: str) -> Decode:
    model, vocabularies, _ = make_model(shape)
    model.to(weights_in(precision)).eval()
    translator = Translator(
        model, vocabularies, beam_size=BEAM_SIZE, max_length_ratio=0,
        global_scorer=GNMTGlobalScorer(ALPHA, 0.0, "wu", "none"),
    )  # fmt: skip

    def decode(sources: list[list[int]], length: int) -> int:
        translator.min_length = translator.max_length = length
        batch = {
            "src": pad([[*s, EOS] for s in sources], PAD)[..., None],
            "srclen": torch.tensor([len(s) + 1 for s in sources]),
        }
        outputs = translator.translate_batch(batch, attn_debug=False)["predictions"]
        return sum(min(len(hypotheses[0]), length) for hypotheses in outputs)

    return one_by_one(decode)


if __name__ == "__main__":
    serve("OpenNMT-py", training, decoding)
