"""Reading YAML: every mistake ends in one line that names the place."""

import math
from pathlib import Path
from typing import Any

import pytest

from transformer.common.errors import UserError
from transformer.common.yaml_files import check, read_yaml

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["kind"],
    "properties": {
        "kind": {"enum": ["bpe", "wordpiece"]},
        "sizes": {"type": "array", "items": {"type": "integer", "minimum": 1, "description": "a count"}},
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


def itself() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({1: 2}, "file: the key 1 is no text; put it in quotes"),
        ({"a": {False: 2}}, "file: a: the key False is no text"),
        ({"a": [1.0, math.nan]}, "file: a.1: nan is no finite number"),
        ({"a": -math.inf}, "file: a: -inf is no finite number"),
        (itself(), "file: not valid (too many levels)"),
    ],
)
def test_values_that_no_setting_can_have(value: Any, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        check(value, {}, "file")
    assert str(caught.value).startswith(expected)


def test_scalars_are_those_of_yaml_1_2(tmp_path: Path) -> None:
    (tmp_path / "file.yaml").write_text(
        "[1e-9, 2.5E3, -1e+2, 1e, e3, 1e3x, 7, no, true, False, 2014-05-06]\n"
    )
    numbers = [1e-9, 2500.0, -100.0, "1e", "e3", "1e3x", 7]
    assert read_yaml(tmp_path / "file.yaml") == [*numbers, "no", True, False, "2014-05-06"]


def test_the_unknown_key_is_named_even_beside_keys_that_only_a_pattern_allows() -> None:
    schema = {
        "additionalProperties": False,
        "properties": {"tsv": {}},
        "patternProperties": {"^[a-z]{2}$": {}},
    }
    with pytest.raises(UserError, match="unknown key 'tvs'; did you mean 'tsv'?"):
        check({"de": 1, "tvs": 2}, schema, "file")


def test_a_key_that_no_pattern_allows_is_named_beside_what_belongs_there() -> None:
    schema = {
        "additionalProperties": False,
        "patternProperties": {"^(train|dev)$": {}},
        "description": "train, dev",
    }
    with pytest.raises(UserError, match=r"file: unknown key 'valid' \(train, dev\)"):
        check({"train": 1, "valid": 2}, schema, "file")


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
        ({"kind": "bpe", "files": {"test": "t"}}, "file: files: 'test' does not match any of the regexes"),
        (None, "file: None is not of type 'object'"),
    ],
)
def test_content_that_breaks_the_schema(value: Any, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        check(value, SCHEMA, "file")
    assert str(caught.value).startswith(expected)
