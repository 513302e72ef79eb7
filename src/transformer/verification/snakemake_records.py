"""Snakemake's record of how a file was made: its rule, its inputs, its parameters."""

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError
from transformer.common.files import read_json

FOLDER = Path(".snakemake", "metadata")
LONGEST = 254  # characters of a name; Snakemake puts longer ones into folders


def record_of(made: str) -> dict[str, Any] | None:
    """Return Snakemake's record of a file with a short name, e.g. ``results/table2.tex``; None if it has none."""
    name = urlsafe_b64encode(made.encode()).decode()
    path = FOLDER / name
    if len(name) > LONGEST or not path.exists():
        return None
    try:
        record = read_json(path)
    except UserError:  # damaged: Snakemake does without it, too
        return None
    return record if isinstance(record, dict) else None


def is_made_from(record: Mapping[str, Any], folder: str) -> bool:
    """Return whether a file with this record was made from files in ``folder``."""
    return any(str(path).startswith(f"{folder}/") for path in record.get("input") or ())
