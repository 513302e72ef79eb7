"""Check what users write against schemas, in the part of JSON schema (draft 2020-12) that ours use.

The first mistake is reported in one line: where it is, what is wrong, and what is valid.  ``declared.py`` makes the
schema of a setting from its declaration, and editors read the same schemas.
"""

import math
import operator
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError, reading, similar, unknown

Schema = Mapping[str, Any]
Keywords = dict[str, tuple[Callable[[Any, Any], Any], str]]

# As in Python and torch, a boolean is not a number, and 4.0 is not a whole number.
TYPES: dict[str, tuple[set[type], str]] = {
    "integer": ({int}, "a whole number"),
    "number": ({int, float}, "a number"),
    "boolean": ({bool}, "true or false"),
    "string": ({str}, "a text"),
    "object": ({dict}, "a mapping"),
    "array": ({list}, "a list"),
    "null": ({type(None)}, "null"),
}
# The keywords for numbers, texts, lists and mappings: whether a value keeps to a limit, and what a message asks for.
RANGE: Keywords = {
    "not": (lambda value, limit: bool(value % limit["multipleOf"]), "odd"),
    "minimum": (operator.ge, "at least {}"),
    "exclusiveMinimum": (operator.gt, "above {}"),
    "maximum": (operator.le, "at most {}"),
    "exclusiveMaximum": (operator.lt, "below {}"),
}
KEYWORDS: dict[type, Keywords] = {
    int: RANGE,
    float: RANGE,
    str: {
        "minLength": (lambda value, limit: len(value) >= limit, "of at least {} characters"),
        "maxLength": (lambda value, limit: len(value) <= limit, "of at most {} characters"),
        "pattern": (lambda value, limit: re.search(limit, value), "in the form of {}"),
    },
    list: {
        "minItems": (lambda value, limit: len(value) >= limit, "of at least {} entries"),
        "uniqueItems": (lambda value, limit: _are_different(value), "without repetitions"),
    },
    dict: {"minProperties": (lambda value, limit: len(value) >= limit, "of at least {} keys")},
}


def check(value: Any, schema: Schema, file: Path | str) -> None:
    """Raise UserError for the first thing in ``value``, read from ``file``, that breaks a schema.

    Nor may it hold what a JSON file cannot: keys that are not texts (in YAML, ``1`` is not), and infinite numbers.
    """
    with reading(file, problem="not valid"):
        _check(value, schema, schema.get("$defs", {}), file)


def problem(value: Any, schema: Schema, name: str) -> str | None:
    """Return what is wrong with a value called ``name``, and what is valid; None if it is right.

    Of a mapping or a list, what is in it is not looked at.
    """
    choices, about = schema.get("anyOf", [schema]), schema.get("description", "")
    fitting = next((choice for choice in choices if _is_of_kind(value, choice)), None)
    if fitting is None:
        names = [name for choice in choices for name in choice.get("enum", ())]
        close = similar(value, names)
        needed = " or ".join(map(_kind, choices)) + (f";{close}" if close else "")
    else:
        keywords = {key: words for key, words in KEYWORDS.get(type(value), {}).items() if key in fitting}
        broken = [key for key, (keeps, _) in keywords.items() if not keeps(value, fitting[key])]
        if not broken:
            return None
        if "pattern" in broken and about:
            return f"{name} is {value!r}; it must be {about}"
        # A range reads better as a whole.
        shown = keywords if broken[0] in RANGE else broken
        needed = " and ".join(keywords[key][1].format(fitting[key]) for key in shown)
    return f"{name} is {value!r}; it must be {needed}{about and f' ({about})'}"


def _are_different(values: list[Any]) -> bool:
    return all(value not in values[:n] for n, value in enumerate(values))


def _is_of_kind(value: Any, schema: Schema) -> bool:
    if "enum" in schema:
        # True == 1, and 1.0 == 1.
        return any(value == choice and type(value) is type(choice) for choice in schema["enum"])
    return not _types(schema) or any(type(value) in TYPES[name][0] for name in _types(schema))


def _kind(schema: Schema) -> str:
    if "enum" not in schema:
        return " or ".join(TYPES[name][1] for name in _types(schema))
    choices = ["null" if choice is None else str(choice) for choice in schema["enum"]]
    return f"one of {', '.join(choices)}" if len(choices) > 1 else choices[0]


def _types(schema: Schema) -> list[str]:
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else types


def _check(value: Any, schema: Schema, definitions: Schema, file: Path | str, *keys: Any) -> None:
    if "$ref" in schema:
        schema = definitions[schema["$ref"].removeprefix("#/$defs/")]
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError(f"{_where(file, *keys)}: {value} is not a finite number")
    # A key stands in the message by itself, and the number of an item behind the key of its list.
    named = 2 if keys and isinstance(keys[-1], int) else 1
    if text := problem(value, schema, ".".join(map(str, keys[-named:])) or "the content"):
        raise UserError(f"{_where(file, *keys[:-named])}: {text}")
    if isinstance(value, list):
        for number, item in enumerate(value):
            _check(item, schema.get("items", {}), definitions, file, *keys, number)
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise UserError(f"{_where(file, *keys)}: the key {key} is not text; put it in quotes")
        inner = {key: _schema_of(key, schema) for key in value}
        _check_keys(inner, schema, _where(file, *keys))
        for key, inner_schema in inner.items():
            _check(value[key], inner_schema, definitions, file, *keys, key)


def _schema_of(key: str, schema: Schema) -> Any:
    """Return the schema of the value of a key: False if the mapping cannot have it."""
    if key in (properties := schema.get("properties", {})):
        return properties[key]
    patterns = schema.get("patternProperties", {})
    matching = (schema for pattern, schema in patterns.items() if re.search(pattern, key))
    return next(matching, schema.get("additionalProperties", {}))


def _check_keys(inner: Mapping[str, Any], schema: Schema, where: str) -> None:
    """Raise UserError when a mapping has a key that it cannot have, or lacks one."""
    for key, inner_schema in inner.items():
        if inner_schema is False:
            names = schema.get("properties", ())
            about = f" ({schema['description']})" if "description" in schema else ""
            raise UserError(
                f"{where}: {unknown('key', key, names) if names else f'unknown key {key!r}{about}'}"
            )
        if text := problem(key, schema.get("propertyNames", {}), "the key"):
            raise UserError(f"{where}: {text}")
    needed = [
        *schema.get("required", ()),
        *(
            other
            for key, others in schema.get("dependentRequired", {}).items()
            if key in inner
            for other in others
        ),
    ]
    for key in needed:
        if key not in inner:
            raise UserError(f"{where}: missing key '{key}'")
    alternatives = [key for choice in schema.get("oneOf", ()) for key in choice["required"]]
    if alternatives and len(inner.keys() & set(alternatives)) != 1:
        raise UserError(f"{where}: give exactly one of {', '.join(alternatives)}")


def _where(file: Path | str, *keys: Any) -> str:
    return f"{file}: {'.'.join(map(str, keys))}" if keys else str(file)
