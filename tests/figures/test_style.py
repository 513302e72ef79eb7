"""Figures are the same bytes on every day, and look the same to every reader."""

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from transformer.figures import style
from transformer.figures.style import FAMILIES, families_for, inches, render


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


def test_what_no_font_has_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other fonts are taken only for what ours lack, those that have the most first."""
    ours = {family: set("abc") for family in FAMILIES}
    fonts = {**ours, "DejaVu Sans Mono": {"猫"}, "STIXSizeOneSym": {"猫", "犬", "a"}}
    monkeypatch.setattr(style, "_characters", lambda name: fonts.get(name, set()))
    assert families_for("a b\u200b") == FAMILIES
    assert families_for("a猫犬") == [*FAMILIES, "STIXSizeOneSym", "DejaVu Sans Mono"]
    assert not capsys.readouterr().err
    assert families_for("a猫鳥鳥") == [*FAMILIES, "DejaVu Sans Mono", "STIXSizeOneSym"]
    assert capsys.readouterr().err.startswith(
        "note: no installed font has 鳥: the figures show boxes; install one"
    )
