"""JoeyNMT: its Transformer with post-norm layers and its loss, with torch's Adam."""

import types
from collections.abc import Iterator

import torch
from worker import (
    ADAM,
    DROPOUT,
    LABEL_SMOOTHING,
    Pair,
    Shape,
    Workload,
    autocast,
    pad,
    pretend_installed,
    serve,
    training_steps,
)

# These are for reading text, scoring and drawing, which this program does not.
pretend_installed(
    "datasets", "matplotlib", "pandas", "sacrebleu", "sacremoses", "sentencepiece", "subword_nmt",
    "torch.utils.tensorboard",
)  # fmt: skip
from joeynmt.model import Model, build_model  # noqa: E402
from joeynmt.vocabulary import Vocabulary  # noqa: E402

UNK, PAD, BOS, EOS = range(4)


def make_model(shape: Shape) -> Model:
    special = types.SimpleNamespace(
        unk_token="<unk>", pad_token="<pad>", bos_token="<s>", eos_token="</s>", sep_token=None, lang_tags=[],
        unk_id=UNK, pad_id=PAD, bos_id=BOS, eos_id=EOS,
    )  # fmt: skip
    vocabulary = Vocabulary([f"w{number}" for number in range(shape.vocab_size - 4)], special)
    stack = {
        "type": "transformer", "num_layers": shape.layers, "num_heads": shape.heads, "hidden_size": shape.d_model,
        "ff_size": shape.d_ff, "dropout": DROPOUT, "layer_norm": "post",
        "embeddings": {"embedding_dim": shape.d_model, "scale": True, "dropout": DROPOUT},
    }  # fmt: skip
    model = build_model(
        {
            "encoder": stack, "decoder": stack, "tied_embeddings": True, "tied_softmax": True,
            "initializer": "xavier_uniform", "embed_initializer": "xavier_uniform",
        },
        vocabulary,
        vocabulary,
    )  # fmt: skip
    model.loss_function = ("crossentropy", LABEL_SMOOTHING)
    return model


def training(shape: Shape, precision: str, workload: Workload) -> Iterator[int]:
    model = make_model(shape).train()
    optimizer = torch.optim.Adam(model.parameters(), fused=True, **ADAM)

    def step(pairs: list[Pair]) -> None:
        source = pad([[*s, EOS] for s, _ in pairs], PAD)
        target = pad([[*t, EOS] for _, t in pairs], PAD)
        with autocast(precision):
            loss, *_ = model(
                return_type="loss", src=source, src_length=(source != PAD).sum(1), src_mask=(source != PAD)[:, None],
                trg_input=pad([[BOS, *t] for _, t in pairs], PAD), trg=target, trg_mask=(target != PAD)[:, None],
            )  # fmt: skip
        (loss / sum(len(t) + 1 for _, t in pairs)).backward()
        optimizer.step()
        optimizer.zero_grad()

    return training_steps(step, workload)


if __name__ == "__main__":
    serve("joeynmt", training)
