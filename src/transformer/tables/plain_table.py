"""A table as plain text, for a terminal: as many of its columns as fit, below each other in rows of equal width."""

from collections.abc import Sequence
from itertools import groupby

from transformer.tables.cells import Cell, Column, Table
from transformer.tables.render import mark_of, shown_cells

GAP = "  "  # between two columns


def plain_table(table: Table, width: int) -> tuple[list[str], int]:
    """Return heads and lines of a table in at most ``width`` columns of text, and how many of its columns are left out.

    The first column is always there, and columns with a common head are left out together.  That head stands above
    them once.  Bold type and footnotes are left to the Markdown file, and so are lines of which nothing fits.

    >>> table = Table("table2", [Column("label", ["Model"]), Column("bleu", ["EN-DE", "ours"])], [], [])
    >>> plain_table(table, 80)
    (['       EN-DE', 'Model  ours'], 0)
    """
    columns = list(table.columns)
    texts = [[_text(cell) for cell in cells] for cells in shown_cells(table, columns)]
    while True:
        rows = [*_heads(columns), *texts]
        widths = [max(len(row[number]) for row in rows) for number in range(len(columns))]
        if len(columns) == 1 or len(GAP) * (len(widths) - 1) + sum(widths) <= width:
            break
        last = columns[-1].heads[0]
        kept = max([1, *(n for n, column in enumerate(columns, start=1) if column.heads[0] != last)])
        columns, texts = columns[:kept], [row[:kept] for row in texts]
    lines = [GAP.join(text.ljust(most) for text, most in zip(row, widths, strict=True)) for row in rows]
    return [line.rstrip() for line in lines if line.strip()], len(table.columns) - len(columns)


def _text(cell: Cell) -> str:
    mark = mark_of(cell)
    return cell.shown + cell.spread + (f" {mark}" if mark else "")


def _heads(columns: Sequence[Column]) -> list[list[str]]:
    """Return a row for each level of the heads; a head is said once for the columns beside each other that share it."""
    levels = max(len(column.heads) for column in columns)
    heads = [[*[""] * (levels - len(column.heads)), *column.heads] for column in columns]
    rows = []
    for level in range(levels):
        row: list[str] = []
        for _, group in groupby(head[: level + 1] for head in heads):
            same = list(group)
            row += [same[0][level], *[""] * (len(same) - 1)]
        rows.append(row)
    return rows
