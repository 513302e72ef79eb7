"""config/README.md lists the keys that are declared, no others, with their defaults."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from configuration import ROOT
from write_settings import with_settings

from transformer.common.yaml_files import read_yaml

PAGE = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
# The name that the page has for keys that a pattern declares.
PLACEHOLDERS = {"^(train|dev|test)$": "<split>", "^[a-z]{2,3}$": "<side>"}
PLACEHOLDERS["^[a-z]{2,3}-[a-z]{2,3}$"] = "<pair>"
LIBRARY = ROOT / "src" / "transformer"
SECTIONS = {
    "config.yaml": LIBRARY / "settings" / "config.schema.yaml",
    "A scale, for example demo.yaml": LIBRARY / "settings" / "scale.schema.yaml",
    "sources.yaml": LIBRARY / "corpus" / "sources.schema.yaml",
}


def rows(section: str) -> list[list[str]]:
    """The cells of each row of a section's table."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    table = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def described(section: str) -> list[str]:
    return [key for row in rows(section) for key in re.findall(r"`([^`]+)`", row[0])]


def declared(schema: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Each key that has a value of its own, with its schema; the keys of a mapping follow its name and a dot."""
    below = {
        re.sub("^[a-z]{2}-[a-z]{2,}$", "<pair>", name): own
        for name, own in schema.get("properties", {}).items()
    }
    below |= {PLACEHOLDERS[name]: own for name, own in schema.get("patternProperties", {}).items()}
    others = schema.get("additionalProperties")
    if others and "properties" in others:
        below["<source>"] = others
    for name, own in below.items():
        inner = list(declared(own, f"{prefix}{name}."))
        # The page shows the forms of a split in the text above its table.
        if not inner or own.get("type") not in ("object", "array", ["object", "integer"]):
            yield f"{prefix}{name}", own
        yield from inner
    if "items" in schema:
        yield from declared(schema["items"], prefix)


@pytest.mark.parametrize(("section", "schema"), SECTIONS.items())
def test_the_page_has_the_keys_of_the_schema(section: str, schema: Path) -> None:
    keys = described(section)
    assert len(keys) == len(set(keys))
    assert set(keys) == {key for key, _ in declared(read_yaml(schema))}


def test_the_page_has_the_declared_settings() -> None:
    """If it has others: python docs/write_settings.py."""
    assert with_settings(PAGE) == PAGE
