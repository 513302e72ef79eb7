"""Snakemake's record of how a file was made: its rule, its inputs, its command."""

from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError
from transformer.common.files import read_json

FOLDER = Path(".snakemake", "metadata")
LONGEST = 254  # characters of a name; Snakemake divides a longer one into folders


def record_of(made: str) -> dict[str, Any] | None:
    """Return Snakemake's record of a file, e.g. of ``results/table2.tex``; None if it has none."""
    name = urlsafe_b64encode(made.encode()).decode()
    *folders, last = (name[start : start + LONGEST] for start in range(0, len(name), LONGEST))
    path = FOLDER.joinpath(*(f"@{part}" for part in folders), last)
    if not path.exists():
        return None
    try:
        record = read_json(path)
    except UserError:  # damaged: Snakemake does without it, too
        return None
    return record if isinstance(record, dict) else None
