"""Table 1 of the paper, how the cost of layer types grows: the paper's expressions beside our measurements."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.errors import UserError
from transformer.common.files import sha256_of
from transformer.common.json_artifacts import read_artifact
from transformer.tables.latex_table import latex_table, rules
from transformer.tables.latex_text import escape, mathematics
from transformer.tables.literature import Literature
from transformer.tables.table import Cells, Document, Table, records, traced

# The paper's columns: key in layers.json → head.
MEASURES = {
    "flops": "Complexity per layer",
    "sequential_operations": "Sequential operations",
    "path_length": "Maximum path length",
}
ORDER = ("log_k(n)", "k", "r", "n", "d")  # of the factors of a product, as in the paper
COLUMNS = "row layer measure paper measured deviation points source layers layers_sha256".split()


def build_table1(literature: Literature, file: Path) -> Table:
    """Build Table 1 from ``file``.  Raises UserError when ``measure_layers.py`` did not write it."""
    if not file.exists():
        raise UserError(f"{file}: no such file; make it with: snakemake --cores all {file}")
    content, sha256 = read_artifact(file, "layers"), sha256_of(file)
    rows = []
    for row in records(literature.layer_types):
        layer = content.get("layers", {}).get(row["layer"], {})
        if not MEASURES.keys() <= layer.keys():
            raise UserError(
                f"{file}: figures of '{row['layer']}' are missing; delete the file and make it again"
            )
        for measure in MEASURES:
            terms, points = layer[measure]["terms"], len(layer[measure]["points"])
            paper = {"paper": reported(row, measure), "source": row["source"] or "Table 1"}
            ours = {"measured": formula(terms, 4), "deviation": layer[measure]["deviation"], "points": points}
            files = {"layers": file.as_posix(), "layers_sha256": sha256}
            rows.append(
                row | {"measure": measure, "value": terms, "text": formula(terms)} | paper | ours | files
            )
    data = pd.DataFrame(rows)
    notes = _explanations(data["deviation"].max())
    cells = _cells(literature, data)
    numbers = data[["layer", "measure", "value"]].assign(table="table1", path=file.as_posix(), sha256=sha256)
    numbers["key"] = "layers." + data["layer"] + "." + data["measure"] + ".terms"
    document: Document = ["# Table 1: what layer types cost", " ".join(notes), cells]
    return Table("table1", data[COLUMNS], document, _latex(literature, cells, notes), records(numbers))


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


def _cells(literature: Literature, data: pd.DataFrame) -> Cells:
    """Return one row per layer type, with the paper's expression and ours for each measure."""
    text, sources = {"Layer type": list(literature.layer_types["name"])}, {}
    for measure, head in MEASURES.items():
        rows = data[data["measure"] == measure]
        text[f"{head}, paper"], text[f"{head}, measured"] = list(rows["paper"]), list(rows["text"])
        sources[f"{head}, paper"] = list(f"the paper ({literature.version}), " + rows["source"])
        sources[f"{head}, measured"] = list(map(traced, rows["layers"], rows["layers_sha256"]))
    return Cells(pd.DataFrame(text), sources)


def _latex(literature: Literature, cells: Cells, notes: Sequence[str]) -> str:
    heads = [
        ("", "Layer type"),
        *((head, side) for head in MEASURES.values() for side in ("paper", "measured")),
    ]
    text = cells.text.map(mathematics)
    text["Layer type"] = cells.text["Layer type"].map(escape)
    return latex_table(
        text.set_axis(pd.MultiIndex.from_tuples(heads), axis="columns"),
        label="table1",
        caption="What layer types cost: the paper's order of growth beside what was measured.",
        notes=notes,
        column_format=f"@{{}}l{'c' * 6}@{{}}",
        comments=cells.sources[text.columns[-1]],
        above=rules(list(literature.layer_types["source"])),
    )


def _explanations(deviation: float) -> list[str]:
    """Return the notes that explain the table; ``deviation`` is the largest of any fit."""
    return [
        "n positions of width d, kernels of width k, neighbourhoods of r. The last row is from section 4.",
        "Complexity: floating-point operations of one layer's matrix products. Among them are attention's projections, "
        "the terms quadratic in d, which the paper's column leaves out.",
        "Sequential operations: the longest chain in one layer, counted as torch executes them, each of which needs "
        "the one before. Path length: the same through as few layers as connect all positions.",
        "Powers are fitted to what was counted at growing sizes; no count is further "
        f"than {deviation:.0%} from its fit.",
    ]
