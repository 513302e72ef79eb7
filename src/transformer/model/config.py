"""Every setting of a run, declared once, by the part of the code that receives it.

A field has a type, a range, the paper's value (or else that of the 2017 code) as its default, what it means, what it
changes, and what else can hold a model with it.  From these come the checks of config/ (``transformer.settings``), the
content of config.json, what can be exported, the page config/README.md and the schemas for editors beside it.
"""

from dataclasses import MISSING, dataclass, field
from typing import Any, ClassVar, Literal

from transformer.common.declared import check_fields, recorded, setting

EncoderLayerType = Literal["self-attention", "recurrent", "convolutional", "restricted"]  # Table 1's rows
Positions = Literal["sinusoidal", "halves", "learned", "words"]
Numerics = Literal["portable", "fast", "fp32", "bf16"]
Activation = Literal["relu", "gelu"]

TARGET_SPACES = 32  # vectors in the 2017 code's table of target spaces, of which a model uses one

# Limits beyond which a value is a slip of the finger, which would end in a lack of memory much later.
SIZE: dict[str, Any] = {"minimum": 1, "maximum": 1 << 20}
COUNT: dict[str, Any] = {"minimum": 1, "maximum": (1 << 31) - 1}
ODD: dict[str, Any] = {"not": {"multipleOf": 2}, **SIZE}
PROBABILITY: dict[str, Any] = {"minimum": 0, "exclusiveMaximum": 1}

# The formats to which models are exported.  The page has a case for each of its settings in
# tests/page/test_javascript.py.
HOLDERS = ("export", "page")
ALL: dict[str, Any] = dict.fromkeys(HOLDERS)  # hold a setting, with any value
WIDTH = {**SIZE, "divisible": True, "held": ALL}


@dataclass(frozen=True)
class TransformerConfig:
    """A model's shape, named as in Table 3, and dropout.  Raises ValueError for a value out of range."""

    CHANGES: ClassVar[str] = "weights"
    # V: entries of the vocabulary that source, target and softmax share
    vocab_size: int = field(metadata={"held": ALL})
    N: int = setting(
        6,
        "layers in the encoder, and in the decoder",
        "3.1",
        minimum=1,
        maximum=1000,
        divisible=True,
        held=ALL,
    )
    d_model: int = setting(
        512,
        "width of the embeddings and of each sub-layer's output",
        "3.1",
        divisible=True,
        minimum=1,
        maximum=1 << 16,
        held=ALL,
    )
    d_ff: int = setting(2048, "inner width of the feed-forward networks", "3.3", **WIDTH)
    activation: Activation = setting(
        "relu",
        "of the feed-forward networks: `relu`, or `gelu`, x Φ(x) of Hendrycks and Gimpel (2016)",
        "3.3",
        later="relu",
        held=ALL,
    )
    h: int = setting(8, "attention heads", "3.2.2", **WIDTH)
    # These two do not depend on d_model (rows B).
    d_k: int = setting(64, "width of the queries and keys of a head", "3.2.2", **WIDTH)
    d_v: int = setting(64, "width of the values of a head", "3.2.2", **WIDTH)
    dropout: float = setting(
        0.1,
        "rate on sub-layer outputs, and on sums of embeddings and positions",
        "5.4",
        held=ALL,
        **PROBABILITY,
    )
    # The paper's text and the 2017 code use neither of these two.
    attention_dropout: float = setting(0.0, "rate on attention weights", held=ALL, **PROBABILITY)
    relu_dropout: float = setting(0.0, "rate inside the feed-forward networks", held=ALL, **PROBABILITY)
    positions: Positions = setting(
        "sinusoidal",
        "`sinusoidal`; `halves`: all sines, then all cosines, as in the 2017 code; `learned`: row (E) of Table 3; "
        "`words`: also counts words (`docs/parsing.md`)",
        "3.5",
        held={"page": None},
    )
    attention_bias: bool = setting(
        False, "whether the projections of attention have biases, as in the 2017 code", "3.2.2", held=ALL
    )
    max_length: int = setting(
        1024,
        "rows of the position table if positions are learned",
        "3.5",
        key="max_positions",
        held=ALL,
        **SIZE,
    )
    # Set where the target has a vocabulary of its own, as in parsing.
    target_vocab_size: int | None = field(default=None, metadata={"held": {"page": None}})
    encoder_layer: EncoderLayerType = setting(
        "self-attention",
        "the encoder's first sub-layer: `self-attention`, or another of Table 1: `recurrent`, `convolutional`, "
        "`restricted`",
        "4",
        held={"page": ("self-attention", "restricted", "convolutional")},
    )
    kernel_size: int = setting(3, "k: the positions that a convolution sees", "4", held=ALL, **ODD)
    window_size: int = setting(
        7, "r: the positions that restricted self-attention sees", "4", held=ALL, **ODD
    )
    target_space: bool = setting(
        False,
        "whether a learned vector is added to the encoder's input, as in the 2017 code",
        held={"page": None},
    )
    vocabulary_rows: int | None = setting(
        None,
        "a number: embeddings and softmax have at least this many rows; 40,960 in the 2017 code",
        divisible=True,
        held=ALL,
        **COUNT,
    )
    tied_softmax: bool = setting(
        True,
        "whether the softmax has the matrix of the target's embeddings, or one of its own",
        "3.4",
        held={"page": None},
    )

    def __post_init__(self) -> None:
        check_fields(self)
        if self.vocab_size < 1:
            raise ValueError(f"vocab_size is {self.vocab_size}; it must be at least 1")
        if self.positions in ("sinusoidal", "halves") and self.d_model % 2:
            raise ValueError(f"d_model is {self.d_model}; sinusoids come in pairs, so it must be even")
        if self.positions == "words" and self.d_model % 4:
            raise ValueError(
                f"d_model is {self.d_model}; token and word sinusoids come in pairs, so it must be a multiple of 4"
            )
        if self.encoder_layer == "recurrent" and self.d_model % 2:
            raise ValueError(f"d_model is {self.d_model}; half runs in each direction, so it must be even")

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
        """Return the fields as plain JSON values, see :func:`recorded`."""
        return recorded(self)


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """The settings of section 5.  Lengths and batch sizes count subword tokens a side, EOS included."""

    CHANGES: ClassVar[str] = "weights"
    steps: int = setting(100_000, "updates", "5.2", divisible=True, changes="files", **COUNT)
    warmup_steps: int = setting(
        4000, "updates during which the learning rate rises", "5.3", divisible=True, **COUNT
    )
    learning_rate_scale: float = setting(1.0, "the factor of equation (3)", "5.3", exclusiveMinimum=0)
    batch_tokens: int = setting(
        25_000,
        "limit on source tokens, and on target tokens, in one update over all devices",
        "5.1",
        divisible=True,
        **COUNT,
    )
    buckets_per_doubling: Literal[1, 2, 4, 8] | None = setting(
        None, "`1`, `2`, `4` or `8` buckets, as in the 2017 code; `batch_tokens` then counts padding as well"
    )
    max_length: int = setting(
        256,
        "in subwords; longer pairs are left out of training (the limit of the 2017 code)",
        minimum=2,
        maximum=COUNT["maximum"],
    )
    label_smoothing: float = setting(0.1, "ε_ls", "5.4", **PROBABILITY)
    adam_beta1: float = setting(0.9, "β₁ of Adam", "5.3", **PROBABILITY)
    adam_beta2: float = setting(0.98, "β₂ of Adam", "5.3", **PROBABILITY)
    adam_epsilon: float = setting(1e-9, "ε of Adam", "5.3", exclusiveMinimum=0)
    checkpoint_every_steps: int = setting(
        1500,
        "updates between checkpoints: 10 minutes at the paper's 0.4 seconds each",
        "6.1",
        divisible=True,
        changes="files",
        **COUNT,
    )
    keep_checkpoints: int = setting(
        5, "the number of last checkpoints that are kept", "6.1", changes="files", **COUNT
    )
    validate_every_steps: int = setting(
        MISSING, "updates between measurements on the development set", changes="files", **COUNT
    )
    numerics: Numerics = setting(
        MISSING,
        "of training and decoding: `portable`, on a CPU, the same bits on every x86-64 processor with AVX2 and FMA; "
        "`fast`, 16 bits where the hardware has them; or a format of matrix products: `fp32`, `bf16`",
    )
    # Fixed, because their number changes how sums are rounded.
    threads: int = setting(MISSING, "of each training process, on a CPU", **COUNT)
    seed: int

    def __post_init__(self) -> None:
        """Raises ValueError for a value out of range, and when a sentence may be longer than a batch."""
        check_fields(self)
        if self.max_length > self.batch_tokens:
            raise ValueError(
                f"max_length is {self.max_length}; it must not be more than batch_tokens ({self.batch_tokens})"
            )


@dataclass(frozen=True)
class AveragingConfig:
    """Settings of section 6.1."""

    CHANGES: ClassVar[str] = "average"
    average_checkpoints: int = setting(
        5, "the number of last checkpoints whose weights are averaged", "6.1", **COUNT
    )


@dataclass(frozen=True)
class BeamConfig:
    """The settings of a beam search (section 6.1).  Raises ValueError for a value out of range."""

    CHANGES: ClassVar[str] = "outputs"
    beam_size: int = setting(4, "hypotheses of a sentence", "6.1", held=ALL, minimum=1, maximum=1000)
    alpha: float = setting(
        0.6, "α, the exponent of the length penalty", "6.1", held=ALL, minimum=0, maximum=100
    )
    max_extra_tokens: int = setting(
        50, "the most subwords that an output may have more than its source", "6.1", held=ALL, minimum=0
    )
    nbest: int = setting(
        1,
        "more than 1: so many hypotheses of each sentence are written beside a translation, with their scores "
        "(`docs/formats.md`)",
        later=1,
        held=ALL,
        minimum=1,
        maximum=1000,
    )

    def __post_init__(self) -> None:
        check_fields(self)
        if self.nbest > self.beam_size:
            raise ValueError(f"nbest is {self.nbest}; it must not be more than beam_size ({self.beam_size})")


@dataclass(frozen=True, kw_only=True)
class HardwareConfig:
    """Options of training/train.py (section 5.2); the result is the same for all, up to rounding."""

    CHANGES: ClassVar[str] = "time"
    processes: int | Literal["auto"] = setting(
        "auto",
        "one for each GPU; `auto`: with `device: cuda`, all GPUs for a row of Table 2 or 4; otherwise "
        "one, since the other rows of Table 3 are trained side by side",
        "5.2",
        **COUNT,
    )
    device: Literal["auto", "cuda", "cpu"] = setting(
        "cuda", "`cuda`; `cpu`; or `auto`: GPUs if there are any, otherwise the CPU", "5.2"
    )
    max_tokens: int = setting(MISSING, "tokens per side that go through the model at once", **COUNT)
    deterministic: bool = setting(
        False, "whether a GPU repeats every bit, as a CPU does, with slower algorithms"
    )


# The name of each group, and what receives its settings.
GROUPS: dict[str, Any] = {
    "model": TransformerConfig,
    "training": TrainingConfig,
    "averaging": AveragingConfig,
    "decoding": BeamConfig,
    "hardware": HardwareConfig,
}
