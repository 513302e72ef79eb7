"""The tables of `docs/notes/performance.md` are those of the measurements beside it."""

import csv
from pathlib import Path

import pytest
from performance_tables import Row, marks, write_into

NOTES = Path(__file__).parents[2] / "docs" / "notes"


@pytest.mark.parametrize("name", ["performance.csv", "performance-zen4.csv"])
def test_the_tables_of_the_page(tmp_path: Path, name: str) -> None:
    with open(NOTES / name, encoding="utf-8", newline="") as file:
        rows = [Row(**row) for row in csv.DictReader(file)]
    text = (NOTES / "performance.md").read_text(encoding="utf-8")
    begin, end = marks(name)
    before, after = text.split(begin)[0], text.split(end)[1]
    page = tmp_path / "page.md"
    page.write_text(f"{before}{begin}\nold\n{end}{after}", encoding="utf-8")
    write_into(page, name, rows)
    assert page.read_text(encoding="utf-8") == text
