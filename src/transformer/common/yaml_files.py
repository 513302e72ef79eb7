"""Reading YAML files and checking their content against a JSON schema.  Each mistake is reported in one line."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, FormatChecker, ValidationError, validators
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from transformer.common.errors import UserError, reading, unknown

LARGEST = 500_000  # bytes of a file; PyYAML takes seconds for as many
QUOTE = "if it is a text, put it in quotes"


def read_yaml(path: Path | str) -> Any:
    """Return the content of a YAML file: mappings, lists, texts, numbers, booleans and None.

    Raises UserError, which names the file and the line, when the file is missing or not YAML, when a mapping has the
    same key twice, when a value is of another type (a date, a set), and when the file is larger than a configuration.
    """
    with reading(path, problem="not valid YAML", also=(yaml.YAMLError,)):
        with open(path, "rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise UserError(f"{path}: larger than {LARGEST:,} bytes, which no file of settings is")
        return _PlainLoader(content.decode("utf-8")).get_single_data()


_PLAIN = {f"tag:yaml.org,2002:{name}" for name in ("map", "seq", "str", "null", "bool", "int", "float")}


class _PlainLoader(yaml.SafeLoader):
    """A loader of what JSON can express, too, which says of everything else where it stands.

    It rejects duplicate keys, as YAML requires; PyYAML would silently keep the last value.
    """

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        kind = node.tag.split(":")[-1]
        if node.tag not in _PLAIN:
            raise _error(f"a value of type {kind}; {QUOTE}", node)
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError):  # such as `!!int x`
            raise _error(f"'{node.value}' is no {kind}; {QUOTE}", node) from None

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise _error(f"the key '{key.value}' occurs twice", key)
                seen.add(key.value)
        return super().construct_mapping(node, deep)


# PyYAML takes 1e-9 for a text, since YAML 1.1 wants 1.0e-9; in YAML 1.2, which DVC writes, it is a number.
_PlainLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+\Z"), list("-+0123456789")
)


def _error(problem: str, node: yaml.Node) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)


def _check_plain(value: Any, file: Path | str, *keys: Any) -> None:
    """Raise UserError when a value holds what a JSON file cannot, or what no setting can mean.

    These are keys that are no texts (in YAML, ``1`` and ``no`` are not), infinite numbers, integers of more than 64
    bits, and control characters.
    """
    wrong = ""
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                wrong = f"the key {key} is no text; put it in quotes"
            elif unprintable := _CONTROL.search(key):
                wrong = f"the key {key!r} holds the character {unprintable[0]!r}; remove it"
    elif isinstance(value, str):
        if unprintable := _CONTROL.search(value.replace("\n", " ")):
            wrong = f"holds the character {unprintable[0]!r}; remove it"
    elif isinstance(value, float) and not math.isfinite(value):
        wrong = f"{value} is no finite number"
    elif isinstance(value, int) and abs(value) >= 1 << 63:
        wrong = "the number has more than 64 bits"
    elif not isinstance(value, (list, int, float, type(None))):
        wrong = f"a value of type {type(value).__name__}; {QUOTE}"
    if wrong:
        raise UserError(f"{_place(file, keys)}: {wrong}")
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            _check_plain(item, file, *keys, key)


def _place(file: Path | str, keys: Iterable[Any]) -> str:
    return ": ".join(filter(None, (str(file), ".".join(map(str, keys)))))


_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")  # and surrogates, which cannot be written


def _pattern(validator: Any, pattern: str, value: Any, schema: Any) -> Iterator[ValidationError]:
    """Check a ``pattern``; Python's ``$`` would also match before a line break at the end of a text."""
    if validator.is_type(value, "string") and ("\n" in value or not re.search(pattern, value)):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _is_integer(checker: Any, value: Any) -> bool:
    """Return whether a value is an integer; JSON schema would also take 4.0, which torch and Python do not."""
    return isinstance(value, int) and not isinstance(value, bool)


TYPES = Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer)
_Validator = validators.extend(Draft202012Validator, {"pattern": _pattern}, type_checker=TYPES)


def _without_version(file: Path) -> Any:
    """Return a schema without `$schema`, for which the library would use its own validator in place of ours."""
    return {key: value for key, value in read_yaml(file).items() if key != "$schema"}


def read_checked(file: Path | str, schema: Path | str | Mapping[str, Any]) -> Any:
    """Return the content of a YAML file.  Raises UserError, which names the wrong key, when it breaks the schema."""
    content = read_yaml(file)
    Schema(schema).check(content, file)
    return content


class Schema:
    """A JSON schema (draft 2020-12), given as a file or as a mapping.

    A ``$ref`` in a file names another file in the same folder.
    """

    def __init__(self, schema: Path | str | Mapping[str, Any]) -> None:
        folder = Path() if isinstance(schema, Mapping) else Path(schema).parent
        self.content: Any = schema if isinstance(schema, Mapping) else read_yaml(schema)
        retrieve = cache(lambda uri: DRAFT202012.create_resource(_without_version(folder / uri)))
        registry: Registry[Any] = Registry(retrieve=retrieve)  # type: ignore[call-arg]
        self._validator = _Validator(self.content, registry=registry, format_checker=FormatChecker(["regex"]))

    def check(self, value: Any, file: Path | str, *keys: str) -> None:
        """Raise UserError when ``value`` breaks the schema; ``file`` and ``keys`` say where ``value`` was read."""
        with reading(_place(file, keys), problem="not valid"):
            _check_plain(value, file, *keys)
            error = min(self._validator.iter_errors(value), key=_order, default=None)
        if error is not None:
            raise UserError(f"{_place(file, [*keys, *error.absolute_path])}: {self._explain(error)}")

    def _explain(self, error: ValidationError) -> str:
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
            missing = next(key for key in expected if key not in instance)
            return f"missing key '{missing}'"
        if error.validator == "enum":
            return unknown("value", instance, expected)
        if error.validator == "oneOf" and all("required" in alternative for alternative in expected):
            keys = [key for alternative in expected for key in alternative["required"]]
            return f"give exactly one of {', '.join(keys)}"
        if error.validator == "not":  # the library's message would print the subschema
            return f"{instance}: must be {description}"
        return error.message + (f" ({description})" if description else "")


def _order(error: ValidationError) -> tuple[list[str], bool]:
    """Return a sort key that puts outer errors first, and unknown keys first among the errors of one mapping."""
    return [str(key) for key in error.absolute_path], error.validator != "additionalProperties"
