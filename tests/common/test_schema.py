"""Checking against a schema: every mistake ends in one line that names the place."""

import math
from typing import Any

import pytest

from transformer.common.errors import UserError
from transformer.common.schema import check

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


def itself() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({1: 2}, "file: the key 1 is not text; put it in quotes"),
        ({"a": {False: 2}}, "file: a: the key False is not text"),
        ({"a": [1.0, math.nan]}, "file: a.1: nan is not a finite number"),
        ({"a": -math.inf}, "file: a: -inf is not a finite number"),
        (itself(), "file: not valid (too many levels)"),
    ],
)
def test_values_that_no_setting_can_have(value: Any, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        check(value, {}, "file")
    assert str(caught.value).startswith(expected)


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


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"kind": "bpe", "shaer": 1}, "file: unknown key 'shaer'; did you mean 'share'? valid: kind, sizes,"),
        ({"knid": "bpe"}, "file: unknown key 'knid'; did you mean 'kind'?"),
        ({}, "file: missing key 'kind'"),
        ({"kind": "bppe"}, "file: kind is 'bppe'; it must be one of bpe, wordpiece; did you mean 'bpe'?"),
        ({"kind": "bpe", "sizes": [1, 0]}, "file: sizes.1 is 0; it must be at least 1 (a count)"),
        ({"kind": "bpe", "files": {"test": "t"}}, "file: files: unknown key 'test'"),
        (None, "file: the content is None; it must be a mapping"),
    ],
)
def test_content_that_breaks_the_schema(value: Any, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        check(value, SCHEMA, "file")
    assert str(caught.value).startswith(expected)
