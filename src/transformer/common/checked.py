"""What people write in files, read by pydantic into typed objects; the first mistake is told in one line.

The line names the file, the key, what is right and, for a misspelled word, the nearest right one.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, WrapValidator
from pydantic_core import PydanticCustomError

from transformer.common.errors import UserError, similar, unknown
from transformer.common.yaml_files import read_yaml

T = TypeVar("T")

# What a value must be, by the kinds of pydantic's errors.
TYPES = {
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "a text",
    "string_unicode": "a text of whole characters",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "list_type": "a list",
    "literal_error": "{expected}",
}
RANGES = {
    "greater_than_equal": "at least {ge}",
    "greater_than": "above {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "below {lt}",
    "finite_number": "a finite number",
    "string_too_short": "of at least {min_length} characters",
    "string_too_long": "of at most {max_length} characters",
    "string_pattern_mismatch": "in the form of {pattern}",
    "too_short": "of at least {min_length} entries",
}


class Checked(BaseModel):
    """A mapping whose keys are the fields.  No text counts as a number, and no number as true or false."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def key(meaning: str, default: Any = ..., **limits: Any) -> Any:
    """Return the field of a class for a key, with what the page of all keys says of it."""
    return Field(default, description=meaning, **limits)


def _as_written(value: Any, check: Any) -> Any:
    check(value)
    return value


def _different(values: list[Any]) -> list[Any]:
    if any(value in values[:number] for number, value in enumerate(values)):
        raise PydanticCustomError("different", "without repetitions")
    return values


# A whole number stays one, so that files and commands repeat it as the user wrote it.
AS_WRITTEN = WrapValidator(_as_written)
Number = Annotated[float, AS_WRITTEN]
Text = Annotated[str, Field(min_length=1)]
Different = AfterValidator(_different)  # of a list whose entries are


def read_checked(file: Path | str, kind: Any) -> Any:
    """Return the content of a YAML file.  Raises UserError for the first thing in it that is not as ``kind`` says."""
    content = read_yaml(file)
    checked(kind, content, file)
    return content


def checked(kind: type[T], content: Any, file: Path | str, advice: str = "") -> T:
    """Return ``content``, which was read from ``file``, as an object of ``kind``, a class or a type such as a mapping.

    Raises UserError for the first mistake; ``advice`` is added to its line.
    """
    try:
        adapter: TypeAdapter[T] = _adapter(kind)  # type: ignore[arg-type]
        return adapter.validate_python(content)
    except ValidationError as error:
        line = _line(kind, content, error, str(file))
        raise UserError(f"{line}; {advice}" if advice else line) from None


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _line(kind: Any, content: Any, error: ValidationError, file: str) -> str:
    errors = [(_keys(content, found), found) for found in error.errors(include_url=False)]
    # A misspelled key is named before the one that is then missing.
    first, _ = min(errors, key=lambda item: item[1]["type"] != "extra_forbidden")
    # Of a value that may be of several kinds, pydantic tells each that it is not.
    keys = max((keys for keys, _ in errors if keys[: len(first)] == first), key=len)
    found = [found for others, found in errors if others == keys]
    _, meaning, is_optional = _declared(kind, keys)
    about = f" ({meaning})" if meaning else ""
    key = keys[-1] if keys else "the content"

    def at(keys: Sequence[Any]) -> str:
        return "".join(f"{part}: " for part in (file, ".".join(map(str, keys))) if part)

    match found[0]:
        case {"type": "missing"}:
            return f"{at(keys[:-1])}missing key '{key}'"
        case {"type": "value_error", "ctx": {"error": reason}}:
            return f"{at(keys)}{reason}"
        case {"type": "extra_forbidden"}:
            return f"{at(keys[:-1])}{unknown('key', key, _declared(kind, keys[:-1])[0])}"
        case {"type": "invalid_key"} | {"loc": (*_, "[key]")} if not isinstance(key, str):
            return f"{at(keys[:-1])}the key {key} is not text; put it in quotes"
        case {"loc": (*_, "[key]")}:
            return f"{at(keys[:-1])}unknown key '{key}'{about}"
    # A number out of its range need not hear that a word would do.
    ranges = [one for one in found if one["type"] not in TYPES]
    needed = _needed(ranges) if ranges else _needed(found) + " or null" * is_optional
    if found[0]["type"] == "string_pattern_mismatch" and meaning:
        needed, about = meaning, ""
    # A key stands in the message by itself, and the number of an entry behind the key of its list.
    named = 2 if isinstance(key, int) else 1
    name = ".".join(map(str, keys[-named:])) or key
    return f"{at(keys[:-named])}{name} is {found[0]['input']!r}; it must be {needed}{about}"


def _needed(errors: Iterable[Any]) -> str:
    """Return what is right where ``errors`` are, and the nearest of the right words."""
    words, close = [], ""
    for error in errors:
        limits: dict[str, Any] = {
            name: int(limit) if isinstance(limit, float) and limit.is_integer() else limit
            for name, limit in error.get("ctx", {}).items()
        }
        if error["type"] == "literal_error":
            names = limits["expected"].replace("'", "").replace(" or ", ", ").split(", ")
            limits["expected"] = "one of " * (len(names) > 1) + ", ".join(names)
            close = similar(error["input"], names)
        form = (TYPES | RANGES).get(error["type"])
        words.append(form.format(**limits) if form else error["msg"].removeprefix("Input should be "))
    return " or ".join(dict.fromkeys(words)) + (f";{close}" if close else "")


def _keys(content: Any, error: Any) -> list[Any]:
    """Return the keys in ``content`` that lead to an error; pydantic's place names the kinds that it tried as well."""
    keys = []
    for part in error["loc"]:
        if (isinstance(content, dict) and part in content) or (
            isinstance(content, list) and isinstance(part, int)
        ):
            content = content[part]
            keys.append(part)
    return [*keys, error["loc"][-1]] if error["type"] == "missing" else keys


def _declared(kind: Any, keys: Sequence[Any]) -> tuple[list[str], str, bool]:
    """Return the keys of the mapping at ``keys``, the meaning of the field there, and whether it may be null."""
    classes, meaning, is_optional = classes_in(kind), "", False
    for key in keys:
        fields = {name: field for one in classes for name, field in one.model_fields.items()}
        is_optional = key in fields and NoneType in get_args(fields[key].annotation)
        if key in fields:
            classes, meaning = classes_in(fields[key].annotation), fields[key].description or ""
    return [name for one in classes for name in one.model_fields], meaning, is_optional


def classes_in(kind: Any) -> list[type[BaseModel]]:
    """Return the classes of a type such as ``dict[str, Limits] | None``."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [kind]
    return [one for part in get_args(kind) for one in classes_in(part)]
