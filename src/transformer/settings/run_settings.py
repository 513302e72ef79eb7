"""Every setting of a run, declared once, in the class of the part of the code that receives it.

A field has a type with its range, the paper's value (or else that of the 2017 code) as its default, what it means, and
what another value changes.  From these come the checks of config/, the content of config.json and the tables of
config/README.md.
"""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from transformer.common.checked import AS_WRITTEN, Checked

Numerics = Literal["portable", "fast", "fp32", "bf16"]

TARGET_SPACES = 32  # vectors in the 2017 code's table of target spaces, of which a model uses one


def _odd(value: int) -> int:
    if value % 2 == 0:
        raise PydanticCustomError("odd", "odd")
    return value


# Limits beyond which a value is a slip of the finger, which would end in a lack of memory much later.
Size = Annotated[int, Field(ge=1, le=1 << 20)]
Count = Annotated[int, Field(ge=1, le=(1 << 31) - 1)]
Odd = Annotated[Size, AfterValidator(_odd)]
Probability = Annotated[float, Field(ge=0, lt=1), AS_WRITTEN]
Positive = Annotated[float, Field(gt=0), AS_WRITTEN]


def setting(
    default: Any,
    meaning: str,
    section: str = "",
    *,
    key: str = "",
    divisible: bool = False,
    later: bool = False,
    changes: str = "",
    **limits: Any,
) -> Any:
    """Return the field of a class that is a setting.

    ``default`` is the paper's value, or ``...`` if every scale must give one; ``section`` is that of the paper, and
    ``key`` the name in config/ where it is not that of the field.  A scale can divide a ``divisible`` setting.
    ``later`` is for one that was added when there were models: at its default, it is left out of every file.
    ``changes`` says what another value changes, if that is not what the class's ``CHANGES`` says.
    """
    about: dict[str, Any] = {
        "section": section,
        "key": key,
        "divisible": divisible,
        "later": later,
        "changes": changes,
    }
    return Field(default, description=meaning, json_schema_extra=about, **limits)


class Group(Checked):
    """Settings that one part of the code receives; a wrong value is a ValueError."""

    CHANGES: ClassVar[str] = ""

    @classmethod
    def settings(cls) -> dict[str, FieldInfo]:
        """Return the fields that are settings, by their names."""
        return {name: field for name, field in cls.model_fields.items() if field.json_schema_extra}

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as they are written to files: without ``later`` settings at their defaults.

        So a new setting changes no byte of what was published, and no training starts again.
        """
        return {
            name: getattr(self, name)
            for name, field in type(self).model_fields.items()
            if not about(field).get("later") or getattr(self, name) != field.default
        }


def about(field: FieldInfo) -> dict[str, Any]:
    """Return what :func:`setting` was told of a field; nothing of one that is no setting."""
    known = field.json_schema_extra
    return known if isinstance(known, dict) else {}


def changes_of(group: type[Group], field: FieldInfo) -> str:
    """Return what another value of a setting of ``group`` changes, as config/README.md says it."""
    return about(field)["changes"] or group.CHANGES


class TransformerConfig(Group):
    """A model's shape, named as in Table 3, and dropout."""

    CHANGES: ClassVar[str] = "weights"
    # V: entries of the vocabulary that source, target and softmax share
    vocab_size: int = Field(ge=1)
    N: int = setting(6, "layers in the encoder, and in the decoder", "3.1", divisible=True, ge=1, le=1000)
    d_model: int = setting(
        512, "width of the embeddings and of each sub-layer's output", "3.1", divisible=True, ge=1, le=1 << 16
    )
    d_ff: Size = setting(2048, "inner width of the feed-forward networks", "3.3", divisible=True)
    activation: Literal["relu", "gelu"] = setting(
        "relu",
        "of the feed-forward networks: `relu`, or `gelu`, x Φ(x) of Hendrycks and Gimpel (2016)",
        "3.3",
        later=True,
    )
    h: Size = setting(8, "attention heads", "3.2.2", divisible=True)
    # These two do not depend on d_model (rows B).
    d_k: Size = setting(64, "width of the queries and keys of a head", "3.2.2", divisible=True)
    d_v: Size = setting(64, "width of the values of a head", "3.2.2", divisible=True)
    dropout: Probability = setting(
        0.1, "rate on sub-layer outputs, and on sums of embeddings and positions", "5.4"
    )
    # The paper's text and the 2017 code use neither of these two.
    attention_dropout: Probability = setting(0.0, "rate on attention weights")
    relu_dropout: Probability = setting(0.0, "rate inside the feed-forward networks")
    positions: Literal["sinusoidal", "halves", "learned", "words"] = setting(
        "sinusoidal",
        "`sinusoidal`; `halves`: all sines, then all cosines, as in the 2017 code; `learned`: row (E) of Table 3; "
        "`words`: also counts words (`docs/parsing.md`)",
        "3.5",
    )
    attention_bias: bool = setting(
        False, "whether the projections of attention have biases, as in the 2017 code", "3.2.2"
    )
    max_length: Size = setting(
        1024, "rows of the position table if positions are learned", "3.5", key="max_positions"
    )
    # Set where the target has a vocabulary of its own, as in parsing.
    target_vocab_size: int | None = None
    encoder_layer: Literal["self-attention", "recurrent", "convolutional", "restricted"] = setting(
        "self-attention",
        "the encoder's first sub-layer: `self-attention`, or another of Table 1: `recurrent`, `convolutional`, "
        "`restricted`",
        "4",
    )
    kernel_size: Odd = setting(3, "k: the positions that a convolution sees", "4")
    window_size: Odd = setting(7, "r: the positions that restricted self-attention sees", "4")
    target_space: bool = setting(
        False, "whether a learned vector is added to the encoder's input, as in the 2017 code"
    )
    vocabulary_rows: Count | None = setting(
        None,
        "a number: embeddings and softmax have at least this many rows; 40,960 in the 2017 code",
        divisible=True,
    )
    tied_softmax: bool = setting(
        True, "whether the softmax has the matrix of the target's embeddings, or one of its own", "3.4"
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.positions in ("sinusoidal", "halves") and self.d_model % 2:
            raise ValueError(f"d_model is {self.d_model}; sinusoids come in pairs, so it must be even")
        if self.positions == "words" and self.d_model % 4:
            raise ValueError(
                f"d_model is {self.d_model}; token and word sinusoids come in pairs, so it must be a multiple of 4"
            )
        if self.encoder_layer == "recurrent" and self.d_model % 2:
            raise ValueError(f"d_model is {self.d_model}; half runs in each direction, so it must be even")
        return self

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


class TrainingConfig(Group):
    """The settings of section 5.  Lengths and batch sizes count subword tokens a side, EOS included."""

    CHANGES: ClassVar[str] = "weights"
    steps: Count = setting(100_000, "updates", "5.2", divisible=True, changes="files")
    warmup_steps: Count = setting(4000, "updates during which the learning rate rises", "5.3", divisible=True)
    learning_rate_scale: Positive = setting(1.0, "the factor of equation (3)", "5.3")
    batch_tokens: Count = setting(
        25_000,
        "limit on source tokens, and on target tokens, in one update over all devices",
        "5.1",
        divisible=True,
    )
    buckets_per_doubling: Literal[1, 2, 4, 8] | None = setting(
        None, "`1`, `2`, `4` or `8` buckets, as in the 2017 code; `batch_tokens` then counts padding as well"
    )
    max_length: Count = setting(
        256, "in subwords; longer pairs are left out of training (the limit of the 2017 code)", ge=2
    )
    label_smoothing: Probability = setting(0.1, "ε_ls", "5.4")
    adam_beta1: Probability = setting(0.9, "β₁ of Adam", "5.3")
    adam_beta2: Probability = setting(0.98, "β₂ of Adam", "5.3")
    adam_epsilon: Positive = setting(1e-9, "ε of Adam", "5.3")
    checkpoint_every_steps: Count = setting(
        1500,
        "updates between checkpoints: 10 minutes at the paper's 0.4 seconds each",
        "6.1",
        divisible=True,
        changes="files",
    )
    keep_checkpoints: Count = setting(
        5, "the number of last checkpoints that are kept", "6.1", changes="files"
    )
    validate_every_steps: Count = setting(
        ..., "updates between measurements on the development set", changes="files"
    )
    numerics: Numerics = setting(
        ...,
        "of training and decoding: `portable`, on a CPU, the same bits on every x86-64 processor with AVX2 and FMA; "
        "`fast`, 16 bits where the hardware has them; or a format of matrix products: `fp32`, `bf16`",
    )
    # Fixed, because their number changes how sums are rounded.
    threads: Count = setting(..., "of each training process, on a CPU")
    seed: int

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.max_length > self.batch_tokens:
            raise ValueError(
                f"max_length is {self.max_length}; it must not be more than batch_tokens ({self.batch_tokens})"
            )
        return self


class AveragingConfig(Group):
    """Settings of section 6.1."""

    CHANGES: ClassVar[str] = "average"
    average_checkpoints: Count = setting(
        5, "the number of last checkpoints whose weights are averaged", "6.1"
    )


class BeamConfig(Group):
    """The settings of a beam search (section 6.1)."""

    CHANGES: ClassVar[str] = "outputs"
    beam_size: int = setting(4, "hypotheses of a sentence", "6.1", ge=1, le=1000)
    alpha: Annotated[float, Field(ge=0, le=100), AS_WRITTEN] = setting(
        0.6, "α, the exponent of the length penalty", "6.1"
    )
    max_extra_tokens: int = setting(
        50, "the most subwords that an output may have more than its source", "6.1", ge=0
    )
    nbest: int = setting(
        1,
        "more than 1: so many hypotheses of each sentence are written beside a translation, with their scores "
        "(`docs/formats.md`)",
        later=True,
        ge=1,
        le=1000,
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.nbest > self.beam_size:
            raise ValueError(f"nbest is {self.nbest}; it must not be more than beam_size ({self.beam_size})")
        return self


class HardwareConfig(Group):
    """Options of training/train.py (section 5.2); the result is the same for all, up to rounding."""

    CHANGES: ClassVar[str] = "time"
    processes: Count | Literal["auto"] = setting(
        "auto",
        "one for each GPU; `auto`: with `device: cuda`, all GPUs for a row of Table 2 or 4; otherwise "
        "one, since the other rows of Table 3 are trained side by side",
        "5.2",
    )
    device: Literal["auto", "cuda", "cpu"] = setting(
        "cuda", "`cuda`; `cpu`; or `auto`: GPUs if there are any, otherwise the CPU", "5.2"
    )
    max_tokens: Count = setting(..., "tokens per side that go through the model at once")
    deterministic: bool = setting(
        False, "whether a GPU repeats every bit, as a CPU does, with slower algorithms"
    )


# The name of each group, and what receives its settings.
GROUPS: dict[str, type[Group]] = {
    "model": TransformerConfig,
    "training": TrainingConfig,
    "averaging": AveragingConfig,
    "decoding": BeamConfig,
    "hardware": HardwareConfig,
}
