"""The table that CONTRIBUTING.md adds as an example can be made."""

import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
from fake_runs import LITERATURE, ROOT, MakeRun

from transformer.tables import entries
from transformer.tables.cells import read_table


def test_the_example_makes_a_table(make_run: MakeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    section = (ROOT / "CONTRIBUTING.md").read_text().partition("\nFor a table, ")[2]
    code, entry, *_ = map(textwrap.dedent, re.findall(r"(?:^(?: {4}.*)?\n)+", section, re.MULTILINE))
    script: dict[str, Any] = {"__name__": "sizes", "__doc__": ""}
    exec(code, script)
    monkeypatch.setitem(entries.ENTRIES, "sizes", eval(entry, vars(entries)))
    options = ["--literature", LITERATURE, "--runs", make_run("base", "en-de"), "--output-dir", "made"]
    monkeypatch.setattr("sys.argv", ["sizes.py", *map(str, options)])
    script["main"]()
    (size,) = (
        cell.value
        for line, cell in read_table(Path("made/sizes.json")).cells()
        if cell.column == "parameters"
    )
    assert f"| base en-de | {size:,} " in Path("made/sizes.md").read_text()
    assert Path("made/sizes.csv").read_text() == f"run,parameters\nbase,{size}\n"
