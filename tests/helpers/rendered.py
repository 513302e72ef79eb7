"""Tables as their readers see them: LaTeX compiled, rows of CSV files, numbers found where their cells say."""

import csv
import io
import json
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from fake_runs import LITERATURE

from transformer.common.files import sha256_of
from transformer.tables.cells import Table, read_table
from transformer.tables.literature import read_literature
from transformer.tables.render import renderings

PAPER = read_literature(LITERATURE)
needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")


def formats(table: Table) -> dict[str, str]:
    """The texts of a table by their formats: tex, csv and md."""
    return {name.removeprefix(f"{table.name}."): text for name, text in renderings(table).items()}


def csv_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def assert_numbers_are_found(numbers: Iterable[Mapping[Any, Any]]) -> None:
    """Each stands in the file and at the key that are named."""
    for number in numbers:
        assert number["sha256"] == sha256_of(number["path"])
        value = json.loads(Path(number["path"]).read_text())
        for key in number["key"].split("."):
            value = value[key]
        assert number["value"] == value


def numbers_of(table: Path) -> list[dict[str, Any]]:
    """What our numbers in a table's file were read from, each place once, after asserting that they stand there."""
    sources = (vars(source) for _, cell in read_table(table).cells() for source in cell.sources)
    numbers = [*{(source["path"], source["key"]): source for source in sources}.values()]
    assert_numbers_are_found(numbers)
    return numbers


def compile_table(text: str, folder: Path, options: str = "") -> str:
    """What pdflatex says about a minimal document with the table, after asserting that it made one.

    ``options`` are of its class, article.
    """
    (folder / "table.tex").write_text(text, encoding="utf-8")
    document = (
        rf"\documentclass[{options}]{{article}}\usepackage{{booktabs}}\usepackage[T1]{{fontenc}}"
        r"\begin{document}\input{table.tex}\end{document}"
    )
    (folder / "document.tex").write_text(document)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "document.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout
