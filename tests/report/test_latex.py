"""LaTeX to PDF: the same bytes, settled references, and one clear line when something is wrong."""

import re
from pathlib import Path

import pytest

from transformer.common.errors import UserError
from transformer.report.latex import INSTALL, find_latex, typeset

needs_latex = pytest.mark.skipif(find_latex() is None, reason="pdflatex is not installed")
QUIET = r"\pdfinfoomitdate=1\pdftrailerid{}\pdfsuppressptexinfo=-1"  # as in workflow/report/report.tex


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def document(body: str, preamble: str = "") -> Path:
    path = Path("document one.tex")  # a blank in the name does no harm
    path.write_text(rf"\documentclass{{article}}{preamble}\begin{{document}}{body}\end{{document}}")
    return path


@needs_latex
def test_the_same_document_gives_the_same_bytes() -> None:
    typeset(document(r"\input{part}"), Path("drawing.pdf"), {"part.tex": "A drawing."})
    for name in ("a.pdf", "b.pdf"):
        drawn = document(r"\today\includegraphics{drawing.pdf}", r"\usepackage{graphicx}" + QUIET)
        typeset(drawn, Path("made", name), {})
    first, second = (Path("made", name).read_bytes() for name in ("a.pdf", "b.pdf"))
    assert first == second
    assert b"drawing.pdf" not in first
    assert sorted(path.name for path in Path("made").iterdir()) == ["a.pdf", "b.pdf"]


@needs_latex
def test_references_settle_and_wide_boxes_are_told() -> None:
    """The wide rule is there only when the label is known: in the second run."""
    body = r"x\label{here}\ifcsname r@here\endcsname\noindent\rule{30cm}{1pt}\fi"
    complaints = typeset(document(body), Path("a.pdf"), {})
    assert len(complaints) == 1
    assert complaints[0].startswith("Overfull \\hbox")


@needs_latex
@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("one\n\n\\nonsense", "document one.tex, line 3: Undefined control sequence."),
        (r"\input{part}", "part.tex, line 2: Missing $ inserted."),
        (
            r"\usepackage{no-such-package}",
            r"document one.tex, line 1: LaTeX Error: Can be used only in preamble.",
        ),
    ],
)
def test_an_error_is_one_line_with_its_place(body: str, line: str) -> None:
    with pytest.raises(UserError, match=re.escape(line)):
        typeset(document(body), Path("a.pdf"), {"part.tex": "two\nx^2\n"})
    assert not Path("a.pdf").exists()


@needs_latex
def test_a_missing_package() -> None:
    expected = r"LaTeX has no no-such-package\.sty; on Debian or Ubuntu: apt-get install"
    with pytest.raises(UserError, match=expected):
        typeset(document("", r"\usepackage{no-such-package}"), Path("a.pdf"), {})


def test_without_latex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    expected = re.escape(f"a.pdf needs pdflatex, which is not installed; {INSTALL}")
    with pytest.raises(UserError, match=expected):
        typeset(document(""), Path("a.pdf"), {})
