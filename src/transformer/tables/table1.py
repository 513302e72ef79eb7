"""Table 1 of the paper: how the cost of layer types grows, the paper's expressions beside what was measured."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabulate import tabulate

from transformer.common.errors import UserError
from transformer.common.files import read_json, sha256_of
from transformer.tables.literature import LayerTypeRow, Literature

# The paper's columns: key in layers.json → head.
MEASURES = {
    "flops": "Complexity per layer",
    "sequential_operations": "Sequential operations",
    "path_length": "Maximum path length",
}
ORDER = ("log_k(n)", "k", "r", "n", "d")  # of the factors of a product, as in the paper


@dataclass(frozen=True)
class Table1:
    """The paper's rows, and what was measured of each layer type."""

    literature: Literature
    measured: dict[str, dict[str, Any]]  # layer → measure → terms, deviation, points
    file: Path
    sha256: str

    @property
    def deviation(self) -> float:
        """The largest of any fit, as a part of the measured value."""
        return max(figure["deviation"] for figures in self.measured.values() for figure in figures.values())


def build_table1(literature: Literature, file: Path) -> Table1:
    """Read what was measured.  Raises UserError when it is not what ``src/inspection/measure_layers.py`` writes."""
    if not file.exists():
        raise UserError(f"{file}: no such file; make it with: snakemake --cores all {file}")
    content = read_json(file)
    for row in literature.layer_types:
        if not MEASURES.keys() <= content.get("layers", {}).get(row.layer, {}).keys():
            raise UserError(f"{file}: not all of '{row.layer}' is there; delete the file and make it again")
    return Table1(literature, content["layers"], file, sha256_of(file))


def reported(row: LayerTypeRow, measure: str) -> str:
    """``O(n^2 · d)``: what the paper says."""
    return f"O({row.complexity if measure == 'flops' else getattr(row, measure)})"


def formula(terms: Sequence[Mapping[str, Any]], decimals: int = 2) -> str:
    """Fitted terms as ``4 n^2 d + 8 n d^2``; exponents that are 0 or 1 to so many decimals are left out.

    >>> formula([{"coefficient": 9.21, "exponents": {"n": 0.9964}}])
    '9.21 n'
    >>> formula([{"coefficient": 7.0, "exponents": {"n": 0.0}}])
    '7'
    """
    return " + ".join(_product(term, decimals) for term in terms)


def _product(term: Mapping[str, Any], decimals: int) -> str:
    factors = [f"{term['coefficient']:.{decimals + 1}g}"]
    for name in sorted(term["exponents"], key=lambda name: (term["exponents"][name] < 0, ORDER.index(name))):
        power = f"{term['exponents'][name]:.{decimals}f}".rstrip("0").rstrip(".")
        if power not in ("0", "-0"):
            factors.append(name if power == "1" else f"{name}^{power}")
    return " ".join(factors)


def table1_csv(table: Table1) -> str:
    """One row a layer type and measure; fits to four decimals, and by how much a measured value differs at most."""
    text = io.StringIO()
    columns = "row layer measure paper measured deviation points source layers layers_sha256".split()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for row in table.literature.layer_types:
        for measure in MEASURES:
            figure = table.measured[row.layer][measure]
            writer.writerow(
                {
                    "row": row.row or "",
                    "layer": row.layer,
                    "measure": measure,
                    "paper": reported(row, measure),
                    "measured": formula(figure["terms"], 4),
                    "deviation": figure["deviation"],
                    "points": len(figure["points"]),
                    "source": row.source or "Table 1",
                    "layers": table.file.as_posix(),
                    "layers_sha256": table.sha256,
                }
            )
    return text.getvalue()


def table1_markdown(table: Table1) -> str:
    """The table for people who read it in a terminal or on a forge."""
    heads = [
        "Layer type",
        *(f"{head}, {whose}" for head in MEASURES.values() for whose in ("paper", "measured")),
    ]
    rows = []
    for row in table.literature.layer_types:
        cells = [
            cell
            for measure in MEASURES
            for cell in (reported(row, measure), formula(table.measured[row.layer][measure]["terms"]))
        ]
        rows.append([row.name, *cells])
    body = tabulate(rows, heads, tablefmt="pipe", disable_numparse=True)
    return "\n\n".join(["# Table 1: what layer types cost", " ".join(explanations(table)), body]) + "\n"


def explanations(table: Table1) -> list[str]:
    """What a reader has to know to read the table."""
    return [
        "n positions of width d, kernels of width k, neighbourhoods of r. The last row is from section 4.",
        "Complexity: floating-point operations of one layer's matrix products. Among them are attention's",
        "projections, the terms quadratic in d, which the paper's column leaves out.",
        "Sequential operations: the longest chain in one layer, counted as torch executes them, each of which",
        "needs the one before. Path length: the same through as few layers as connect all positions.",
        "Powers are fitted to what was counted at growing sizes; no count is further "
        f"than {table.deviation:.0%} from its fit.",
    ]
