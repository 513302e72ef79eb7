"""Tables as LaTeX reads them."""

import re
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


def heads_of(text: str) -> list[str]:
    """The heads of each column of a table, from the upper level to the lower."""
    lines = text.partition("\\toprule\n")[2].partition("\\midrule")[0].splitlines()
    levels = []
    for line in lines:
        if not line.startswith("\\cmidrule"):
            levels.append([])
            for cell in line.removesuffix(r" \\").split(" & "):
                several = re.fullmatch(r"\\multicolumn\{(\d+)\}\{c\}\{(.*)\}", cell)
                levels[-1] += [several[2]] * int(several[1]) if several else [cell]
    return [" ".join(filter(None, column)) for column in zip(*levels, strict=True)]
