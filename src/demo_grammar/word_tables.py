"""Read the word lists: tab-separated files in ``words/``, one for each word class, with a header row."""

import csv
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

Row = TypeVar("Row")
Tags = frozenset[str]

WORDS = Path(__file__).parent / "words"
_READ_AS: dict[Any, Callable[[str], Any]] = {
    str: str,
    bool: bool,  # "yes" or empty
    Tags: lambda cell: frozenset(cell.split()),
}


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of ``words/<name>.tsv`` in their order, each as a dictionary from column to cell."""
    with (WORDS / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))


def read_forms(name: str) -> dict[str, dict[str, str]]:
    """Return a table of irregular verbs, by infinitive."""
    return {row["infinitive"]: row for row in read_table(name)}


def read_words(kind: type[Row], name: str) -> list[Row]:
    """Return the rows of a table whose columns are fields of the dataclass ``kind``."""
    read_as = {field.name: _READ_AS[field.type] for field in fields(kind)}  # type: ignore[arg-type]
    return [
        kind(**{column: read_as[column](cell) for column, cell in row.items()}) for row in read_table(name)
    ]
