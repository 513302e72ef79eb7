"""Settings that are declared once, as the fields of dataclasses: type, range, default, meaning and section."""

from collections.abc import Mapping
from dataclasses import Field, field, fields
from operator import ge, gt, le, lt
from typing import Any, Literal, get_args, get_origin

from transformer.common.errors import UserError, similar, unknown

KINDS = {int: "a whole number", float: "a number", bool: "true or false"}
# The name of a bound → the comparison that a value passes, and its words.
BOUNDS = {
    "minimum": (ge, "at least"),
    "above": (gt, "above"),
    "maximum": (le, "at most"),
    "below": (lt, "below"),
}


def setting(
    default: Any,
    meaning: str,
    section: str = "",
    *,
    key: str = "",
    odd: bool = False,
    divisible: bool = False,
    later: bool = False,
    **bounds: float,
) -> Any:
    """Return the field of a dataclass that is a setting.

    ``default`` is the paper's value, or MISSING if every scale must give one; ``section`` is that of the paper, and
    ``key`` the name in config/ where it is not that of the field.  ``bounds`` are named as in ``BOUNDS``.  A scale can
    divide a ``divisible`` setting.  One that was added ``later`` than models were trained has the value of those models
    as its default, and is left out of every file where it has it (see :func:`recorded`).
    """
    own = {"meaning": meaning, "section": section, "key": key, "divisible": divisible, "later": later}
    return field(default=default, metadata=own | {"odd": odd, "bounds": bounds})


def settings_of(group: Any) -> dict[str, Field[Any]]:
    """Return the settings among the fields of a dataclass, by their keys in config/."""
    declared = [own for own in fields(group) if own.metadata]
    return {own.metadata["key"] or own.name: own for own in declared}


def recorded(config: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as they are written to files: without ``later`` settings at their defaults.

    So a new setting changes no byte of what was published, and no training starts again.  The class has the defaults:
    whoever reads such a file makes an instance of it.
    """
    return {
        own.name: getattr(config, own.name)
        for own in fields(config)
        if not own.metadata.get("later") or getattr(config, own.name) != own.default
    }


def check_fields(config: Any) -> None:
    """Raise ValueError for the first setting in a dataclass whose value breaks its declaration."""
    for own in settings_of(config).values():
        if wrong := problem(own, own.name, getattr(config, own.name)):
            raise ValueError(wrong)


def check_given(given: Mapping[str, Any], declared: Mapping[str, Field[Any]], where: str) -> None:
    """Raise UserError, which begins with ``where``, for an unknown key, or a value that breaks its declaration."""
    for key, value in given.items():
        if key not in declared:
            raise UserError(f"{where}: {unknown('key', key, declared)}")
        if wrong := problem(declared[key], key, value):
            raise UserError(f"{where}: {wrong}")


def problem(own: Field[Any], name: str, value: Any) -> str:
    """Return what is wrong with a value of a setting that is called ``name``, and what is valid; else an empty text."""
    options = get_args(own.type) if get_origin(own.type) is not Literal else ()
    kind, *others = options or (own.type,)
    # The values beside those of `kind`: null, or the words of a Literal.
    besides = [choice for other in others for choice in get_args(other) or [None]]
    if value in besides:
        return ""
    either = "".join(f" or {'null' if other is None else other}" for other in besides)
    said = f"{name} is {value!r}; it must be"
    if get_origin(kind) is Literal:
        choices = get_args(kind)
        # True == 1, and 1.0 == 1.
        if any(value == choice and type(value) is type(choice) for choice in choices):
            return ""
        return f"{said} one of {', '.join(map(str, choices))}{either};{similar(value, choices)}".rstrip(";")
    if type(value) is not kind and not (kind is float and type(value) is int):
        return f"{said} {KINDS[kind]}{either}"
    bounds = own.metadata["bounds"]
    odd = own.metadata["odd"]
    if (not odd or value % 2) and all(BOUNDS[name][0](value, bound) for name, bound in bounds.items()):
        return ""
    rules = [f"{BOUNDS[name][1]} {bound}" for name, bound in bounds.items()]
    return f"{said} {' and '.join(['odd'] * odd + rules)}"
