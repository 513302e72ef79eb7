"""What params.yaml changes in a scale, for one experiment (docs/dvc.md).

DVC writes this file, and every program that reads the configuration reads it here, Snakemake first.
"""

from pathlib import Path
from typing import Any

from transformer.common.errors import UserError
from transformer.common.yaml_files import Schema, read_yaml

FILE = "params.yaml"


def changes_file(root: Path | str = ".") -> Path | None:
    """Return the path of params.yaml in ``root``; None where there is none or ``root`` is not this project.

    Another project's params.yaml has other keys.
    """
    own = Path(root, "workflow", "schemas", "scale.schema.yaml").exists()
    file = Path(root, FILE)
    return file if own and file.exists() else None


def with_changes(
    scale: dict[str, Any], name: str, schema: Schema, root: Path | str
) -> tuple[dict[str, Any], str]:
    """Return the content of a scale's file as params.yaml changes it, checked, and what messages call the two.

    ``name`` is what they call the scale's file.  Raises UserError when the result breaks the scale's schema.
    """
    file = changes_file(root)
    changes = (file and read_yaml(file)) or {}
    if not isinstance(changes, dict):
        raise UserError(f"{FILE}: give keys of {name}, such as `settings:` and `runs:`")
    if not any(value not in ({}, None) for value in changes.values()):
        return scale, name
    both, name = changed(scale, changes), f"{FILE} on {name}"
    schema.check(both, name)
    return both, name


def changed(value: Any, change: Any) -> Any:
    """Return ``value`` with a change: mappings are joined key by key, and anything else is replaced."""
    if not isinstance(value, dict) or not isinstance(change, dict):
        return change
    return value | {key: changed(value.get(key), own) for key, own in change.items()}
