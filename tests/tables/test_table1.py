"""Table 1: the paper's expressions, and beside each what was measured."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import tiny
from fake_runs import LITERATURE, write
from rendered import PAPER, compile_table, csv_rows, formats, needs_latex, numbers_of

from transformer.common.files import sha256_of
from transformer.tables.latex_text import mathematics
from transformer.tables.literature import records
from transformer.tables.table1 import build_table1, formula, reported

ROWS = records(PAPER.layer_types)


def figure(*terms: dict[str, float], deviation: float = 0.0) -> dict[str, Any]:
    """A measured figure; each term is its coefficient under "c" and its exponents."""
    fitted = [{"coefficient": term.pop("c"), "exponents": term} for term in map(dict, terms)]
    return {"terms": fitted, "deviation": deviation, "points": [{"n": 1, "value": 1}]}


@pytest.fixture
def layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A layers.json in the working directory."""
    monkeypatch.chdir(tmp_path)
    measured = {
        "flops": figure({"c": 4.0, "n": 2.0, "d": 1.0}, {"c": 8.0, "n": 1.0, "d": 2.0}),
        "sequential_operations": figure({"c": 7.0, "n": 0.0}),
        "path_length": figure({"c": 23.34, "n": 1.0, "r": -1.0668}, deviation=0.123),
    }
    write(Path("layers.json"), {"format": 1, "layers": {row["layer"]: measured for row in ROWS}})
    return Path("layers.json")


def build(layers: Path) -> dict[str, str]:
    """The table in its formats."""
    return formats(build_table1(PAPER, layers))


def test_the_papers_rows() -> None:
    """As printed in Table 1."""
    assert [row["row"] for row in ROWS] == [1, 2, 3, 4, "", ""]
    assert [reported(row, "path_length") for row in ROWS[:4]] == ["O(1)", "O(n)", "O(log_k(n))", "O(n/r)"]
    assert [reported(row, "flops") for row in ROWS[:4]] == [
        "O(n^2 · d)",
        "O(n · d^2)",
        "O(k · n · d^2)",
        "O(r · n · d)",
    ]


@pytest.mark.parametrize(
    ("term", "text", "tex"),
    [
        ({"c": 2.0, "n": 1.0, "d": 2.0, "k": 1.0}, "2 k n d^2", r"$2\,k\,n\,d^{2}$"),
        ({"c": 1.651, "log_k(n)": 0.9734}, "1.65 log_k(n)^0.97", r"$1.65\,\log_k(n)^{0.97}$"),
        ({"c": 23.34, "r": -1.0668, "n": 0.9996}, "23.3 n r^-1.07", r"$23.3\,n\,r^{-1.07}$"),
        ({"c": 9.0, "n": -0.001}, "9", "$9$"),
    ],
)
def test_formulas(term: dict[str, float], text: str, tex: str) -> None:
    written = formula(figure(term)["terms"])
    assert (written, mathematics(written)) == (text, tex)


def test_measured_stands_beside_the_paper(layers: Path) -> None:
    table = build(layers)
    assert "| O(n^2 · d) " in table["md"]
    row = next(line for line in table["tex"].splitlines() if line.startswith("Recurrent"))
    assert row == (
        r"Recurrent & $O(n \cdot d^{2})$ & $4\,n^{2}\,d + 8\,n\,d^{2}$ & $O(n)$ & $7$"
        r" & $O(n)$ & $23.3\,n\,r^{-1.07}$ \\ "
        f"% layers.json sha256:{sha256_of(layers)}"
    )
    rows = csv_rows(table["csv"])
    assert len(rows) == 3 * len(ROWS)
    assert (rows[2]["measure"], rows[2]["measured"]) == ("path_length", "23.34 n r^-1.0668")
    assert (rows[2]["deviation"], rows[-1]["row"], rows[-1]["source"]) == ("0.123", "", "section 4")
    for text in (table["md"], table["tex"].replace("\\%", "%")):
        assert "no count is further than 12% from its fit" in text


@needs_latex
def test_tex_compiles_in_a_minimal_document(layers: Path, tmp_path: Path) -> None:
    assert "Overfull" not in compile_table(build(layers)["tex"], tmp_path)


def make(layers: Path) -> subprocess.CompletedProcess[str]:
    inputs = ["--literature", LITERATURE, "--layers", layers]
    return tiny.run_captured("make_table", "table1", *inputs, "--output-dir", "tables")


def test_each_measured_expression_can_be_traced(layers: Path) -> None:
    assert make(layers).returncode == 0
    endings = sorted(path.suffix for path in Path("tables").iterdir())
    assert endings == [".csv", ".json", ".md", ".tex"]
    assert len(numbers_of(Path("tables/table1.json"))) == 3 * len(ROWS)


def test_a_missing_file(layers: Path) -> None:
    layers.unlink()
    assert make(layers).stderr == "error: layers.json: no such file\n"
    assert not Path("tables").exists()
