"""The paper's own numbers, read from ``resources/literature.yaml``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformer.common.yaml_files import read_yaml

PAPER_PAIRS = ("en-de", "en-fr")  # of Table 2
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Literature:
    """The rows of Tables 1 to 4 in one version of the paper, as the file has them; numbers are strings, as printed.

    In Tables 2 and 4, ``label`` is the name with the number of its reference, as the paper prints it: ``ByteNet [18]``.
    """

    version: str
    test_set: str  # of Table 2
    dev_set: str  # of Table 3
    treebank: str  # the test set of Table 4
    layer_types: Sequence[Row]  # Table 1
    models: Sequence[Row]  # Table 2
    variations: Sequence[Row]  # Table 3
    parsers: Sequence[Row]  # Table 4

    @property
    def rows(self) -> dict[str, set[str]]:
        """By table, the names of the lines in which ours stand beside a row of the paper's."""
        return {
            "table2": {row["model"] for row in self.models if "run" in row},
            "table3": {row["run"] for row in self.variations},
            "table4": {row["training"] for row in self.parsers if "run" in row},
        }


def read_literature(path: Path) -> Literature:
    """Read the file.  Raises UserError when it is missing or not YAML."""
    content = read_yaml(path)
    return Literature(
        version=content["paper"]["version"],
        test_set=content["table2"]["test_set"],
        dev_set=content["table3"]["dev_set"],
        treebank=content["table4"]["test_set"],
        layer_types=content["table1"]["rows"],
        models=[_labelled(row, "model") for row in content["table2"]["rows"]],
        variations=content["table3"]["rows"],
        parsers=[_labelled(row, "parser") for row in content["table4"]["rows"]],
    )


def _labelled(row: Row, name: str) -> Row:
    reference = f" [{row['reference']}]" if "reference" in row else ""
    return {**row, "label": f"{row[name]}{reference}"}
