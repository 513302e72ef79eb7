"""The dimensions of a Transformer: one value for each letter of the paper's Table 3."""

import dataclasses
from typing import Any, Literal, get_args

EncoderLayerType = Literal["self-attention", "recurrent", "convolutional", "restricted"]  # Table 1's rows


@dataclasses.dataclass(frozen=True)
class TransformerConfig:
    """Everything that fixes the shape of a model; names are those of the paper's Table 3.

    Raises ValueError from the constructor when a value is out of range.
    """

    vocab_size: int  # V: entries of the vocabulary that source, target and softmax share
    N: int  # layers in the encoder, and as many in the decoder
    d_model: int
    d_ff: int
    h: int  # attention heads
    d_k: int  # width of a head's queries and keys; independent of d_model (rows B)
    d_v: int  # width of a head's values
    dropout: float  # P_drop: on sub-layer outputs and embedding sums (section 5.4)
    attention_dropout: float  # on attention weights; 0 in the paper's text and in the 2017 code
    relu_dropout: float  # between the two maps of the feed-forward network; likewise 0
    positions: Literal["sinusoidal", "learned", "words"]  # row (E) is "learned"; "words" is WordPositions
    attention_bias: bool  # the paper's formulas have none; the 2017 code had them
    max_length: int  # rows of the learned position table; sinusoids have no limit
    target_vocab_size: int | None = (
        None  # where target and softmax have a vocabulary of their own, as in parsing
    )
    # Models saved before there was a choice have none of these.
    encoder_layer: EncoderLayerType = (
        "self-attention"  # what lets the encoder's positions exchange information
    )
    kernel_size: int = 3  # k of Table 1: positions that a convolution sees
    window_size: int = 7  # r of Table 1: positions that restricted self-attention sees

    def __post_init__(self) -> None:
        for name in ("vocab_size", "N", "d_model", "d_ff", "h", "d_k", "d_v", "max_length"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for name in ("dropout", "attention_dropout", "relu_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 0 and below 1")
        if self.positions not in ("sinusoidal", "learned", "words"):
            raise ValueError(
                f"positions is {self.positions!r}; it must be 'sinusoidal', 'learned' or 'words'"
            )
        if self.positions == "sinusoidal" and self.d_model % 2:
            raise ValueError(f"d_model is {self.d_model}; sinusoids come in pairs, so it must be even")
        if self.positions == "words" and self.d_model % 4:
            raise ValueError(
                f"d_model is {self.d_model}; sinusoids of tokens and of words come in pairs, so 4 must divide it"
            )
        if self.encoder_layer not in get_args(EncoderLayerType):
            types = ", ".join(get_args(EncoderLayerType))
            raise ValueError(f"encoder_layer is {self.encoder_layer!r}; it must be one of {types}")
        if self.encoder_layer == "recurrent" and self.d_model % 2:
            raise ValueError(f"d_model is {self.d_model}; a half runs in each direction, so it must be even")
        for name in ("kernel_size", "window_size"):
            if getattr(self, name) < 1 or getattr(self, name) % 2 == 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be odd, to have a middle")

    @property
    def output_size(self) -> int:
        """Entries of the softmax."""
        return self.vocab_size if self.target_vocab_size is None else self.target_vocab_size

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values."""
        return dataclasses.asdict(self)
