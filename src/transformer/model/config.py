"""The dimensions of a Transformer, named as in the paper's Table 3."""

import dataclasses
from typing import Any, Literal, get_args

EncoderLayerType = Literal["self-attention", "recurrent", "convolutional", "restricted"]  # Table 1's rows
Positions = Literal["sinusoidal", "halves", "learned", "words"]
TARGET_SPACES = 32  # vectors in the 2017 code's table of target spaces, of which a model uses one


@dataclasses.dataclass(frozen=True)
class TransformerConfig:
    """Everything that determines a model's shape.  The constructor raises ValueError for a value out of range."""

    vocab_size: int  # V: entries of the vocabulary that source, target and softmax share
    N: int  # layers in each of encoder and decoder
    d_model: int
    d_ff: int
    h: int  # attention heads
    d_k: int  # width of a head's queries and keys; independent of d_model (rows B)
    d_v: int  # width of a head's values
    dropout: float  # P_drop: applied to sub-layer outputs and to the sums of embeddings and positions (5.4)
    attention_dropout: float  # on attention weights; 0 in the paper's text and in the 2017 code
    relu_dropout: float  # between the two linear maps of the feed-forward network; also 0 there
    positions: Positions  # "halves": as in the 2017 code; "learned": row (E); "words": see WordPositions
    attention_bias: bool  # the paper's formulas have none; the 2017 code had them
    max_length: int  # rows of the learned position table; sinusoids have no limit
    target_vocab_size: int | None = None  # set where the target has a vocabulary of its own, as in parsing
    # These have defaults because earlier saved models lack them.
    encoder_layer: EncoderLayerType = "self-attention"  # the encoder's first sub-layer
    kernel_size: int = 3  # k of Table 1: positions that a convolution sees
    window_size: int = 7  # r of Table 1: positions that restricted self-attention sees
    target_space: bool = False  # a learned vector is added to the encoder's input, as in the 2017 code
    vocabulary_rows: int | None = None  # embeddings have at least this many; 40,960 in the 2017 code
    tied_softmax: bool = (
        True  # whether the softmax has the matrix of the target's embeddings (3.4) or one of its own
    )

    def __post_init__(self) -> None:
        for name in ("vocab_size", "N", "d_model", "d_ff", "h", "d_k", "d_v", "max_length"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for name in ("dropout", "attention_dropout", "relu_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 0 and below 1")
        if self.positions not in get_args(Positions):
            raise ValueError(
                f"positions is {self.positions!r}; it must be one of {', '.join(get_args(Positions))}"
            )
        if self.positions in ("sinusoidal", "halves") and self.d_model % 2:
            raise ValueError(f"d_model is {self.d_model}; sinusoids come in pairs, so it must be even")
        if self.positions == "words" and self.d_model % 4:
            raise ValueError(
                f"d_model is {self.d_model}; token and word sinusoids come in pairs, so it must be a multiple of 4"
            )
        if self.encoder_layer not in get_args(EncoderLayerType):
            types = ", ".join(get_args(EncoderLayerType))
            raise ValueError(f"encoder_layer is {self.encoder_layer!r}; it must be one of {types}")
        if self.encoder_layer == "recurrent" and self.d_model % 2:
            raise ValueError(f"d_model is {self.d_model}; half runs in each direction, so it must be even")
        for name in ("kernel_size", "window_size"):
            if getattr(self, name) < 1 or getattr(self, name) % 2 == 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be odd, to have a middle")

    @property
    def embedding_rows(self) -> int:
        """Rows of the matrix of embeddings: one for each entry, and perhaps some that belong to no token."""
        return max(self.vocab_size, self.vocabulary_rows or 0)

    @property
    def output_size(self) -> int:
        """Number of entries in the softmax, rows without a token included."""
        return self.embedding_rows if self.target_vocab_size is None else self.target_vocab_size

    @property
    def target_entries(self) -> int:
        """Number of tokens that the target can consist of."""
        return self.vocab_size if self.target_vocab_size is None else self.target_vocab_size

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain JSON values."""
        return dataclasses.asdict(self)
