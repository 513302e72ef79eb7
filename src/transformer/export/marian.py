"""A trained model as Hugging Face's ``MarianMTModel``, which computes the same function.

Marian's sinusoids are those of section 3.5, but all sines come first, then all cosines.  So the entries of every vector
of width d_model are put into that order, and with them the rows and columns of all matrices; the logits stay the same.

Marian also begins the target with PAD, whose embedding is the zero vector.  In its models PAD is the last entry of the
vocabulary, here one that is added.  Our own PAD, entry 0, counts in our softmax and keeps its row, but is never output.

Two things differ.  Marian's layer normalisation has ε = 1e-5, which no setting changes, and ours has 1e-6; this moves
the logits by less than a hundred-thousandth of the largest.  And Marian has a limit of positions.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from transformer.common.errors import UserError
from transformer.common.special_tokens import EOS, PAD
from transformer.decoding.beam_search import BeamConfig
from transformer.export.formats import reason_against
from transformer.model.attention import CrossAttention, MultiHeadAttention
from transformer.model.config import TransformerConfig
from transformer.model.transformer import Transformer

MAX_POSITIONS = 1024  # rows of the tables of sinusoids
MAX_LENGTH = 512  # tokens of an output
# A name, weight and bias, and whether it reads vectors of width d_model, and writes them.
Part = tuple[str, Tensor, Tensor | None, bool, bool]
# The logit of an entry that is never output.  It is finite, since not every format has infinity.
NEVER = -1e9


def marian_config(config: TransformerConfig) -> dict[str, Any]:
    """Return the content of ``config.json``."""
    return {
        "architectures": ["MarianMTModel"],
        "model_type": "marian",
        "activation_dropout": config.relu_dropout,
        "activation_function": config.activation,
        "attention_dropout": config.attention_dropout,
        "bos_token_id": None,
        "d_model": config.d_model,
        "decoder_attention_heads": config.h,
        "decoder_ffn_dim": config.d_ff,
        "decoder_layers": config.N,
        "decoder_start_token_id": config.embedding_rows,
        "decoder_vocab_size": config.embedding_rows + 1,
        "dropout": config.dropout,
        "dtype": "float32",
        "encoder_attention_heads": config.h,
        "encoder_ffn_dim": config.d_ff,
        "encoder_layers": config.N,
        "eos_token_id": EOS,
        "forced_eos_token_id": None,
        "init_std": config.d_model**-0.5,
        "is_encoder_decoder": True,
        "max_position_embeddings": MAX_POSITIONS,
        "pad_token_id": config.embedding_rows,
        "scale_embedding": True,
        "share_encoder_decoder_embeddings": True,
        "tie_word_embeddings": True,
        "vocab_size": config.embedding_rows + 1,
    }


def generation_config(config: TransformerConfig, beam: BeamConfig, length: float) -> dict[str, Any]:
    """Return the content of ``generation_config.json``: our beam search, as far as Hugging Face's can be like it.

    ``length`` is the mean length of a translation, EOS included (see :func:`length_exponent`).  The maximal length is
    one number, where our outputs may exceed their input by ``max_extra_tokens``.
    """
    rows = range(config.vocab_size, config.embedding_rows + 1)  # entries without a token, and PAD
    return {
        "bos_token_id": None,
        "decoder_start_token_id": config.embedding_rows,
        "early_stopping": False,
        "eos_token_id": EOS,
        "length_penalty": length_exponent(beam.alpha, length),
        "max_length": MAX_LENGTH,
        "num_beams": beam.beam_size,
        "pad_token_id": config.embedding_rows,
        "suppress_tokens": [PAD, *rows],
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
    bias = torch.zeros(1, len(embedding) + 1)
    bias[0, -1] = NEVER
    weights = {
        "model.shared.weight": torch.cat((embedding, torch.zeros(1, d_model))),
        "final_logits_bias": bias,
    }
    for stack in ("encoder", "decoder"):
        for number, layer in enumerate(getattr(model, stack)):
            for part, weight, own_bias, reads, writes in _parts(layer):
                own_bias = torch.zeros(len(weight)) if own_bias is None else own_bias
                if reads:
                    weight = weight[:, order]
                if writes:
                    weight, own_bias = weight[order], own_bias[order]
                name = f"model.{stack}.layers.{number}.{part}"
                weights |= {f"{name}.weight": weight.detach(), f"{name}.bias": own_bias.detach()}
    return {name: weight.cpu().contiguous() for name, weight in weights.items()}


def _parts(layer: Any) -> Iterator[Part]:
    """Yield the parts of a layer by Marian's names."""
    if hasattr(layer, "cross_attention"):
        attentions = {
            "self_attn": (layer.self_attention, layer.after_self_attention),
            "encoder_attn": (layer.cross_attention, layer.after_cross_attention),
        }
    else:
        attentions = {"self_attn": (layer.self_attention, layer.after_attention)}
    for name, (attention, after) in attentions.items():
        for part, weight, bias, reads, writes in _attention_parts(attention):
            yield f"{name}.{part}", weight, bias, reads, writes
        yield f"{name}_layer_norm", after.norm.weight, after.norm.bias, False, True
    feed_forward, norm = layer.feed_forward, layer.after_feed_forward.norm
    yield "fc1", feed_forward.W_1.weight, feed_forward.W_1.bias, True, False
    yield "fc2", feed_forward.W_2.weight, feed_forward.W_2.bias, False, True
    yield "final_layer_norm", norm.weight, norm.bias, False, True


def _attention_parts(attention: MultiHeadAttention) -> Iterator[Part]:
    """Yield the projections of queries, keys and values, which Marian has apart, and that of the output."""
    joined: dict[tuple[str, ...], Any]
    if isinstance(attention, CrossAttention):
        joined = {("q_proj",): attention.W_Q, ("k_proj", "v_proj"): attention.W_KV}
    else:
        joined = {("q_proj", "k_proj", "v_proj"): attention.W_QKV}
    for names, linear in joined.items():
        biases = [None] * len(names) if linear.bias is None else linear.bias.chunk(len(names))
        for name, weight, bias in zip(names, linear.weight.chunk(len(names)), biases, strict=True):
            yield name, weight, bias, True, False
    yield "out_proj", attention.W_O.weight, attention.W_O.bias, False, True
