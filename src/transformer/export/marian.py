"""A trained model as Hugging Face's ``MarianMTModel``, which computes the same function.

Marian's sinusoids are those of section 3.5, but all sines come first, then all cosines.  So the entries of every vector
of width d_model are put into that order, and with them the rows and columns of all matrices; the logits stay the same.

Marian also begins the target with PAD, whose embedding is the zero vector.  In its models PAD is the last entry of the
vocabulary, here one that is added.  Our own PAD, entry 0, counts in our softmax and keeps its row, but is never output.

Two things differ.  Marian's layer normalisation has ε = 1e-5, which no setting changes, and ours has 1e-6; this moves
the logits by less than a hundred-thousandth of the largest.  And Marian has a limit of positions.
"""

from typing import Any

import torch
from torch import Tensor

from transformer.common.errors import UserError
from transformer.common.special_tokens import EOS, PAD
from transformer.decoding.beam_search import BeamConfig
from transformer.export.formats import reason_against
from transformer.model.transformer import Transformer
from transformer.settings.run_settings import TransformerConfig

# The parts of our layers, and what Marian calls them.  It has the projections of one input apart, which ours joins.
PARTS = {
    "self_attention.W_QKV": ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
    "self_attention.W_O": ["self_attn.out_proj"],
    "cross_attention.W_Q": ["encoder_attn.q_proj"],
    "cross_attention.W_KV": ["encoder_attn.k_proj", "encoder_attn.v_proj"],
    "cross_attention.W_O": ["encoder_attn.out_proj"],
    "feed_forward.W_1": ["fc1"],
    "feed_forward.W_2": ["fc2"],
    "after_attention.norm": ["self_attn_layer_norm"],
    "after_self_attention.norm": ["self_attn_layer_norm"],
    "after_cross_attention.norm": ["encoder_attn_layer_norm"],
    "after_feed_forward.norm": ["final_layer_norm"],
}
# Their outputs have the width d_model; the inputs of the others have it.
WRITE_D_MODEL = ("W_O", "W_2", "norm")
MAX_POSITIONS = 1024  # rows of the tables of sinusoids
MAX_LENGTH = 512  # tokens of an output
# The logit of an entry that is never output.  It is finite, since not every format has infinity.
NEVER = -1e9


def marian_config(config: TransformerConfig) -> dict[str, Any]:
    """Return the content of ``config.json``."""
    pad = config.embedding_rows
    sizes = {"layers": config.N, "attention_heads": config.h, "ffn_dim": config.d_ff}
    return {
        **{f"{stack}_{name}": value for stack in ("encoder", "decoder") for name, value in sizes.items()},
        "architectures": ["MarianMTModel"],
        "model_type": "marian",
        "dtype": "float32",
        "d_model": config.d_model,
        "activation_function": config.activation,
        "dropout": config.dropout,
        "attention_dropout": config.attention_dropout,
        "activation_dropout": config.relu_dropout,
        "init_std": config.d_model**-0.5,
        "is_encoder_decoder": True,
        "scale_embedding": True,
        "share_encoder_decoder_embeddings": True,
        "tie_word_embeddings": True,
        "max_position_embeddings": MAX_POSITIONS,
        "vocab_size": pad + 1,
        "decoder_vocab_size": pad + 1,
        **_special_tokens(pad),
        "forced_eos_token_id": None,
    }


def generation_config(config: TransformerConfig, beam: BeamConfig, length: float) -> dict[str, Any]:
    """Return the content of ``generation_config.json``: our beam search, as far as Hugging Face's can be like it.

    ``length`` is the mean length of a sentence in tokens, EOS included (see :func:`length_exponent`).  The maximal
    length is one number, where our outputs may exceed their input by ``max_extra_tokens``.
    """
    pad = config.embedding_rows
    return {
        **_special_tokens(pad),
        "early_stopping": False,
        "length_penalty": length_exponent(beam.alpha, length),
        "max_length": MAX_LENGTH,
        "num_beams": beam.beam_size,
        "suppress_tokens": [PAD, *range(config.vocab_size, pad + 1)],  # entries without a token, and PAD
    }


def length_exponent(alpha: float, length: float) -> float:
    """Return the exponent p for which length^p grows as our length penalty does at ``length``.

    Hugging Face divides log P by length^p, and we by ((5 + length) / 6)^α (section 6.1).  Near
    ``length``, where the relative growth of both is p / length = α / (5 + length), they rank hypotheses alike.
    """
    return round(alpha * length / (5 + length), 3)


def marian_weights(model: Transformer) -> dict[str, Tensor]:
    """Return the content of ``model.safetensors``.  Raises UserError if Marian's models cannot hold a setting."""
    if reason := reason_against(model.config.to_dict()):
        raise UserError(reason)
    d_model = model.config.d_model
    order = torch.cat((torch.arange(0, d_model, 2), torch.arange(1, d_model, 2)))  # sines first
    embedding = model.embedding.detach()[:, order]
    weights = {
        "model.shared.weight": torch.cat((embedding, torch.zeros(1, d_model))),
        "final_logits_bias": torch.tensor([[0.0] * len(embedding) + [NEVER]]),
    }
    for stack in ("encoder", "decoder"):
        for part, module in getattr(model, stack).named_modules():
            layer, _, ours = part.partition(".")
            if ours not in PARTS:
                continue
            weight = module.weight.detach()
            bias = torch.zeros(len(weight)) if module.bias is None else module.bias.detach()
            if ours.endswith(WRITE_D_MODEL):
                weight, bias = weight[order], bias[order]
            else:
                weight = weight[:, order]
            count = len(PARTS[ours])
            for name, *own in zip(PARTS[ours], weight.chunk(count), bias.chunk(count), strict=True):
                key = f"model.{stack}.layers.{layer}.{name}"
                weights[f"{key}.weight"], weights[f"{key}.bias"] = own
    return weights


def _special_tokens(pad: int) -> dict[str, int | None]:
    ids = {"eos": EOS, "pad": pad, "decoder_start": pad, "bos": None}
    return {f"{name}_token_id": id for name, id in ids.items()}
