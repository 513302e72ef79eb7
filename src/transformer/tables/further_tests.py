"""The table of test sets: BLEU of the runs of Table 2 on the scale's own test set and on those of ``further_tests``."""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import pandas as pd

from transformer.tables.latex_text import escape
from transformer.tables.literature import Literature
from transformer.tables.runs import Run
from transformer.tables.scores import scores_of
from transformer.tables.seed_means import over_seeds, spread_note
from transformer.tables.table import Column, Table, four_decimals, numbers
from transformer.tables.table2 import measure_note, warning_of

# The lines of each run: a measure and its lower-cased form (scoring/bleu.py).
RULES = {
    "multi_bleu_split": "Moses tokens, compounds split",
    "multi_bleu": "Moses tokens",
    "sacrebleu": "sacreBLEU",
}
LOWER = "_lowercased"
CASES = {"": "cased", LOWER: "lower-cased"}
NAMES = {
    "value": "bleu",
    "low": "bleu_low",
    "high": "bleu_high",
    "path": "scores",
    "sha256": "scores_sha256",
}
COLUMNS = (
    "test_set run pair seed sentences measure headline bleu bleu_low bleu_high scale corpus note scores scores_sha256"
).split()


def build_test_sets(literature: Literature, runs: Sequence[Run], further: Sequence[Run]) -> Table:
    """Return the scores of ``runs`` on the scale's own test set, then those of ``further`` on the others."""
    all_runs = [*runs, *further]
    warning, spread = warning_of(literature, runs[0]), spread_note(all_runs)
    scores = scores_of(all_runs)
    scores = scores[scores["test_set"].ne("") & scores["measure"].str.removesuffix(LOWER).isin(RULES)]
    sentences = {run.path("scores").as_posix(): run.content["scores"]["sentences"] for run in all_runs}
    bleu = scores.assign(sentences=scores["path"].map(sentences), note=warning)
    data = bleu.assign(**{name: bleu[name].map(four_decimals) for name in ("value", "low", "high")})
    measures = measure_note(all_runs, list(dict.fromkeys(run.pair for run in all_runs)))
    rows = _rows(bleu)
    columns = _columns(rows, bleu["pair"].unique())
    return Table(
        "test_sets",
        data.rename(columns=NAMES)[COLUMNS],
        columns,
        numbers("test_sets", scores),
        all_runs,
        above=[
            "# BLEU on each test set",
            f"**{warning}.**",
            f"BLEU on each test set. {spread} Each set is translated and scored by itself, with the models of "
            f"Table 2. {measures}",
        ],
        caption=f"BLEU of the runs of Table 2 on each test set. {warning}. {spread}",
        notes=[measures],
        column_format=f"@{{}}ll{'c' * (len(columns) - 3)}@{{}}",
        blocks=[row["title"] for row in rows],
        titles={n: escape(row["title"]) for n, row in enumerate(rows) if row["is_first"]},
        comments=[row["files"] for row in rows],
    )


def _rows(bleu: pd.DataFrame) -> list[dict[Any, Any]]:
    """Return a row for each test set, run and kind of tokens, with the cell of each pair and case that there is."""
    scores = over_seeds(bleu, ["test_set", "run", "pair", "measure"])
    lines = list(product(bleu["run"].unique(), RULES))
    rows = []
    for test_set, counts in bleu.groupby("test_set", sort=False)["sentences"]:
        title = f"{test_set} ({' and '.join(map(str, counts.unique()))} sentences)"
        for run, rules in lines:
            row: dict[Any, Any] = {
                "title": title,
                "is_first": (run, rules) == lines[0],
                "run": run,
                "rules": rules,
            }
            files: dict[str, None] = {}
            for pair, case in product(bleu["pair"].unique(), CASES):
                if score := scores.get((test_set, run, pair, f"{rules}{case}")):
                    row[pair, case] = score.text
                    files[score.files] = None
            rows.append(row | {"files": "; ".join(files)})
    return rows


def _columns(rows: Sequence[dict[Any, Any]], pairs: Iterable[str]) -> list[Column]:
    runs = [row["run"] for row in rows]
    first = next(iter(RULES))
    return [
        Column("Test set", None, [row["title"] for row in rows]),
        Column("Run", ("", "run"), runs, [escape(row["run"]) * (row["rules"] == first) for row in rows]),
        Column("BLEU of", ("", "BLEU of"), [RULES[row["rules"]] for row in rows]),
        *(
            Column(
                f"{pair.upper()}, {about}", (pair.upper(), about), [row.get((pair, case), "") for row in rows]
            )
            for pair, (case, about) in product(pairs, CASES.items())
        ),
    ]
