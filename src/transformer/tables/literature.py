"""The paper's own numbers, read from ``config/literature.yaml``."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from transformer.common.yaml_files import Schema, read_yaml


@dataclass(frozen=True)
class OtherValue:
    """What another place or version of the paper gives for a value of the row."""

    measure: str
    value: str
    source: str


@dataclass(frozen=True)
class LayerTypeRow:
    """One row of the paper's Table 1: what stands within O( ), e.g. ``n^2 · d``; ``source`` where the text has it."""

    layer: str
    name: str
    complexity: str
    sequential_operations: str
    path_length: str
    row: int | None = None
    source: str = ""


@dataclass(frozen=True)
class LiteratureRow:
    """One row of the paper's Table 2; values as printed, training cost in floating-point operations.

    ``bleu`` and ``training_cost`` are by pair; a training cost may be ``both``, one figure for both pairs.
    ``bold`` and ``differs`` name a value as ``"bleu en-fr"``.
    """

    row: int
    model: str
    block: str
    bleu: dict[str, str]
    training_cost: dict[str, str] = field(default_factory=dict)
    reference: int | None = None
    run: str | None = None
    bold: tuple[str, ...] = ()
    differs: tuple[OtherValue, ...] = ()

    @property
    def label(self) -> str:
        """The model with the number of its reference, as the paper prints it: ``ByteNet [18]``."""
        return f"{self.model} [{self.reference}]" if self.reference else self.model


@dataclass(frozen=True)
class VariationRow:
    """One row of the paper's Table 3; values as printed, ``parameters`` in millions.

    ``changes`` are the cells that the paper fills (setting → value), ``remark`` stands in their place in row (E).
    """

    row: int
    block: str
    run: str
    perplexity: str
    bleu: str
    changes: dict[str, str] = field(default_factory=dict)
    remark: str = ""
    parameters: str = ""


@dataclass(frozen=True)
class ParserRow:
    """One row of the paper's Table 4; F1 as printed, ``note`` where versions of the paper differ."""

    row: int
    parser: str
    training: str
    f1: str
    reference: int | None = None
    run: str | None = None
    note: str = ""

    @property
    def label(self) -> str:
        """The parser with the number of its reference, as the paper prints it: ``Dyer et al. (2016) [8]``."""
        return f"{self.parser} [{self.reference}]" if self.reference else self.parser


@dataclass(frozen=True)
class Literature:
    """Tables 1 (``layer_types``), 2 (``rows``), 3 (``variations``) and 4 (``parsers``) of one version of the paper."""

    version: str
    layer_types: tuple[LayerTypeRow, ...]
    test_set: str
    rows: tuple[LiteratureRow, ...]
    dev_set: str
    variations: tuple[VariationRow, ...]
    treebank: str  # what Table 4 is tested on
    parsers: tuple[ParserRow, ...]


def read_literature(path: Path, schema: Path) -> Literature:
    """Read and check the file.  Raises UserError that names the key that is wrong."""
    content = read_yaml(path)
    Schema(schema).check(content, path)
    table2, table3, table4 = (content[f"table{number}"] for number in (2, 3, 4))
    return Literature(
        content["paper"]["version"],
        tuple(LayerTypeRow(**row) for row in content["table1"]["rows"]),
        table2["test_set"],
        tuple(map(_row, table2["rows"])),
        table3["dev_set"],
        tuple(VariationRow(**row) for row in table3["rows"]),
        table4["test_set"],
        tuple(ParserRow(**row) for row in table4["rows"]),
    )


def _row(content: dict[str, Any]) -> LiteratureRow:
    others = tuple(OtherValue(**other) for other in content.get("differs", []))
    return LiteratureRow(**{**content, "bold": tuple(content.get("bold", [])), "differs": others})
