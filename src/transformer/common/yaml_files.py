"""Reading YAML files and checking their content against a JSON schema.  Each mistake is reported in one line."""

import math
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError, validators

from transformer.common.errors import UserError, reading, unknown

Schema = Path | Mapping[str, Any]


def read_yaml(path: Path | str) -> Any:
    """Return the content of a YAML file: mappings, lists, texts, numbers, booleans and None.

    Raises UserError, which names the file and the line, when the file is missing or not YAML, and when a mapping has
    the same key twice.
    """
    with reading(path, problem="not valid YAML"):
        return _Loader(Path(path).read_bytes().decode("utf-8")).get_single_data()


def unquoted(text: str) -> str:
    """Return a text without the quotes that YAML takes off if they stand around all of it."""
    if text[0] != text[-1] or text[0] not in "'\"":
        return text
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError:
        return text
    return found if isinstance(found, str) else text


class _Loader(yaml.SafeLoader):
    """A loader that takes booleans, dates and numbers for what they are in YAML 1.2, which DVC writes.

    In YAML 1.1, which PyYAML reads, ``no``, the code of a language, is a boolean, and 1e-9 is a text.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Reject duplicate keys, as YAML requires; PyYAML would silently keep the last value."""
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in seen:
                problem = f"the key '{key.value}' occurs twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in forms if not tag.endswith((":bool", ":timestamp"))]
    for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"(true|True|TRUE|false|False|FALSE)\Z"), list("tTfF")
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+\Z"), list("-+0123456789")
)


def read_checked(file: Path | str, schema: Schema) -> Any:
    """Return the content of a YAML file.  Raises UserError, which names the wrong key, when it breaks the schema."""
    content = read_yaml(file)
    check(content, schema, file)
    return content


def check(value: Any, schema: Schema, file: Path | str) -> None:
    """Raise UserError when ``value``, read from ``file``, breaks a JSON schema (draft 2020-12), a file or a mapping.

    Nor may it hold what a JSON file cannot: keys that are no texts (in YAML, ``1`` is not), and infinite numbers.
    """
    with reading(file, problem="not valid"):
        _check_plain(value, file)
    validator = _validator_of(schema) if isinstance(schema, Path) else _Validator(schema)
    error = min(validator.iter_errors(value), key=_order, default=None)
    if error is not None:
        raise UserError(f"{_place(file, *error.absolute_path)}: {_explain(error)}")


def _check_plain(value: Any, file: Path | str, *keys: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError(f"{_place(file, *keys)}: {value} is no finite number")
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise UserError(f"{_place(file, *keys)}: the key {key} is no text; put it in quotes")
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            _check_plain(item, file, *keys, key)


def _place(file: Path | str, *keys: Any) -> str:
    return f"{file}: {'.'.join(map(str, keys))}" if keys else str(file)


def _is_integer(checker: Any, value: Any) -> bool:
    """Return whether a value is an integer; JSON schema would also take 4.0, which torch and Python do not."""
    return isinstance(value, int) and not isinstance(value, bool)


_TYPES = Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer)
_Validator: Any = validators.extend(Draft202012Validator, type_checker=_TYPES)


@cache
def _validator_of(schema: Path) -> Any:
    return _Validator(read_yaml(schema))


def _explain(error: ValidationError) -> str:
    """Return what is wrong and what is valid, in a few words."""
    schema: Any = error.schema
    expected: Any = error.validator_value
    instance: Any = error.instance
    description = schema.get("description")
    if error.validator == "additionalProperties" and ("properties" in schema or description):
        names, patterns = schema.get("properties", ()), schema.get("patternProperties", ())
        wrong = next(
            key
            for key in instance
            if key not in names and not any(re.search(pattern, key) for pattern in patterns)
        )
        return unknown("key", wrong, names) if names else f"unknown key '{wrong}' ({description})"
    if error.validator == "required":
        return f"missing key '{next(key for key in expected if key not in instance)}'"
    if error.validator == "enum":
        return unknown("value", instance, expected)
    if error.validator == "oneOf" and all("required" in alternative for alternative in expected):
        keys = [key for alternative in expected for key in alternative["required"]]
        return f"give exactly one of {', '.join(keys)}"
    return error.message + (f" ({description})" if description else "")


def _order(error: ValidationError) -> tuple[list[str], bool]:
    """Return a sort key that puts outer errors first, and unknown keys first among the errors of one mapping."""
    return [str(key) for key in error.absolute_path], error.validator != "additionalProperties"
