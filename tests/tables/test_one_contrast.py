"""One contrast has one p-value, and rows of a user's own or of another language pair change nothing of the paper's."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_runs import PAPER_SETTINGS, ROOT, make_last_run, make_run
from rendered import PAPER

from transformer.tables.cells import Table
from transformer.tables.claims import Judgement, judge
from transformer.tables.claims_file import read_claims
from transformer.tables.runs import read_runs
from transformer.tables.scored_rows import scored_rows
from transformer.tables.table2 import build_table2
from transformer.tables.table3 import build_table3

SEEDS = (1, 2, 3)
CLAIMS = read_claims(ROOT / "resources" / "claims.yaml")
ROWS = [row["run"] for row in PAPER.variations]
# Trainings that nothing but chance tells apart from each other, but of a far larger spread than the paper's rows.
UNSTABLE = (1.0, 30.0, 2.0)
OWN_CLAIM = {"claim": "Mine is better.", "source": "ours", "quantities": ["PPL (dev)"]}


def table2(names: Iterable[str], pairs: Iterable[str]) -> Table:
    """Big is ten BLEU above base in both pairs; those of the seeds vary by 5 EN-DE and by 20 EN-FR."""
    scores: dict[tuple[str, str, int], float] = {
        (run, pair, seed): bleu + spread * (seed % 3)
        for pair, spread in (("en-de", 5), ("en-fr", 20))
        for run, bleu in (("base", 50), ("big", 60))
        for seed in SEEDS
    }
    scores |= {("mine", pair, seed): 40 + UNSTABLE[seed - 1] for pair in ("en-de", "en-fr") for seed in SEEDS}
    folders = [
        make_run(run, pair, bleu=bleu, seed=seed)
        for (run, pair, seed), bleu in scores.items()
        if run in names and pair in pairs
    ]
    return build_table2(PAPER, read_runs(folders), pairs=list(pairs))


def table3(more: Iterable[str] = ()) -> Table:
    """The paper's rows, each of which has another perplexity and BLEU than base."""
    rng = np.random.default_rng(3)
    runs = []
    for place, run in enumerate([*ROWS, "mine", "other"]):
        for seed in SEEDS:
            bleu, perplexity = 30 + 5 * (place % 8) + 5 * rng.normal(), 5 + place / 10 + rng.normal() / 10
            if run in ("mine", "other"):
                bleu, perplexity = 20 + UNSTABLE[seed - 1], 2 + UNSTABLE[seed - 1]
            if run in ROWS or run in more:
                folder = Path("runs", f"{run}-seed{seed}", "en-de")
                runs.append(make_last_run(folder, run, seed=seed, bleu=bleu, perplexity=perplexity))
    return build_table3(PAPER, runs, PAPER_SETTINGS)


def claims_of(tables: Iterable[Table], *own: dict[str, Any]) -> list[Judgement]:
    """What is said of the claims on these tables."""
    return judge([*own, *CLAIMS], scored_rows(tables), PAPER)


def cells_of(table: Table) -> dict[tuple[str, str, str], tuple[object, ...]]:
    """The numbers of our rows with their tests and marks, by line, measure and column."""
    return {
        (line.name, line.facts.get("measure", ""), cell.column): (cell.value, cell.sd, cell.p, cell.p_holm)
        for line, cell in table.cells()
        if cell.origin == "ours" and line.origin == "ours" and cell.column != "label"
    }


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("transformer.scoring.bootstrap.SAMPLES", 100)


@pytest.mark.parametrize(
    ("few", "many"),
    [
        (lambda: table3(), lambda: table3(["mine", "other"])),
        (lambda: table2(["base", "big"], ["en-de"]), lambda: table2(["base", "big", "mine"], ["en-de"])),
        (lambda: table2(["base", "big"], ["en-de"]), lambda: table2(["base", "big"], ["en-de", "en-fr"])),
        (lambda: table2(["base", "big"], ["en-fr"]), lambda: table2(["base", "big"], ["en-de", "en-fr"])),
        # Of the user's own rows, none changes another, either, but for the number of comparisons.
        (lambda: table3(["mine"]), lambda: table3(["mine", "other"])),
    ],
    ids=["own rows of Table 3", "own rows of Table 2", "EN-FR", "EN-DE", "another own row"],
)
def test_further_rows_and_pairs_change_no_digit_of_the_others(
    few: Callable[[], Table], many: Callable[[], Table]
) -> None:
    before, after = cells_of(few()), cells_of(many())
    assert after.keys() > before.keys()
    for key, cell in before.items():
        assert after[key][:3] == cell[:3], key
        assert key[0] == "mine" or after[key] == cell, key
    assert any(p is not None for _, _, p, _ in before.values())


def test_rows_and_claims_of_the_user_s_own_change_nothing_that_is_said_of_the_paper_s_claims() -> None:
    tables = table2(["base", "big"], ["en-de"]), table3()
    with_own = table2(["base", "big", "mine"], ["en-de"]), table3(["mine", "other"])
    own = [OWN_CLAIM | {"claim": f"{n}", "rows": {"mine": 1, "base": -1}} for n in range(9)]
    before, after = claims_of(tables), claims_of(with_own, *own)
    assert {of.about for of in after if of.claim["source"] == "ours"} == {"rows of the user's own"}
    assert list(map(repr, after[len(own) :])) == list(map(repr, before))
    assert {"holds", "undecided"} <= {of.verdict for of in before}


@pytest.mark.parametrize("own", [(), ("mine", "other")])
def test_a_contrast_has_the_same_p_value_in_the_table_and_in_the_claims(own: tuple[str, ...]) -> None:
    tables = table2(["base", "big", *own], ["en-de", "en-fr"]), table3(own)
    columns = {"PPL (dev)": "perplexity", "BLEU (dev)": "bleu"}
    columns |= {f"BLEU, {pair.upper()}": f"bleu_{pair}" for pair in ("en-de", "en-fr")}
    of_own = [OWN_CLAIM | {"claim": run, "rows": {run: 1, "base": -1}} for run in own]
    cells = {
        (line, column): p for of in tables for (line, _, column), (_, _, p, _) in cells_of(of).items() if p
    }
    compared = set()
    for of in claims_of(tables, *of_own):
        claim = of.claim
        others = [name for name in claim["rows"] if name not in ("base", "Transformer (base model)")]
        cell = (*others, columns.get(of.quantity))
        if len(claim["rows"]) == 2 and cell in cells and "within" not in claim:
            assert of.p == pytest.approx(cells[cell], rel=1e-9), claim["claim"]
            compared.add(cell)
    assert len(compared) == 23 + len(own)
