"""The schemas for editors: they are current, and another program that reads them finds what we find."""

from typing import Any

import pytest
from configuration import ROOT
from jsonschema import Draft202012Validator
from write_settings import SCHEMAS, schema_text

from transformer.common.errors import UserError
from transformer.common.schema import check
from transformer.common.yaml_files import read_yaml
from transformer.settings.merging import DEFAULTS
from transformer.settings.schemas import schema, schema_for_editor

FILES = {"config": "config", "runs": "runs"} | dict.fromkeys(
    ("demo", "demo-long", "small", "small-table3", "paper"), "scale"
)


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_files_are_current(name: str) -> None:
    """If they are not: python docs/write_settings.py."""
    assert SCHEMAS[name].read_text(encoding="utf-8") == schema_text(name)


@pytest.mark.parametrize(("file", "name"), FILES.items())
def test_the_files_of_config_name_their_schema_and_keep_to_it(file: str, name: str) -> None:
    path = ROOT / "config" / f"{file}.yaml"
    assert path.read_text().startswith(f"# yaml-language-server: $schema=schemas/{name}.json\n")
    assert list(Draft202012Validator(schema_for_editor(name)).iter_errors(read_yaml(path))) == []


def mistakes() -> list[dict[str, Any]]:
    """Scales, most of them wrong: a setting or a section with each of some values."""
    numbers, texts = (0, 1, 2, 0.5, 1e9 + 0.5), ("auto", "cpu", "gelu", "")
    values = [None, True, *numbers, *texts, [], ["base", "base"], {}, {"x": 1}]
    sections = schema("scale")["properties"]
    return [
        *({"settings": {key: value}} for key in [*DEFAULTS, "dropuot"] for value in values),
        *({key: value} for key in [*sections, "setings"] for value in values),
    ]


def test_jsonschema_finds_the_same() -> None:
    ours = schema_for_editor("scale")
    theirs = Draft202012Validator(ours)
    for content in mistakes():
        try:
            check(content, ours, "file")
            is_right = True
        except UserError:
            is_right = False
        assert theirs.is_valid(content) == is_right, content
