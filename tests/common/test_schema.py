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
    ("schema", "value", "expected"),
    [
        # Values that no setting can have.
        ({}, {1: 2}, "file: the key 1 is not text; put it in quotes"),
        ({}, {"a": {False: 2}}, "file: a: the key False is not text"),
        ({}, {"a": [1.0, math.nan]}, "file: a.1: nan is not a finite number"),
        ({}, {"a": -math.inf}, "file: a: -inf is not a finite number"),
        ({}, itself(), "file: not valid (too many levels)"),
        (SCHEMA, {"knid": "bpe"}, "file: unknown key 'knid'; did you mean 'kind'?"),
        (SCHEMA, {}, "file: missing key 'kind'"),
        (SCHEMA, {"kind": "bppe"}, "file: kind is 'bppe'; it must be one of bpe, wordpiece"),
        (SCHEMA, {"kind": "bpe", "sizes": [1, 0]}, "file: sizes.1 is 0; it must be at least 1 (a count)"),
        (SCHEMA, None, "file: the content is None; it must be a mapping"),
    ],
)
def test_a_mistake_is_named(schema: dict[str, Any], value: Any, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        check(value, schema, "file")
    assert str(caught.value).startswith(expected)
