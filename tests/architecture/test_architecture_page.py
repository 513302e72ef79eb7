"""docs/architecture.md and its picture describe the code as it is."""

import pytest
from draw_architecture import MARKS, PAGE, PICTURE, Package, direct_imports, level, read_packages, table

REDRAW = "run: python docs/draw_architecture.py"


def test_the_table_is_current() -> None:
    """Purpose, imports and importers are exact; lines may be off by a tenth, so that not every edit redraws."""
    page = PAGE.read_text(encoding="utf-8").split(MARKS[0])[1].split(MARKS[1])[0]
    for ours, current in zip(page.splitlines()[2:], table(read_packages()).splitlines()[2:], strict=True):
        *cells, lines, _ = ours.split("|")
        *current_cells, current_lines, _ = current.split("|")
        assert cells == current_cells, REDRAW
        assert int(lines) == pytest.approx(int(current_lines), rel=0.1, abs=20), REDRAW


def test_the_picture_shows_every_package() -> None:
    picture = PICTURE.read_text(encoding="utf-8")
    assert [name for name in read_packages() if f">{name}<" not in picture] == [], REDRAW


def test_only_imports_that_no_chain_implies_are_drawn() -> None:
    packages = {
        name: Package(name, "", frozenset(imports.split()), 0)
        for name, imports in {"low": "", "middle": "low", "high": "low middle", "other": "low"}.items()
    }
    assert direct_imports("high", packages) == {"middle"}
    assert direct_imports("other", packages) == {"low"}
    assert [level(name, packages) for name in packages] == [0, 1, 2, 1]
