"""Table 1 of the paper, how the cost of layer types grows: the paper's expressions beside our measurements."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.files import sha256_of
from transformer.common.json_artifacts import read_artifact
from transformer.tables.latex_text import escape, mathematics
from transformer.tables.literature import Literature
from transformer.tables.table import Column, Table, records, traced

# The paper's columns: key in layers.json → head.
MEASURES = {
    "flops": "Complexity per layer",
    "sequential_operations": "Sequential operations",
    "path_length": "Maximum path length",
}
ORDER = ("log_k(n)", "k", "r", "n", "d")  # of the factors of a product, as in the paper
COLUMNS = "row layer measure paper measured deviation points source layers layers_sha256".split()


def build_table1(literature: Literature, file: Path) -> Table:
    """Build Table 1 from the ``file`` of ``measure_layers.py``."""
    data = _measured(literature, file)
    types = literature.layer_types
    columns = [Column("Layer type", ("", "Layer type"), types["name"], list(map(escape, types["name"])))]
    for measure, head in MEASURES.items():
        rows = data[data["measure"] == measure]
        for side, cells in (("paper", rows["paper"]), ("measured", rows["text"])):
            columns.append(Column(f"{head}, {side}", (head, side), cells, list(map(mathematics, cells))))
    notes = _explanations(data["deviation"].max())
    numbers = data[["layer", "measure", "value"]].assign(table="table1", path=file.as_posix())
    numbers["sha256"] = data["layers_sha256"]
    numbers["key"] = "layers." + data["layer"] + "." + data["measure"] + ".terms"
    return Table(
        "table1",
        data[COLUMNS],
        columns,
        records(numbers),
        above=["# Table 1: what layer types cost", " ".join(notes)],
        caption="What layer types cost: the paper's order of growth beside what was measured.",
        notes=notes,
        column_format=f"@{{}}l{'c' * 6}@{{}}",
        blocks=list(types["source"]),
        comments=[traced([file.as_posix()], [sha256_of(file)])] * len(types),
    )


def _measured(literature: Literature, file: Path) -> pd.DataFrame:
    """Return one row for each layer type and measure, with the paper's expression and ours."""
    layers, sha256 = read_artifact(file, "layers")["layers"], sha256_of(file)
    rows = []
    for row in records(literature.layer_types):
        for measure in MEASURES:
            figure = layers[row["layer"]][measure]
            terms = figure["terms"]
            ours = {"measured": formula(terms, 4), "text": formula(terms), "value": terms}
            ours |= {"deviation": figure["deviation"], "points": len(figure["points"])}
            ours |= {"layers": file.as_posix(), "layers_sha256": sha256}
            paper = {"paper": reported(row, measure), "source": row["source"] or "Table 1"}
            rows.append(row | {"measure": measure} | paper | ours)
    return pd.DataFrame(rows)


def reported(row: Mapping[str, Any], measure: str) -> str:
    """Return the paper's expression: ``O(n^2 · d)``."""
    return f"O({row['complexity' if measure == 'flops' else measure]})"


def formula(terms: Sequence[Mapping[str, Any]], decimals: int = 2) -> str:
    """Write fitted terms as ``4 n^2 d + 8 n d^2``; exponents that round to 0 or 1 are left out.

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


def _explanations(deviation: float) -> list[str]:
    """Return the notes that explain the table; ``deviation`` is the largest of any fit."""
    return [
        "n positions of width d, kernels of width k, neighbourhoods of r. The last two rows are from section 4.",
        "Complexity: floating-point operations of one layer's matrix products. Among them are attention's projections, "
        "the terms quadratic in d, which the paper's column leaves out.",
        "Sequential operations: the longest chain in one layer, counted as torch executes them, each of which needs "
        "the one before. Path length: the same through as few layers as connect all positions.",
        "Powers are fitted to what was counted at growing sizes; no count is further "
        f"than {deviation:.0%} from its fit.",
    ]
