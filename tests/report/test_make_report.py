"""The report: its settings, tables, figures and captions, compiled."""

import shutil
from pathlib import Path

import pytest

from transformer.report.latex import find_latex, typeset
from transformer.report.make_report import SHOWN, contents

TEMPLATE = Path(__file__).parents[2] / "workflow" / "report" / "report.tex"
FACTS = {
    "scale": "demo",
    "corpus": "5% of R&D_#1",
    "treebank": "its trees",
    "tasks": "for translation",
    "seeds": "1, 2",
    "commit": "abc1234-dirty",
    "vocabulary": "2,000",
}
DATA = ["A corpus. Licence: CC BY-NC-SA 4.0. Author & Author: 100% of it, 2016."]
PAPER = dict.fromkeys(SHOWN, 4096)
OURS = dict.fromkeys(SHOWN, 0.25)


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Of a report with a table and a figure."""
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    Path("results", "table9.tex").write_text("\\begin{table}\\caption{Nine}\\end{table}\n")
    captions = {"picture": "What it shows: 100% of N_0, 2 × 3 – and ± 1."}
    runs = dict.fromkeys(("base", "big"), (PAPER, OURS))
    return contents(FACTS, runs, [Path("results/table9.tex")], [Path("results/picture.pdf")], captions, DATA)


def test_captions_terms_of_the_data_and_settings_beside_the_paper_s(text: str) -> None:
    assert r"\caption{What it shows: 100\% of N\_0, 2 × 3 – and ± 1.}" in text
    assert r"\item A corpus. Licence: CC BY-NC-SA 4.0. Author \& Author: 100\% of it, 2016." in text
    assert text.count(r"& 4096 & 0.25 & 4096 & 0.25 \\") == len(SHOWN)


@pytest.mark.skipif(find_latex() is None, reason="pdflatex is not installed")
def test_it_compiles_without_a_box_too_wide(text: str) -> None:
    wide = r"\documentclass{article}\pdfpagewidth=40cm\begin{document}\hspace*{3cm}\rule{30cm}{1cm}\end{document}"
    Path("picture.tex").write_text(wide)
    typeset(Path("picture.tex"), Path("results/picture.pdf"), {})
    shutil.copy(TEMPLATE, "report.tex")
    assert typeset(Path("report.tex"), Path("report.pdf"), {"contents.tex": text}) == []
    assert Path("report.pdf").stat().st_size > 10_000
