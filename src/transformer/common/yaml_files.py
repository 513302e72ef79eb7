"""Reading YAML files and checking their content against a JSON schema.  Each mistake is reported in one line."""

import difflib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from transformer.common.errors import UserError


def read_yaml(path: Path | str) -> Any:
    """Return the content of a YAML file.

    Raises UserError, which names the file and the line, when the file is missing or not YAML, or when a mapping has
    the same key twice.
    """
    try:
        return yaml.load(Path(path).read_text(encoding="utf-8"), Loader=_UniqueKeyLoader)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: not UTF-8 text") from None
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise UserError(f"{path}{line}: not valid YAML ({error.problem})") from None
    except yaml.YAMLError as error:  # a control character
        raise UserError(f"{path}: not valid YAML ({str(error).splitlines()[0]})") from None


class _UniqueKeyLoader(yaml.SafeLoader):
    """A loader that rejects duplicate keys, as YAML requires; PyYAML would silently keep the last value."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key '{key.value}' occurs twice", key.start_mark
                    )
                seen.add(key.value)
        return super().construct_mapping(node, deep)


class Schema:
    """A JSON schema (draft 2020-12), given as a file or as a mapping.

    A ``$ref`` in a file names another file in the same folder.  ``renamed`` maps old names of keys to their new names.
    """

    def __init__(
        self, schema: Path | str | Mapping[str, Any], renamed: Mapping[str, str] | None = None
    ) -> None:
        folder = Path() if isinstance(schema, Mapping) else Path(schema).parent
        self.content: Any = schema if isinstance(schema, Mapping) else read_yaml(schema)
        self._renamed = renamed or {}
        retrieve = cache(lambda uri: DRAFT202012.create_resource(read_yaml(folder / uri)))
        registry: Registry[Any] = Registry(retrieve=retrieve)  # type: ignore[call-arg]
        self._validator = Draft202012Validator(self.content, registry=registry)

    def check(self, value: Any, file: Path | str, *keys: str) -> None:
        """Raise UserError when ``value`` breaks the schema; ``file`` and ``keys`` say where ``value`` was read."""
        error = min(self._validator.iter_errors(value), key=_order, default=None)
        if error is not None:
            place = ".".join([*keys, *map(str, error.absolute_path)])
            raise UserError(f"{file}: {place + ': ' if place else ''}{self._explain(error)}")

    def _explain(self, error: ValidationError) -> str:
        """Return what is wrong and what is valid, in a few words."""
        schema: Any = error.schema
        expected: Any = error.validator_value
        instance: Any = error.instance
        if error.validator == "additionalProperties" and "properties" in schema:
            wrong = next(key for key in instance if key not in schema["properties"])
            if wrong in self._renamed:
                return f"unknown key '{wrong}'; it is now called '{self._renamed[wrong]}'"
            return unknown("key", wrong, schema["properties"])
        if error.validator == "required":
            missing = next(key for key in expected if key not in instance)
            return f"missing key '{missing}'"
        if error.validator == "enum":
            return unknown("value", instance, expected)
        if error.validator == "oneOf" and all("required" in alternative for alternative in expected):
            keys = [key for alternative in expected for key in alternative["required"]]
            return f"give exactly one of {', '.join(keys)}"
        description = schema.get("description")
        if error.validator == "not":  # the library's message would print the subschema
            return f"{instance}: must be {description}"
        return error.message + (f" ({description})" if description else "")


def _order(error: ValidationError) -> tuple[list[str], bool]:
    """Return a sort key that puts outer errors first, and unknown keys first among the errors of one mapping."""
    return [str(key) for key in error.absolute_path], error.validator != "additionalProperties"


def unknown(kind: str, wrong: Any, valid: Iterable[Any]) -> str:
    """Return a message that names the wrong value, the valid one closest to it, and all valid ones."""
    names = [str(name) for name in valid]
    close = difflib.get_close_matches(str(wrong), names, n=1)
    guess = f" did you mean '{close[0]}'?" if close else ""
    return f"unknown {kind} '{wrong}';{guess} valid: {', '.join(names)}"
