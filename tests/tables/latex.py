"""Tables as LaTeX reads them."""

import shutil
import subprocess
from pathlib import Path

import pytest

needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")


def compile_table(text: str, folder: Path, options: str = "") -> str:
    """What pdflatex says about a minimal document with the table, after asserting that it made one.

    ``options`` are of its class, article.
    """
    (folder / "table.tex").write_text(text, encoding="utf-8")
    document = (
        rf"\documentclass[{options}]{{article}}\usepackage{{booktabs}}"
        r"\begin{document}\input{table.tex}\end{document}"
    )
    (folder / "document.tex").write_text(document)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "document.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout
