"""The shape of a Transformer that every tool has: self-attention, and heads that split d_model evenly."""

from transformer.model.config import TransformerConfig


def uncommon_shape(config: TransformerConfig, tool: str) -> str | None:
    """Return why a model has no counterpart in ``tool``, in a few words; None if its shape is the common one."""
    if config.target_vocab_size is not None or config.positions == "words":
        return f"the model is a parser, and {tool} has no vocabulary of trees"
    if config.encoder_layer != "self-attention":
        return f"encoder_layer is {config.encoder_layer}, and {tool} has self-attention only"
    if not config.h * config.d_k == config.h * config.d_v == config.d_model:
        return (
            f"h · d_k is {config.h * config.d_k} and h · d_v is {config.h * config.d_v}, but in {tool} both equal "
            f"d_model, {config.d_model}"
        )
    return None
