"""Read the tables of words: tab-separated files in ``words/``, one for each word class, with a header row.

The columns of a table are the fields of a dataclass.  A field's type says what its cells hold, and a cell may be empty
only if the field has a default.  The first wrong cell raises :class:`WordError`.
"""

from dataclasses import MISSING, fields
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

Row = TypeVar("Row")
Tags = frozenset[str]

WORDS = Path(__file__).parent / "words"


class WordError(ValueError):
    """Raised when a table of words is wrong; the message, one line, says where and what it should be."""

    def __init__(self, table: str, line: int, problem: str) -> None:
        super().__init__(f"{WORDS / table}.tsv, line {line}: {problem}")


def read_words(kind: type[Row], table: str, **verbs: dict[str, Any]) -> list[Row]:
    """Return the rows of ``words/<table>.tsv``, each as a ``kind``.

    The column ``german`` names a verb if ``german`` is among ``verbs``, by infinitive; so do the other languages.
    """
    types = get_type_hints(kind)
    optional = {field.name for field in fields(kind) if field.default is not MISSING}  # type: ignore[arg-type]
    try:
        header, *lines = (WORDS / f"{table}.tsv").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        raise WordError(table, 1, "the file is not UTF-8") from None
    columns = f"{len(types)} columns, separated by tabs: {' '.join(types)}"
    if header.split("\t") != list(types):
        raise WordError(table, 1, f"the header must name {columns}")
    rows = []
    for number, line in enumerate(lines, start=2):
        cells = line.split("\t")
        if len(cells) != len(types):
            raise WordError(table, number, f"it has {len(cells)} cells, but there are {columns}")
        values = {}
        for (column, cell_type), cell in zip(types.items(), cells, strict=True):
            if not cell and column in optional:
                continue
            try:
                values[column] = _value(cell, cell_type)
            except ValueError as problem:
                raise WordError(table, number, f"{column} is {cell!r}; {problem}") from None
            if column in verbs:
                if cell not in verbs[column]:
                    raise WordError(table, number, f"add the forms of {cell!r} to {column}_verbs.tsv")
                values[column] = verbs[column][cell]
        rows.append(kind(**values))
    return rows


def read_by_word(kind: type[Row], table: str) -> dict[str, Row]:
    """Return the rows of a table by the word in their first column, which is listed once."""
    rows: dict[str, Row] = {}
    for number, row in enumerate(read_words(kind, table), start=2):
        word = getattr(row, fields(kind)[0].name)  # type: ignore[arg-type]
        if word in rows:
            raise WordError(table, number, f"{word!r} is listed twice")
        rows[word] = row
    return rows


def _value(cell: str, cell_type: Any) -> Any:
    """Return what a cell says; raise ValueError if its type does not allow it."""
    if isinstance(cell_type, UnionType):  # with None, for a cell that is empty
        cell_type = get_args(cell_type)[0]
    origin, allowed = get_origin(cell_type), get_args(cell_type)
    words = cell.split()
    if not words or " ".join(words) != cell:
        raise ValueError("it must hold words with one space between them")
    if origin is tuple:
        if len(words) != len(allowed):
            raise ValueError(f"it must hold {len(allowed)} forms")
        return tuple(words)
    if cell_type is bool:
        allowed = ("yes",)
    elif origin is frozenset:
        allowed = get_args(allowed[0])
    if allowed and not set(words) <= set(allowed):
        raise ValueError(f"allowed are: {' '.join(allowed)}")
    if origin is frozenset:
        return frozenset(words)
    return True if cell_type is bool else cell
