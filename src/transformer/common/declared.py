"""Settings that are declared once, as the fields of dataclasses: type, range, default, meaning and consequences."""

import dataclasses
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin

from transformer.common.errors import reading, similar
from transformer.common.schema import problem

T = TypeVar("T")

# The type of a field → that of its values in JSON schema.
TYPES = {int: "integer", float: "number", bool: "boolean"}


def setting(
    default: Any,
    meaning: str,
    section: str = "",
    *,
    key: str = "",
    divisible: bool = False,
    later: Any = MISSING,
    changes: str = "",
    held: Mapping[str, tuple[Any, ...] | None] | None = None,
    **bounds: Any,
) -> Any:
    """Return the field of a dataclass that is a setting.

    ``default`` is the paper's value, or MISSING if every scale must give one; ``section`` is that of the paper, and
    ``key`` the name in config/ where it is not that of the field.  ``bounds`` are keywords of JSON schema.  A scale can
    divide a ``divisible`` setting.  ``later`` is for one that was added when there were models: their value, which is
    also the default, and is left out of every file (see :func:`recorded`).  ``changes`` says what another value
    changes, if that is not what the class's ``CHANGES`` says.  ``held`` names the formats of exported models,
    and the page, that hold the setting, with the values that they hold, or None for any; in others it has its default.

    Raises ValueError for another default than that of models without the setting, which would be read as having it.
    """
    if later not in (MISSING, default):
        raise ValueError(
            f"the default {default!r} ({meaning}) must be {later!r}, since files without the setting mean that; set "
            f"{default!r} in config/ instead"
        )
    metadata = {"meaning": meaning, "section": section, "key": key, "divisible": divisible}
    metadata |= {"bounds": bounds, "changes": changes, "held": held or {}, "later": later is not MISSING}
    return dataclasses.field(default=default, metadata=metadata)


def settings_of(group: Any) -> dict[str, Field[Any]]:
    """Return the settings among the fields of a dataclass, by their keys in config/."""
    declared = [field for field in fields(group) if "meaning" in field.metadata]
    return {field.metadata["key"] or field.name: field for field in declared}


def changes_of(group: Any, field: Field[Any]) -> str:
    """Return what another value of a setting of ``group`` changes, as config/README.md says it."""
    return str(field.metadata["changes"] or group.CHANGES)


def held_values(field: Field[Any], holder: str) -> tuple[Any, ...] | None:
    """Return the values of a field that an exported model or the page holds; None for any."""
    values: tuple[Any, ...] | None = field.metadata.get("held", {}).get(holder, (field.default,))
    return values


def recorded(config: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as they are written to files: without ``later`` settings at their defaults.

    So a new setting changes no byte of what was published, and no training starts again.  The class has the defaults:
    whoever reads such a file makes an instance of it.
    """
    return {
        field.name: getattr(config, field.name)
        for field in fields(config)
        if not field.metadata.get("later") or getattr(config, field.name) != field.default
    }


def schema_of(field: Field[Any]) -> dict[str, Any]:
    """Return what a value of a setting must be, as JSON schema."""
    is_choice = get_origin(field.type) is Literal
    kinds = (field.type,) if is_choice else get_args(field.type) or (field.type,)
    choices = [_schema_of_kind(kind, field) for kind in kinds]
    return choices[0] if len(choices) == 1 else {"anyOf": choices}


def _schema_of_kind(kind: Any, field: Field[Any]) -> dict[str, Any]:
    if get_origin(kind) is Literal:
        return {"enum": list(get_args(kind))}
    if kind is type(None):
        return {"type": "null"}
    return {"type": TYPES[kind], **field.metadata["bounds"]}


def made_of(group: type[T], content: Mapping[str, Any], path: Path, advice: str) -> T:
    """Return an instance of ``group`` with the settings that were read from the file ``path``.

    Raises UserError for a setting that the group does not have, for one that is missing, and for a wrong value.
    """
    known = {field.name: field.default is MISSING for field in fields(group)}  # type: ignore[arg-type]
    with reading(path, advice, "not a valid config", raises=(ValueError,)):
        for name in content:
            if name not in known:
                raise ValueError(f"there is no setting '{name}'{similar(name, known)}")
        for name, needed in known.items():
            if needed and name not in content:
                raise ValueError(f"no '{name}'")
        return group(**content)


def check_fields(config: Any) -> None:
    """Raise ValueError for the first setting in a dataclass whose value breaks its declaration."""
    for field in settings_of(config).values():
        if text := problem(getattr(config, field.name), schema_of(field), field.name):
            raise ValueError(text)
