"""Reading YAML: every mistake ends in one line that names the place."""

import datetime
import math
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

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
        (b"a: \xff\n", "line 1: not valid YAML (not UTF-8)"),
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


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a: 1\nb: !!float x", "line 2: not valid YAML ('x' is no float; if it is a text, put it in quotes)"),
        ("a: !!int x", "'x' is no int"),
        ("a: !!bool x", "'x' is no bool"),
        ("a: !!int 08", "'08' is no int"),
        (f"a: {'9' * 5000}", "'9999"),
        ("a: 2014-05-06", "a value of type timestamp; if it is a text, put it in quotes"),
        ("a: 2001-99-99", "a value of type timestamp"),
        ("a: !!set {x}", "a value of type set"),
        ("a: !!binary x", "a value of type binary"),
        ("a: !!python/object:os.system x", "a value of type os.system"),
        ('a: "\\U00110000"', "not valid YAML (chr() arg not in range"),
        ("[" * 5000, "not valid YAML (too many levels)"),
        ("a" * 500_001, "larger than 500,000 bytes"),
    ],
)
def test_what_yaml_cannot_build(tmp_path: Path, content: str, expected: str) -> None:
    (tmp_path / "file.yaml").write_text(content)
    with pytest.raises(UserError) as caught:
        read_yaml(tmp_path / "file.yaml")
    assert expected in str(caught.value)
    assert len(str(caught.value)) < 400


def itself() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({1: 2}, "file: key: the key 1 is no text; put it in quotes"),
        ({"a": {False: 2}}, "file: key.a: the key False is no text"),
        ({"a\n": 2}, "file: key: the key 'a\\n' holds the character"),
        ({"a": [1.0, math.nan]}, "file: key.a.1: nan is no finite number"),
        ({"a": -math.inf}, "file: key.a: -inf is no finite number"),
        ({"a": 1 << 63}, "file: key.a: the number has more than 64 bits"),
        ({"a": "x\0"}, "file: key.a: holds the character"),
        ({"a": "\ud800"}, "file: key.a: holds the character"),
        ({"a": datetime.date(2014, 5, 6)}, "file: key.a: a value of type date"),
        (itself(), "file: key: not valid (too many levels)"),
    ],
)
def test_values_that_no_setting_can_have(value: Any, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        Schema({}).check(value, "file", "key")
    assert expected in str(caught.value)


def test_a_pattern_ends_where_the_text_ends() -> None:
    with pytest.raises(UserError, match="does not match"):
        Schema({"pattern": "^[a-z]+$"}).check("a\n", "file")
    Schema({"type": "string"}).check("two\nlines", "file")


def test_the_unknown_key_is_named_even_beside_keys_that_only_a_pattern_allows() -> None:
    schema = {
        "additionalProperties": False,
        "properties": {"tsv": {}},
        "patternProperties": {"^[a-z]{2}$": {}},
    }
    with pytest.raises(UserError, match="unknown key 'tvs'; did you mean 'tsv'?"):
        Schema(schema).check({"de": 1, "tvs": 2}, "file")


def test_a_key_that_no_pattern_allows_is_named_beside_what_belongs_there() -> None:
    schema = {
        "additionalProperties": False,
        "patternProperties": {"^(train|dev)$": {}},
        "description": "train, dev",
    }
    with pytest.raises(UserError, match=r"file: unknown key 'valid' \(train, dev\)"):
        Schema(schema).check({"train": 1, "valid": 2}, "file")


def test_numbers_with_an_exponent_are_those_of_yaml_1_2(tmp_path: Path) -> None:
    (tmp_path / "file.yaml").write_text("[1e-9, 2.5E3, -1e+2, 1e, e3, 1e3x, 7]\n")
    assert read_yaml(tmp_path / "file.yaml") == [1e-9, 2500.0, -100.0, "1e", "e3", "1e3x", 7]


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
        Schema(SCHEMA).check(value, "file")
    assert str(caught.value).startswith(expected)


@pytest.mark.parametrize(
    ("value", "expected"), [("(", "'.*' is not a 'regex'"), ("a{99999999999999999999}", "not valid ")]
)
def test_what_python_cannot_parse_is_no_regular_expression(value: str, expected: str) -> None:
    schema = Schema({"type": "string", "format": "regex"})
    schema.check("a+", "file", "key")
    with pytest.raises(UserError, match=f"^file: key: {expected}"):
        schema.check(value, "file", "key")


def test_a_schema_refers_to_another_file_of_its_folder(tmp_path: Path) -> None:
    version = Draft202012Validator.META_SCHEMA["$id"]
    (tmp_path / "count.yaml").write_text(f"{{$schema: {version!r}, type: integer}}\n")
    (tmp_path / "list.yaml").write_text("{items: {$ref: count.yaml}}\n")
    schema = Schema(tmp_path / "list.yaml")
    schema.check([1, 2], "file")
    with pytest.raises(UserError, match=r"file: key\.1: 'b' is not of type 'integer'"):
        schema.check([1, "b"], "file", "key")
    with pytest.raises(UserError, match=r"file: 0: 4\.0 is not of type 'integer'"):
        schema.check([4.0], "file")
