"""Hugging Face transformers: MarianMT, a post-norm Transformer, with torch's Adam."""

from collections.abc import Iterator

import torch
from transformers import MarianConfig, MarianMTModel
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

EOS, PAD = 1, 0


def make_model(shape: Shape) -> MarianMTModel:
    return MarianMTModel(
        MarianConfig(
            vocab_size=shape.vocab_size, d_model=shape.d_model, max_position_embeddings=256,
            encoder_layers=shape.layers, encoder_ffn_dim=shape.d_ff, encoder_attention_heads=shape.heads,
            decoder_layers=shape.layers, decoder_ffn_dim=shape.d_ff, decoder_attention_heads=shape.heads,
            activation_function="relu", dropout=DROPOUT, scale_embedding=True, init_std=shape.d_model**-0.5,
            pad_token_id=PAD, eos_token_id=EOS, decoder_start_token_id=PAD, forced_eos_token_id=None,
        )
    )  # fmt: skip


def training(shape: Shape, precision: str, workload: Workload) -> Iterator[int]:
    model = make_model(shape).train()
    optimizer = torch.optim.Adam(model.parameters(), fused=True, **ADAM)
    criterion = torch.nn.CrossEntropyLoss(ignore_index=PAD, label_smoothing=LABEL_SMOOTHING)

    def step(pairs: list[Pair]) -> None:
        source = pad([[*s, EOS] for s, _ in pairs], PAD)
        target = pad([[*t, EOS] for _, t in pairs], PAD)
        shifted = pad([[PAD, *t] for _, t in pairs], PAD)
        with autocast(precision):
            logits = model(
                input_ids=source, attention_mask=source != PAD, decoder_input_ids=shifted, use_cache=False
            ).logits
            loss = criterion(logits.flatten(0, 1), target.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    return training_steps(step, workload)


def decoding(shape: Shape, precision: str) -> Decode:
    model = make_model(shape).to(weights_in(precision)).eval()

    def decode(sources: list[list[int]], length: int) -> int:
        source = pad([[*s, EOS] for s in sources], PAD)
        with torch.inference_mode():
            outputs = model.generate(
                source, attention_mask=source != PAD, num_beams=BEAM_SIZE, do_sample=False, length_penalty=ALPHA,
                max_new_tokens=length, min_new_tokens=length,
            )  # fmt: skip
        return int((outputs[:, 1:] != PAD).sum())

    return one_by_one(decode)


if __name__ == "__main__":
    serve("transformers", training, decoding)
