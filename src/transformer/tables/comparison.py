"""Comparison with the paper: each number that both have, the difference, and whether rows come in the same order.

The tables' own CSV files are the input, so that nothing is computed twice; whether rows differ clearly is judged by the
counts of each sentence, in the files beside the scores that the tables name.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.checksums import AGAIN, check_sums
from transformer.common.errors import UserError
from transformer.tables.evidence import differ_clearly, evidence_of, sentences_beside
from transformer.tables.rank_correlation import rank_correlation
from transformer.tables.scores_frame import DECODINGS
from transformer.tables.table2 import HEADLINE, MEASURES, scientific
from transformer.tables.table3 import OURS

# ``paper`` is as printed; ``ours`` is a number, or an expression in a row of Table 1. ``sd`` is its standard deviation
# over several ``seeds``; ``sentences`` is the file of the counts from which it is computed if it is of one run.
# ``is_ratio`` marks sizes and amounts of work, which are compared by ratio instead of difference.
# ``note`` is the table's warning that our figures are not on the paper's data.
COLUMNS = (
    "table row block quantity is_ratio paper ours sd seeds sentences scale corpus note scores scores_sha256"
).split()
TABLE1_NOTE = (
    "Ours: counted in the layers themselves; n positions of width d, kernels of width k, neighbourhoods of r"
)


def read_comparison(paths: Sequence[Path]) -> pd.DataFrame:
    """Read ``table2.csv`` and others: one row per number that both have, with ``COLUMNS`` and the text to show.

    Raises UserError for an unknown or outdated file, and when the tables are of several scales.
    """
    frame = pd.concat([numbers for path in paths for numbers in _read(path)], ignore_index=True)
    frame = frame[(frame["paper"] != "") & (frame["ours"] != "")].reset_index(drop=True)
    scales = frame[frame["scale"] != ""].drop_duplicates("scale")
    if len(scales) > 1:
        found = " and ".join(f"{row.table} is of scale '{row.scale}'" for row in scales.itertuples())
        raise UserError(f"{found}; compare tables of one scale")
    frame["ours"] = frame["ours"].astype(object)
    is_number = frame["table"] != "table1"
    frame.loc[is_number, "ours"] = frame.loc[is_number, "ours"].astype(float)
    frame["ours_text"] = [_ours_text(row) for row in frame.itertuples()]
    frame["difference_text"] = [_difference_text(row) for row in frame.itertuples()]
    frame["evidence"] = pd.Series(
        [evidence_of(row) for _, row in frame.iterrows()], frame.index, dtype=object
    )
    return frame


def orderings(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return how rows are ordered by each quality measure: over all rows, then over each lettered block with base.

    ``same``, ``reversed`` and ``tied`` count pairs of rows; ``clearly`` counts the reversed ones that differ beyond
    chance (see ``evidence.py``), and is None where that is not known.
    """
    rows = []
    ordered = numbers[~numbers["is_ratio"] & (numbers["table"] != "table1")]
    for (table, quantity), group in ordered.groupby(["table", "quantity"], sort=False):
        parts = {"all": group}
        for block in group["block"].unique():
            if len(block) == 1:
                parts[f"base, ({block})"] = group[group["block"].isin(["base", block])]
        for title, part in parts.items():
            found = rank_correlation(
                part["paper"].astype(float).tolist(), part["ours"].astype(float).tolist()
            )
            counts = {"same": found.same, "reversed": found.reversed, "clearly": _clearly_reversed(part)}
            coefficients = {"tied": found.tied, "kendall": found.kendall, "spearman": found.spearman}
            place = {"table": table, "quantity": quantity, "rows": title, "count": len(part)}
            rows.append(place | counts | coefficients)
    columns = "table quantity rows count same reversed clearly tied kendall spearman".split()
    return pd.DataFrame(rows, columns=columns, dtype=object)


def _read(path: Path) -> list[pd.DataFrame]:
    if path.stem not in READERS:
        raise UserError(f"{path}: not one of {', '.join(f'{name}.csv' for name in READERS)}")
    if not path.exists():
        raise UserError(f"{path}: no such file; make it with: snakemake --cores all {path}")
    check_sums(path.with_suffix(".sha256"), path)
    try:
        rows = pd.read_csv(path, dtype=str, keep_default_na=False)
        found = [part.assign(table=path.stem) for part in READERS[path.stem](rows)]
    except KeyError as error:
        raise UserError(f"{path}: no column {error}; delete the file and make it again") from None
    except (ValueError, pd.errors.InvalidIndexError) as error:  # an empty file, cells missing, a row twice
        raise UserError(f"{path}: not a table ({str(error).splitlines()[0][:100]}); {AGAIN}") from None
    parts = [part.reindex(columns=COLUMNS, fill_value="").astype({"is_ratio": bool}) for part in found]
    for part in parts:
        _check_numbers(path, part)
    return parts


def _check_numbers(path: Path, rows: pd.DataFrame) -> None:
    """Raise UserError when a cell is no number that should be one.  Those of Table 1 are expressions."""
    for name in ("paper", "ours", "sd") if path.stem != "table1" else ():
        for cell in rows[name][rows[name] != ""]:
            try:
                finite = math.isfinite(float(cell))
            except ValueError:
                finite = False
            if not finite:
                raise UserError(f"{path}: {name}: {str(cell)[:40]!r} is no number; {AGAIN}")


def _table1(rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the expressions; counts of a layer's operations have no scale and no corpus."""
    yield rows.assign(
        row=rows["layer"],
        quantity=rows["measure"].str.replace("_", " ").replace("flops", "complexity"),
        ours=rows["measured"],
        note=TABLE1_NOTE,
        scores=rows["layers"],
        scores_sha256=rows["layers_sha256"],
    )


def _table2(rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield BLEU by the paper's measure, and training cost, counted by us for the paper's runs and for ours."""
    paper = rows[rows["origin"] != "ours"].set_index("model")
    ours = rows[(rows["origin"] == "ours") & (rows["measure"] == MEASURES[HEADLINE])]
    ours = ours[ours["model"].isin(paper.index)]
    columns = [str(column) for column in rows.columns]
    pairs = [name.removeprefix("scores_sha256_") for name in columns if name.startswith("scores_sha256_")]
    for quantity, column, is_ratio in (("BLEU", "bleu", False), ("counted FLOPs", "training_flops", True)):
        for pair in pairs:
            sd = ours[f"bleu_{pair}_sd"]
            sentences = sentences_beside(ours[f"scores_{pair}"]).where(sd == "", "")
            yield ours.assign(
                row=ours["model"],
                quantity=f"{quantity}, {pair.upper()}",
                is_ratio=is_ratio,
                paper=ours["model"].map(paper[f"{column}_{pair}"]),
                ours=ours[f"{column}_{pair}"],
                sd="" if is_ratio else sd,
                sentences="" if is_ratio else sentences,
                scores=ours[f"scores_{pair}"],
                scores_sha256=ours[f"scores_sha256_{pair}"],
            )


def _table3(rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield perplexity and BLEU on the development set, and millions of parameters where the paper prints them."""
    rows = rows[rows["block"] != OURS]
    rows = rows.assign(row=rows["run"])
    one_seed = rows["bleu_sd"] == ""
    for quantity, name in (("PPL (dev)", "perplexity"), ("BLEU (dev)", "bleu")):
        found = rows.assign(
            quantity=quantity, paper=rows[f"{name}_paper"], ours=rows[name], sd=rows[f"{name}_sd"]
        )
        sentences = sentences_beside(rows["scores"]).where(one_seed, "")
        yield found.assign(sentences=sentences if name == "bleu" else "")
    for quantity, column in (
        ("params ×10⁶, 2017 code", "parameters_2017_code"),
        ("params ×10⁶", "parameters"),
    ):
        printed, ours = rows["parameters_paper_millions"], rows[column].astype(float) / 1e6
        yield rows.assign(quantity=quantity, is_ratio=True, paper=printed, ours=ours)


def _table4(rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield F1 of the decoding that the table shows."""
    ours = rows[(rows["origin"] == "ours") & (rows["decoding"] == DECODINGS["parses"])]
    yield ours.assign(
        row=ours["training"],
        quantity="F1",
        paper=ours["f1_paper"],
        ours=ours["f1"],
        sd=ours["f1_sd"],
        sentences=sentences_beside(ours["scores"]).where(ours["f1_sd"] == "", ""),
        corpus=ours["treebank"],
    )


READERS: dict[str, Callable[[pd.DataFrame], Iterator[pd.DataFrame]]] = {
    "table1": _table1,
    "table2": _table2,
    "table3": _table3,
    "table4": _table4,
}


def _ours_text(row: Any) -> str:
    """Return our number with the paper's precision; sizes below ten have two decimals."""
    if isinstance(row.ours, str):
        return row.ours
    if "e" in row.paper:
        return scientific(int(row.ours))
    decimals = _decimals(row.paper) or (2 if row.ours < 10 else 0)
    return f"{row.ours:.{decimals}f}"


def _difference_text(row: Any) -> str:
    """Return the difference, ``+54.0``, or the ratio, ``×0.0252``; nothing for expressions."""
    if isinstance(row.ours, str):
        return ""
    if row.is_ratio:
        return f"×{row.ours / float(row.paper):.3g}"
    return f"{row.ours - float(row.paper):+.{_decimals(row.paper)}f}"


def _decimals(printed: str) -> int:
    return len(printed.partition(".")[2])


def _clearly_reversed(rows: pd.DataFrame) -> int | None:
    """Return how many pairs of rows are reversed beyond chance; None if that is not known.

    It is not known if some rows have several seeds and others only one.
    """
    found = [(float(row["paper"]), row["ours"], row["evidence"]) for _, row in rows.iterrows()]
    kinds = {type(evidence) for *_, evidence in found}
    if type(None) in kinds or len(kinds) > 1:
        return None
    return sum(
        paper < next_paper and ours > next_ours and differ_clearly(evidence, next_evidence)
        for (paper, ours, evidence), (next_paper, next_ours, next_evidence) in permutations(found, 2)
    )
