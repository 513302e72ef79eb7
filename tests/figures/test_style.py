"""Figures are the same bytes on every day, and look the same to every reader."""

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from transformer.figures.style import inches, render


def draw(figure: Figure) -> None:
    inches(figure).text(0.5, 0.5, "Straße, œuvre, $d_k$", parse_math=True)


def test_files_have_fonts_and_no_date(tmp_path: Path) -> None:
    render(tmp_path / "figure", 2, 1.5, draw)
    pdf, svg = ((tmp_path / f"figure.{kind}").read_bytes() for kind in ("pdf", "svg"))
    assert b"/FontFile2" in pdf
    assert b"/CreationDate" not in pdf
    assert b"/MediaBox [ 0 0 144 108 ]" in pdf
    assert b"<text" not in svg  # glyphs are shapes, since the reader may not have the font
    assert b"<dc:date" not in svg


def test_what_no_font_has_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def draw(figure: Figure) -> None:
        inches(figure)

    render(tmp_path / "figure", 2, 1, draw, "a žluťoučký b\u200b")
    assert not capsys.readouterr().err
    render(tmp_path / "figure", 2, 1, draw, "a猫鳥鳥")
    assert capsys.readouterr().err.startswith("note: the figures show 猫鳥 as boxes")
