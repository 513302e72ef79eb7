"""Reading YAML: every mistake ends in one line that names the place."""

from pathlib import Path
from typing import Any

import pytest

from transformer.common.errors import UserError
from transformer.common.yaml_files import Schema, read_yaml

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["kind"],
    "properties": {
        "kind": {"enum": ["bpe", "wordpiece"]},
        "sizes": {"type": "array", "items": {"type": "integer", "minimum": 1, "description": "a count"}},
        "width": {"not": {"multipleOf": 2}, "description": "odd"},
        "share": {"type": "number"},
        "files": {"additionalProperties": False, "patternProperties": {"^(train|dev)$": {"type": "string"}}},
    },
}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"corpus: [", "line 1: not valid YAML"),
        (b"a: b\nc: [\n", "line 3: not valid YAML"),
        (b"corpus: a\ncorpus: b\n", "line 2: not valid YAML (the key 'corpus' occurs twice)"),
        (b"{{a}}: b\n", "line 1: not valid YAML (found unhashable key)"),
        (b"a: \x01\n", "not valid YAML (unacceptable character #x0001: special characters are not allowed)"),
        (b"a: \xff\n", "not UTF-8 text"),
    ],
)
def test_a_file_that_is_not_yaml(tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "file.yaml"
    path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        read_yaml(path)
    assert str(caught.value).startswith(str(path))
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.yaml: no such file"):
        read_yaml(tmp_path / "none.yaml")


def test_an_alias_is_no_duplicate(tmp_path: Path) -> None:
    (tmp_path / "file.yaml").write_text("a: &a {x: 1, y: 2}\nb: {<<: *a, x: 3}\n")
    assert read_yaml(tmp_path / "file.yaml")["b"] == {"x": 3, "y": 2}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"kind": "bpe", "shaer": 1}, "file: unknown key 'shaer'; did you mean 'share'? valid: kind, sizes,"),
        ({"knid": "bpe"}, "file: unknown key 'knid'; did you mean 'kind'?"),
        ({"kind": "bpe", "breadth": 1}, "file: unknown key 'breadth'; it is now called 'width'"),
        ({}, "file: missing key 'kind'"),
        ({"kind": "bppe"}, "file: kind: unknown value 'bppe'; did you mean 'bpe'? valid: bpe, wordpiece"),
        ({"kind": "bpe", "sizes": [1, 0]}, "file: sizes.1: 0 is less than the minimum of 1 (a count)"),
        ({"kind": "bpe", "width": 4}, "file: width: 4: must be odd"),
        ({"kind": "bpe", "files": {"test": "t"}}, "file: files: 'test' does not match any of the regexes"),
        (None, "file: None is not of type 'object'"),
    ],
)
def test_content_that_breaks_the_schema(value: Any, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        Schema(SCHEMA, {"breadth": "width"}).check(value, "file")
    assert str(caught.value).startswith(expected)


def test_a_schema_refers_to_another_file_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "count.yaml").write_text("{type: integer}\n")
    (tmp_path / "list.yaml").write_text("{items: {$ref: count.yaml}}\n")
    schema = Schema(tmp_path / "list.yaml")
    schema.check([1, 2], "file")
    with pytest.raises(UserError, match=r"file: key\.1: 'b' is not of type 'integer'"):
        schema.check([1, "b"], "file", "key")
