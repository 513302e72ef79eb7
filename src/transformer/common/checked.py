"""What people write in files, read by pydantic into typed objects; the first mistake is told in one line.

The line names the file, the key, what is right and, for a misspelled word, the nearest right one.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, WrapValidator
from pydantic_core import PydanticCustomError

from transformer.common.errors import UserError, similar, unknown
from transformer.common.yaml_files import read_yaml

T = TypeVar("T")


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
    place, above = (".".join(map(str, part)) for part in (keys, keys[:-1]))
    key, meaning = (keys or [""])[-1], _declared(kind, keys)[1]
    about = f" ({meaning})" if meaning else ""
    match found[0]:
        case {"type": "missing"}:
            told = above, f"missing key '{key}'"
        case {"type": "value_error", "ctx": {"error": reason}}:
            told = place, str(reason)
        case {"type": "extra_forbidden"}:
            told = above, unknown("key", key, _declared(kind, keys[:-1])[0])
        case {"type": "invalid_key"} | {"loc": (*_, "[key]")} if not isinstance(key, str):
            told = above, f"the key {key} is not text; put it in quotes"
        case {"loc": (*_, "[key]")}:
            told = above, f"unknown key '{key}'{about}"
        case {"type": "string_pattern_mismatch", "input": value} if (
            meaning
        ):  # and not by its regular expression
            told = "", f"{place} is {value!r}; it must be {meaning}"
        case {"input": value}:
            told = "", f"{place or 'the content'} is {value!r}; it must {_needed(found)}{about}"
    return ": ".join(filter(None, (file, *told)))


def _needed(errors: Iterable[Any]) -> str:
    """Return what is right where ``errors`` are, in pydantic's words, and the nearest of the right words."""
    needed, close = [], ""
    for error in errors:
        message = error["msg"].partition(" or instance of ")[0]
        needed.append(message.partition(" should ")[2] or f"be {message}")
        if error["type"] == "literal_error":
            close = similar(error["input"], re.findall("'(.*?)'", error["ctx"]["expected"]))
    return " or ".join(dict.fromkeys(needed)) + (f";{close}" if close else "")


def _keys(content: Any, error: Any) -> list[Any]:
    """Return the keys in ``content`` that lead to an error; pydantic's place names the kinds that it tried as well."""
    keys = []
    for part in error["loc"]:
        entries = dict(enumerate(content)) if isinstance(content, list) else content
        if isinstance(entries, dict) and part in entries:
            # Pydantic takes a key `no`, which is false in YAML, for 0.
            keys += [name for name in entries if name == part]
            content = entries[part]
    return [*keys, error["loc"][-1]] if error["type"] == "missing" else keys


def _declared(kind: Any, keys: Sequence[Any]) -> tuple[list[str], str]:
    """Return the keys of the mapping at ``keys``, and the meaning of the field there."""
    classes, meaning = classes_in(kind), ""
    for key in keys:
        fields = {name: field for one in classes for name, field in one.model_fields.items()}
        if key in fields:
            classes, meaning = classes_in(fields[key].annotation), fields[key].description or ""
    return [name for one in classes for name in one.model_fields], meaning


def classes_in(kind: Any) -> list[type[BaseModel]]:
    """Return the classes of a type such as ``dict[str, Limits] | None``."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [kind]
    return [one for part in get_args(kind) for one in classes_in(part)]
