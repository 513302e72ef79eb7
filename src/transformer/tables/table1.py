"""Table 1 of the paper, how the cost of layer types grows: the paper's expressions beside our measurements."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from transformer.common.artifacts import read_artifact
from transformer.common.errors import run_script
from transformer.common.files import sha256_of
from transformer.common.project import local_path
from transformer.tables.cells import OURS, PAPER, Cell, Column, Line, Source, Table, paper_cell
from transformer.tables.latex_text import escape, mathematics
from transformer.tables.literature import Literature, read_literature
from transformer.tables.table_script import table_parser, write

# The paper's columns: key in layers.json → head.
MEASURES = {
    "flops": "Complexity per layer",
    "sequential_operations": "Sequential operations",
    "path_length": "Maximum path length",
}
ORDER = ("log_k(n)", "k", "r", "n", "d")  # of the factors of a product, as in the paper
NOTE = (
    "Ours: counted in the layers themselves; n positions of width d, kernels of width k, neighbourhoods of r"
)


def main() -> None:
    parser = table_parser(__doc__)
    parser.add_argument("--layers", type=local_path, required=True, help="from measure_layers.py")
    arguments = parser.parse_args()
    write(build_table1(read_literature(arguments.literature), arguments.layers), arguments)


def build_table1(literature: Literature, file: Path) -> Table:
    """Build Table 1 from the ``file`` of ``measure_layers.py``."""
    layers, sha256 = read_artifact(file, "layers")["layers"], sha256_of(file)
    lines = []
    for row in literature.layer_types:
        layer = row["layer"]
        cells = [Cell("label", row["name"], latex=escape(row["name"]))]
        for measure in MEASURES:
            measured = layers[layer][measure]
            key = f"layers.{layer}.{measure}.terms"
            paper = f"O({row['complexity' if measure == 'flops' else measure]})"
            cells += [
                paper_cell(measure, paper, latex=mathematics(paper)),
                _our_cell(measure, measured, Source(file.as_posix(), key, sha256, measured["terms"])),
            ]
        where = row.get("source", "")
        facts = {"row": row.get("row", ""), "layer": layer, "source": where or "Table 1", "note": NOTE}
        lines.append(Line(cells, layer, block=where, facts=facts))
    columns = [
        Column(measure, (head, side), origin)
        for measure, head in MEASURES.items()
        for side, origin in (("paper", PAPER), ("measured", OURS))
    ]
    notes = _explanations(max(layers[line.name][name]["deviation"] for line in lines for name in MEASURES))
    return Table(
        "table1",
        [Column("label", ("Layer type",)), *columns],
        lines,
        csv="row layer measure paper measured deviation points source layers layers_sha256".split(),
        csv_row="cell",
        files={"layers": ""},
        title="Table 1: what layer types cost",
        above=[" ".join(notes)],
        caption="What layer types cost: the paper's order of growth beside what was measured.",
        notes=notes,
    )


def _our_cell(measure: str, measured: Mapping[str, Any], source: Source) -> Cell:
    terms = formula(measured["terms"])
    return Cell(
        measure,
        terms,
        kind="expression",
        quantity=measure.replace("_", " ").replace("flops", "complexity"),
        latex=mathematics(terms),
        value=formula(measured["terms"], decimals=4),
        sources=[source],
        facts={"measure": measure, "deviation": measured["deviation"], "points": len(measured["points"])},
    )


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


if __name__ == "__main__":
    run_script(main)
