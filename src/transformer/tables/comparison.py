"""Comparison with the paper: each number that both have, the difference, and whether rows come in the same order.

The tables' own CSV files are the input, so that nothing is computed twice; whether rows differ clearly is judged by the
counts of each sentence, in the files beside the scores that the tables name.
"""

import math
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from transformer.common.checksums import AGAIN, check_sums
from transformer.common.errors import UserError, reading
from transformer.scoring.bootstrap import LEVEL, SAMPLES, SEED
from transformer.scoring.significance import Trainings, clearly_above
from transformer.tables.scores import CONSTRAINED
from transformer.tables.seed_means import p_over_seeds
from transformer.tables.sentence_counts import beside, trainings
from transformer.tables.table2 import HEADLINE, MEASURES, scientific

# ``paper`` is as printed; ``ours`` is a number, or an expression in a row of Table 1.  ``sentences`` are the files, one
# for each seed, as words of a shell, of the counts from which it is computed.  ``is_ratio`` marks sizes and amounts of
# work, which are compared by ratio instead of difference.  ``note`` is the table's warning that ours are not on the
# paper's data.
COLUMNS = (
    "table row block quantity is_ratio paper ours sentences scale corpus note scores scores_sha256"
).split()
ORDERS = 9999  # random ones, by which τ-b is judged
TABLE1_NOTE = (
    "Ours: counted in the layers themselves; n positions of width d, kernels of width k, neighbourhoods of r"
)


def read_comparison(paths: Sequence[Path]) -> pd.DataFrame:
    """Return what ``read_numbers`` does of the numbers that both have, with the text to show."""
    frame = read_numbers(paths)
    frame = frame[frame["paper"] != ""].reset_index(drop=True)
    frame["ours_text"] = [_ours_text(row) for row in frame.itertuples()]
    frame["difference_text"] = [_difference_text(row) for row in frame.itertuples()]
    return frame


def read_numbers(paths: Sequence[Path]) -> pd.DataFrame:
    """Read ``table2.csv`` and others: one row for each number of ours, with ``COLUMNS``; the paper's may be blank.

    The column ``trainings`` has the scores of our trainings and those on resampled test sets, or None.  Raises
    UserError for an unknown or outdated file, and when the tables are of several scales.
    """
    frame = pd.concat([_read(path) for path in paths], ignore_index=True)
    if len(scales := set(frame["scale"]) - {""}) > 1:
        raise UserError(
            f"{paths[0]} and others: of the scales {', '.join(sorted(scales))}; compare one scale"
        )
    read = [_trainings(list(map(Path, shlex.split(paths)))) for paths in frame["sentences"]]
    frame["trainings"] = pd.Series(read, frame.index, dtype=object)
    return frame


def orderings(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return how rows are ordered by each quality measure: over all rows, then over each lettered block with base.

    ``same``, ``reversed`` and ``tied`` count pairs of rows; ``clearly`` counts the reversed ones that differ beyond
    chance, and is None where that is not known.
    """
    rows = []
    ordered = numbers[~numbers["is_ratio"] & (numbers["table"] != "table1")]
    for (table, quantity), group in ordered.groupby(["table", "quantity"], sort=False):
        parts = {"all": group}
        for block in group["block"].unique():
            if len(block) == 1:
                parts[f"base, ({block})"] = group[group["block"].isin(["base", block])]
        systems = dict(group["trainings"])
        for title, part in parts.items():
            place = {"table": table, "quantity": quantity, "rows": title, "count": len(part)}
            lists = part["paper"].astype(float), part["ours"].astype(float)
            found = rank_correlation(*lists) | chance(*lists)
            rows.append(place | found | {"clearly": _clearly_reversed(part, systems)})
    columns = "table quantity rows count same reversed clearly tied kendall low high p spearman".split()
    return pd.DataFrame(rows, columns=columns, dtype=object)


def rank_correlation(first: Iterable[float], second: Iterable[float]) -> dict[str, Any]:
    """Return how two lists of the same length order their items.

    ``same`` and ``reversed`` count the pairs of items that both lists put in the same order, and in opposite ones; in
    ``tied`` pairs at least one list has equal values.  Kendall's τ-b (Kendall 1945: ties shorten the possible range)
    and Spearman's ρ (Pearson's r of ranks) are in [-1, 1], or None where a list has no order.
    """
    lists = np.array([list(first), list(second)], dtype=float)
    pairs = np.triu_indices(lists.shape[1], 1)
    a, b = (signs[pairs] for signs in map(_signs, lists))
    same, other = int((a * b > 0).sum()), int((a * b < 0).sum())
    kendall = _kendall(a, b)
    has_order = not math.isnan(kendall)
    ranks = [pd.Series(values).rank() for values in lists]
    return {
        "same": same,
        "reversed": other,
        "tied": len(a) - same - other,
        "kendall": kendall if has_order else None,
        "spearman": float(ranks[0].corr(ranks[1])) if has_order else None,
    }


def chance(first: Iterable[float], second: Iterable[float]) -> dict[str, float | None]:
    """Return what Kendall's τ-b of two lists is worth: its p-value, and its bootstrap interval over the items.

    ``p`` is the share of random orders of one list whose τ-b is at least as far from 0, two-sided; one more order
    counts as such.  ``low`` and ``high`` are percentiles over items drawn with replacement, where an item that is drawn
    twice forms no pair with itself.  All are None where a list has no order.
    """
    a, b = (_signs(np.array(list(values), dtype=float)) for values in (first, second))
    if not a.any() or not b.any():
        return {"p": None, "low": None, "high": None}
    rng, n = np.random.default_rng(SEED), len(a)
    # The ties are the same in each order, so τ-b is proportional to the sum of the products of signs.
    observed = abs((a * b).sum())
    shuffled = (rng.permutation(n) for _ in range(ORDERS))
    as_far = sum(abs((a * b[np.ix_(order, order)]).sum()) >= observed for order in shuffled)
    drawn = (np.ix_(items, items) for items in rng.integers(n, size=(SAMPLES, n)))
    found = [_kendall(a[items], b[items]) for items in drawn]
    low, high = np.nanquantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return {"p": (as_far + 1) / (ORDERS + 1), "low": float(low), "high": float(high)}


def _signs(values: np.ndarray) -> np.ndarray:
    """Return for each two of the values (n,) whether the first is less, equal or greater: -1, 0 or 1, (n, n)."""
    return np.sign(np.subtract.outer(values, values)).astype(int)


def _kendall(a: np.ndarray, b: np.ndarray) -> float:
    """Return τ-b from the signs of the same pairs in two lists; NaN where one has no order."""
    untied = int((a != 0).sum()) * int((b != 0).sum())
    return int((a * b).sum()) / math.sqrt(untied) if untied else math.nan


def _read(path: Path) -> pd.DataFrame:
    """Return our numbers in a table."""
    check_sums(path.with_suffix(".sha256"), path)
    with reading(path, AGAIN, "not a table"):
        rows = pd.read_csv(path, dtype=str, keep_default_na=False)
        parts = [part.reindex(columns=COLUMNS, fill_value="") for part in READERS[path.stem](rows)]
        found = pd.concat(parts, ignore_index=True).assign(table=path.stem).astype({"is_ratio": bool})
        found = found[found["ours"] != ""]
        if path.stem == "table1":
            return found
        return found.assign(ours=found["ours"].astype(float).astype(object))


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
    ours = ours.assign(row=ours["model"])
    names = [str(column) for column in rows.columns]
    pairs = [name.removeprefix("scores_sha256_") for name in names if name.startswith("scores_sha256_")]
    for quantity, column, is_ratio in (("BLEU", "bleu", False), ("counted FLOPs", "training_flops", True)):
        for pair in pairs:
            found = ours.assign(
                quantity=f"{quantity}, {pair.upper()}",
                is_ratio=is_ratio,
                paper=ours["model"].map(paper[f"{column}_{pair}"]).fillna(""),
                ours=ours[f"{column}_{pair}"],
                scores=ours[f"scores_{pair}"],
                scores_sha256=ours[f"scores_sha256_{pair}"],
            )
            yield found if is_ratio else _with_sentences(found)


def _table3(rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield perplexity and BLEU on the development set, and millions of parameters where the paper prints them."""
    rows = rows.assign(row=rows["run"])
    perplexity = rows.assign(quantity="PPL (dev)", paper=rows["perplexity_paper"], ours=rows["perplexity"])
    yield _with_sentences(perplexity, "perplexity.csv")
    yield _with_sentences(rows.assign(quantity="BLEU (dev)", paper=rows["bleu_paper"], ours=rows["bleu"]))
    counts = {"params ×10⁶, 2017 code": "parameters_2017_code", "params ×10⁶": "parameters"}
    for quantity, column in counts.items():
        printed = rows["parameters_paper_millions"]
        ours = rows[column].map(lambda count: float(count) / 1e6 if count else "")
        yield rows.assign(quantity=quantity, is_ratio=True, paper=printed, ours=ours)


def _table4(rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield F1 of the decoding that the table shows."""
    ours = rows[(rows["origin"] == "ours") & (rows["decoding_method"] == CONSTRAINED)]
    found = ours.assign(
        row=ours["training"],
        quantity="F1",
        paper=ours["f1_paper"],
        ours=ours["f1"],
        corpus=ours["treebank"],
    )
    yield _with_sentences(found)


def _with_sentences(rows: pd.DataFrame, name: str | None = None) -> pd.DataFrame:
    """Return rows with the files of sentences beside their scores, of the same name or another."""
    paths = [list(map(beside, shlex.split(scores))) for scores in rows["scores"]]
    return rows.assign(
        sentences=[shlex.join(str(p.with_name(name or p.name)) for p in of_row) for of_row in paths]
    )


READERS: dict[str, Callable[[pd.DataFrame], Iterator[pd.DataFrame]]] = {
    "table1": _table1,
    "table2": _table2,
    "table3": _table3,
    "table4": _table4,
}


def _trainings(paths: Sequence[Path]) -> Trainings | None:
    """Return what is in the files of sentences; None if there are none, or not their folders: of published tables."""
    return trainings(paths) if paths and all(path.parent.is_dir() for path in paths) else None


def sentence_files(numbers: pd.DataFrame) -> list[Path]:
    """Return the files of sentences that the numbers were read with."""
    return [
        Path(path)
        for paths in numbers[numbers["trainings"].notna()]["sentences"]
        for path in shlex.split(paths)
    ]


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


def _clearly_reversed(rows: pd.DataFrame, systems: Mapping[Any, Trainings]) -> int | None:
    """Return how many pairs of rows are reversed beyond chance, all rows of the table being ``systems`` by index.

    None if that is not known.
    """
    if None in systems.values():
        return None
    has_seeds = any(len(system.values) > 1 for system in systems.values())
    items = zip(rows.index, rows["paper"].astype(float), rows["ours"], strict=True)
    return sum(
        paper < next_paper and ours > next_ours and _differ(one, other, systems, has_seeds)
        for (one, paper, ours), (other, next_paper, next_ours) in permutations(items, 2)
    )


def _differ(higher: Any, lower: Any, systems: Mapping[Any, Trainings], has_seeds: bool) -> bool:
    if has_seeds:
        return p_over_seeds(higher, lower, systems) < 1 - LEVEL
    return clearly_above(systems[higher].resampled[0], systems[lower].resampled[0])
