"""The paper against ours: each number that both have, the difference, and whether rows come in the same order.

Read from the tables' own CSV files, so that nothing is computed twice.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from transformer.common.errors import UserError
from transformer.tables.rank_correlation import RankCorrelation, rank_correlation
from transformer.tables.table2 import MEASURES, PAIRS, PAPER_MEASURE, scientific
from transformer.tables.table4 import DECODINGS

Row = Mapping[str, str]


@dataclass(frozen=True)
class Origin:
    """Where a number of ours is from: what was trained on what, and the files that say so.

    ``note`` is the table's own line that keeps it from being taken for a figure of the paper's data.
    """

    scale: str
    corpus: str
    note: str
    scores: str
    sha256: str


@dataclass(frozen=True)
class Number:
    """A number of the paper, as printed, and ours; or an expression, which is a string on both sides.

    ``ratio``: it is a size or an amount of work, of which not the difference but the ratio says something.
    ``interval``: of ours, by bootstrap over sentences, where the table has one.
    """

    table: str
    row: str
    block: str
    quantity: str
    paper: str
    ours: float | str
    origin: Origin
    ratio: bool = False
    interval: tuple[float, float] | None = None

    @property
    def ours_text(self) -> str:
        """Ours, as precisely as the paper prints its own; sizes below ten with two decimals."""
        if isinstance(self.ours, str):
            return self.ours
        if "e" in self.paper:
            return scientific(int(self.ours))
        decimals = _decimals(self.paper) or (2 if self.ours < 10 else 0)
        return f"{self.ours:.{decimals}f}"

    @property
    def difference_text(self) -> str:
        """``+54.0``, or the ratio: ``×0.0252``; nothing between expressions."""
        if isinstance(self.ours, str):
            return ""
        if self.ratio:
            return f"×{self.ours / float(self.paper):.3g}"
        return f"{self.ours - float(self.paper):+.{_decimals(self.paper)}f}"


@dataclass(frozen=True)
class Ordering:
    """One quantity of some rows of a table, and how far paper and ours agree on their order.

    ``clearly``: how many of the reversed pairs have intervals that do not overlap; None where there are none.
    """

    table: str
    quantity: str
    rows: str
    count: int
    correlation: RankCorrelation
    clearly: int | None


@dataclass(frozen=True)
class Comparison:
    """All numbers, in the tables' order."""

    numbers: tuple[Number, ...]

    @property
    def scale(self) -> str:
        """The one that every table with a scale is of."""
        return next((number.origin.scale for number in self.numbers if number.origin.scale), "")

    @property
    def corpora(self) -> list[str]:
        """What ours were trained on, each once."""
        return list(dict.fromkeys(number.origin.corpus for number in self.numbers if number.origin.corpus))

    @property
    def tables(self) -> list[str]:
        """``table2`` …"""
        return list(dict.fromkeys(number.table for number in self.numbers))

    @property
    def orderings(self) -> list[Ordering]:
        """Of each quantity that says how good a model is: all rows, then each lettered block with base."""
        return [ordering for table in self.tables for ordering in _orderings(self.of(table))]

    def of(self, table: str) -> list[Number]:
        """The numbers of one table."""
        return [number for number in self.numbers if number.table == table]


def read_comparison(paths: Sequence[Path]) -> Comparison:
    """Read ``table2.csv`` and others.

    Raises UserError for a file that is none of them or an older one, and when they are of several scales.
    """
    numbers = tuple(number for path in paths for number in _read(path))
    scales = {number.origin.scale: number.table for number in numbers if number.origin.scale}
    if len(scales) > 1:
        found = " and ".join(f"{table} is of scale '{scale}'" for scale, table in scales.items())
        raise UserError(f"{found}; compare tables of one scale")
    return Comparison(numbers)


def _read(path: Path) -> list[Number]:
    if path.stem not in READERS:
        raise UserError(f"{path}: not one of {', '.join(f'{name}.csv' for name in READERS)}")
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return list(READERS[path.stem](list(csv.DictReader(file))))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; make it with: snakemake --cores all {path}") from None
    except KeyError as error:
        raise UserError(f"{path}: no column {error}; delete the file and make it again") from None


def _table1(rows: list[Row]) -> Iterator[Number]:
    """The expressions; what was counted of layers has no scale and no corpus."""
    note = "Ours: counted in the layers themselves; n positions of width d, kernels of width k, neighbourhoods of r"
    for row in rows:
        origin = Origin("", "", note, row["layers"], row["layers_sha256"])
        quantity = "complexity" if row["measure"] == "flops" else row["measure"].replace("_", " ")
        yield Number("table1", row["layer"], "", quantity, row["paper"], row["measured"], origin)


def _table2(rows: list[Row]) -> Iterator[Number]:
    """BLEU by the paper's measure, and training cost: the paper's estimate against our count."""
    paper = {row["model"]: row for row in rows if row["origin"] != "ours"}
    measure = MEASURES[PAPER_MEASURE]
    ours = [
        row for row in rows if (row["origin"], row["measure"]) == ("ours", measure) and row["model"] in paper
    ]
    for quantity, column, ratio in (("BLEU", "bleu", False), ("training FLOPs", "training_flops", True)):
        for pair in PAIRS:
            for row in ours:
                printed, value = paper[row["model"]][f"{column}_{pair}"], row[f"{column}_{pair}"]
                if printed and value:
                    title = f"{quantity}, {pair.upper()}"
                    origin = _origin(row, f"_{pair}")
                    interval = None if ratio else _interval(row, f"{column}_{pair}")
                    yield Number(
                        "table2", row["model"], "", title, printed, float(value), origin, ratio, interval
                    )


def _table3(rows: list[Row]) -> Iterator[Number]:
    """Perplexity and BLEU on the development set, and millions of parameters where the paper prints them."""
    for row in rows:
        value = float(row["perplexity"])
        yield Number(
            "table3", row["run"], row["block"], "PPL (dev)", row["perplexity_paper"], value, _origin(row)
        )
    for row in rows:
        value, interval = float(row["bleu"]), _interval(row, "bleu")
        yield Number(
            "table3",
            row["run"],
            row["block"],
            "BLEU (dev)",
            row["bleu_paper"],
            value,
            _origin(row),
            False,
            interval,
        )
    for quantity, column in (
        ("params ×10⁶, 2017 code", "parameters_2017_code"),
        ("params ×10⁶", "parameters"),
    ):
        for row in rows:
            if printed := row["parameters_paper_millions"]:
                value = float(row[column]) / 1e6
                yield Number("table3", row["run"], row["block"], quantity, printed, value, _origin(row), True)


def _table4(rows: list[Row]) -> Iterator[Number]:
    """F1 of the decoding that the table shows."""
    for row in rows:
        if (row["origin"], row["decoding"]) == ("ours", DECODINGS["parses"]):
            origin = _origin({**row, "corpus": row["treebank"]})
            value, interval = float(row["f1"]), _interval(row, "f1")
            yield Number("table4", row["training"], "", "F1", row["f1_paper"], value, origin, False, interval)


READERS: dict[str, Callable[[list[Row]], Iterator[Number]]] = {
    "table1": _table1,
    "table2": _table2,
    "table3": _table3,
    "table4": _table4,
}


def _origin(row: Row, suffix: str = "") -> Origin:
    files = row[f"scores{suffix}"], row[f"scores_sha256{suffix}"]
    return Origin(row["scale"], row["corpus"], row["note"], *files)


def _interval(row: Row, column: str) -> tuple[float, float] | None:
    """Blank in a table of several seeds."""
    low, high = row[f"{column}_low"], row[f"{column}_high"]
    return (float(low), float(high)) if low and high else None


def _orderings(numbers: list[Number]) -> Iterator[Ordering]:
    ordered = [number for number in numbers if not (number.ratio or isinstance(number.ours, str))]
    for quantity in dict.fromkeys(number.quantity for number in ordered):
        rows = [number for number in ordered if number.quantity == quantity]
        yield _ordering("all", rows)
        for block in dict.fromkeys(number.block for number in rows if len(number.block) == 1):
            yield _ordering(f"base, ({block})", [row for row in rows if row.block in ("base", block)])


def _ordering(title: str, rows: list[Number]) -> Ordering:
    correlation = rank_correlation([float(row.paper) for row in rows], [float(row.ours) for row in rows])
    return Ordering(rows[0].table, rows[0].quantity, title, len(rows), correlation, _clearly_reversed(rows))


def _clearly_reversed(rows: list[Number]) -> int | None:
    ordered = sorted(rows, key=lambda row: float(row.paper))
    intervals = [(float(row.paper), row.interval) for row in ordered if row.interval]
    if len(intervals) < len(rows):
        return None
    return sum(
        first < second and low > high for (first, (low, _)), (second, (_, high)) in combinations(intervals, 2)
    )


def _decimals(printed: str) -> int:
    return len(printed.partition(".")[2])
