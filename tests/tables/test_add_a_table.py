"""The table that CONTRIBUTING.md adds as an example can be made."""

import re
import sys
import textwrap
from types import ModuleType

import pytest
from fake_runs import LITERATURE, ROOT, MakeRun

from transformer.tables import entries
from transformer.tables.make_table import parse_arguments, table_of
from transformer.tables.render import renderings


def test_the_example_makes_a_table(make_run: MakeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    section = (ROOT / "CONTRIBUTING.md").read_text().partition("\nFor a table, ")[2]
    code, entry, *_ = map(textwrap.dedent, re.findall(r"(?:^(?: {4}.*)?\n)+", section, re.MULTILINE))
    module = ModuleType("transformer.tables.sizes")
    exec(code, vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(entries.ENTRIES, "sizes", eval(entry, vars(entries)))
    options = [
        "--literature",
        str(LITERATURE),
        "--runs",
        str(make_run("base", "en-de")),
        "--output-dir",
        "made",
    ]
    table = table_of(parse_arguments(["sizes", *options]))
    (size,) = (cell.value for line, cell in table.cells() if cell.column == "parameters")
    texts = renderings(table)
    assert f"| base en-de | {size:,} " in texts["sizes.md"]
    assert texts["sizes.csv"] == f"run,parameters\nbase,{size}\n"
