"""The paper's own numbers, read from ``resources/literature.yaml``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.yaml_files import read_yaml

PAPER_PAIRS = ("en-de", "en-fr")  # of Table 2


@dataclass(frozen=True)
class Literature:
    """The rows of Tables 1 to 4 in one version of the paper, one DataFrame per table; values are strings, as printed.

    A nested key becomes a column with a dot (``bleu.en-de``, ``changes.N``), a missing value an empty string. ``label``
    is the name with the number of its reference, as the paper prints it: ``ByteNet [18]``.
    """

    version: str
    test_set: str  # of Table 2
    dev_set: str  # of Table 3
    treebank: str  # the test set of Table 4
    layer_types: pd.DataFrame  # Table 1
    models: pd.DataFrame  # Table 2
    variations: pd.DataFrame  # Table 3
    parsers: pd.DataFrame  # Table 4

    @property
    def rows(self) -> dict[str, set[str]]:
        """By table, the names of the lines in which ours stand beside a row of the paper's."""
        models, parsers = (frame[frame["run"] != ""] for frame in (self.models, self.parsers))
        return {
            "table2": {*models["model"]},
            "table3": {*self.variations["run"]},
            "table4": {*parsers["training"]},
        }


def read_literature(path: Path) -> Literature:
    """Read the file.  Raises UserError when it is missing or not YAML."""
    content = read_yaml(path)
    return Literature(
        version=content["paper"]["version"],
        test_set=content["table2"]["test_set"],
        dev_set=content["table3"]["dev_set"],
        treebank=content["table4"]["test_set"],
        layer_types=_frame(content["table1"]["rows"]),
        models=_frame(content["table2"]["rows"], name="model"),
        variations=_frame(content["table3"]["rows"]),
        parsers=_frame(content["table4"]["rows"], name="parser"),
    )


def _frame(rows: list[dict[str, Any]], name: str | None = None) -> pd.DataFrame:
    if name:
        labels = [f"{row[name]} [{row['reference']}]" if "reference" in row else row[name] for row in rows]
        rows = [row | {"label": label} for row, label in zip(rows, labels, strict=True)]
    frame = pd.json_normalize(rows).astype(object).fillna("")
    return frame.assign(row=[row.get("row", "") for row in rows])  # integers, also where one is missing


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame whose columns are named by strings."""
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def scientific(flops: int) -> str:
    """Return ``1.2e14``: two significant digits, in the form of ``resources/literature.yaml``."""
    mantissa, exponent = f"{flops:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"
