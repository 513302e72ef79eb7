"""A trained model in the format of CTranslate2, which computes the same function.

Its description of a Transformer takes our matrices as they are: queries, keys and values side by side, a table of
positions for each stack, and a target that begins with the zero vector.  CTranslate2 is an optional package, and only
the function that needs it imports it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from transformer.common.optional_packages import require
from transformer.common.special_tokens import EOS, UNK
from transformer.export.fast_tokenizer import entry_names
from transformer.export.formats import check_format
from transformer.export.marian import MAX_POSITIONS
from transformer.model.layers import LAYER_NORM_EPSILON, AddAndNorm
from transformer.model.transformer import Transformer


def save_ctranslate2(model: Transformer, pieces: Sequence[str], folder: Path) -> None:
    """Write a model and its vocabulary to an existing folder, in fp32.

    ``pieces`` are the written forms of the tokens, as in ``tokenizer.json``.  Raises UserError when CTranslate2 is
    missing, or when it has no counterpart for one of the model's settings.
    """
    config = model.config
    require("ctranslate2")
    check_format(config, "ctranslate2")
    from ctranslate2.specs import TransformerSpec
    from ctranslate2.specs.common_spec import Activation

    activation = Activation[config.activation.upper()]
    spec = TransformerSpec.from_config(config.N, config.h, pre_norm=False, activation=activation)
    first = 0 if model.target_space is None else model.target_space[0]
    length = config.max_length if config.positions == "learned" else MAX_POSITIONS
    table: Tensor = model.positions(0, length)  # WordPositions, which take more, are a parser's
    spec.encoder.position_encodings.encodings = array(table + first)
    spec.decoder.position_encodings.encodings = array(table)
    spec.encoder.embeddings[0].weight = array(model.embedding)
    spec.decoder.embeddings.weight = array(model.target_embedding)
    spec.decoder.projection.weight = array(model.softmax_matrix)
    spec.decoder.start_from_zero_embedding = True
    for stack in ("encoder", "decoder"):
        for put, layer in zip(getattr(spec, stack).layer, getattr(model, stack), strict=True):
            own = layer.self_attention
            if stack == "encoder":
                put_attention(put.self_attention, [own.W_QKV, own.W_O], layer.after_attention)
            else:
                put_attention(put.self_attention, [own.W_QKV, own.W_O], layer.after_self_attention)
                cross = layer.cross_attention
                put_attention(put.attention, [cross.W_Q, cross.W_KV, cross.W_O], layer.after_cross_attention)
            put_linear(put.ffn.linear_0, layer.feed_forward.W_1)
            put_linear(put.ffn.linear_1, layer.feed_forward.W_2)
            put_norm(put.ffn.layer_norm, layer.after_feed_forward)
    names = entry_names(pieces, config.embedding_rows)
    spec.register_source_vocabulary(names)
    spec.register_target_vocabulary(names)
    spec.config.unk_token, spec.config.eos_token = names[UNK], names[EOS]
    spec.config.bos_token = spec.config.decoder_start_token = names[EOS]  # neither is used
    spec.config.add_source_eos = False  # tokenizer.json adds it
    spec.config.layer_norm_epsilon = LAYER_NORM_EPSILON
    spec.validate()
    spec.optimize()
    spec.save(str(folder))


def array(tensor: Tensor) -> Any:
    """Return a tensor's numbers in fp32 for CTranslate2."""
    return tensor.detach().float().cpu().contiguous().numpy()


def put_linear(spec: Any, linear: nn.Linear) -> None:
    spec.weight = array(linear.weight)
    if linear.bias is not None:
        spec.bias = array(linear.bias)


def put_norm(spec: Any, after: AddAndNorm) -> None:
    spec.gamma, spec.beta = array(after.norm.weight), array(after.norm.bias)


def put_attention(spec: Any, linears: Sequence[nn.Linear], after: AddAndNorm) -> None:
    for place, linear in zip(spec.linear, linears, strict=True):
        put_linear(place, linear)
    put_norm(spec.layer_norm, after)
