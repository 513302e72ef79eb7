"""Which claims hold: the verdicts, what they follow from, and the claims of resources/claims.yaml."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from fake_runs import LITERATURE, ROOT, write_config
from made_artifacts import change, write_perplexity

from transformer.common.errors import UserError
from transformer.common.files import sha256_of
from transformer.common.yaml_files import read_yaml
from transformer.scoring.significance import Trainings
from transformer.tables.cells import Table
from transformer.tables.claims import Judgement, judge, summary, systems_of
from transformer.tables.claims_file import AVERAGE, LONGER, read_claims
from transformer.tables.literature import read_literature
from transformer.tables.make_claims import claims_table
from transformer.tables.render import renderings
from transformer.tables.scored_rows import ScoredRow

CLAIMS = read_claims(ROOT / "resources" / "claims.yaml")
PAPER = read_literature(LITERATURE)


def trained(*values: float) -> Trainings:
    """Trainings with these scores, whose test sets tell as much as an endless one."""
    return Trainings(np.array(values), np.repeat(np.array(values)[:, None], 1000, axis=1), 1000)


def scored(
    quantity: str = "BLEU (dev)", paper: Sequence[float | None] = (25, 20, 24), **rows: Trainings
) -> list[ScoredRow]:
    """Rows of Table 3 with these trainings; the counts of their sentences would be in ROW/last/perplexity.csv."""
    return [
        ScoredRow("table3", row, quantity, printed, trainings, [Path(row, "last/perplexity.csv")])
        for (row, trainings), printed in zip(rows.items(), paper, strict=False)
    ]


def claim(**settings: Any) -> dict[str, Any]:
    weights = {"rows": {"a": 1, "b": -1}, "quantities": ["BLEU (dev)"]}
    return {"claim": "a is better than b", "source": "Table 3", **weights, **settings}


def result(rows: Sequence[ScoredRow], *claims: Mapping[str, Any]) -> Judgement:
    """What is found of the first of the claims."""
    return judge(claims or [claim()], rows, PAPER)[0]


LOW, HIGH, WIDE = trained(20.0, 20.1, 20.2), trained(25.0, 25.1, 25.2), trained(15.0, 20.0, 27.0)
LAST = trained(9.0, 9.1, 9.2)


NEAR = {"within": {"c": 1, "b": -1}}  # 4 BLEU in the paper
LOGS = [Trainings(np.log(of.values), np.log(of.resampled), 1000) for of in (LOW, HIGH)]
NOT_IN_PAPER = scored(paper=[None, None], a=HIGH, b=LOW)


@pytest.mark.parametrize(
    ("rows", "changes", "said"),
    [
        (
            scored(a=HIGH, b=LOW),
            {},
            {"verdict": "holds", "effect": 5.0, "ours": 5.0, "interval": (4.8, 5.2)},
        ),
        (scored(a=LOW, b=HIGH), {}, {"verdict": "fails", "ours": -5.0, "interval": (-5.2, -4.8)}),
        (scored(a=LOW, b=WIDE), {}, {"verdict": "undecided", "interval": (-10.2, 9.1)}),
        (
            scored("PPL (dev)", [4, 5], a=LOGS[0], b=LOGS[1]),
            {"quantities": ["PPL (dev)"]},
            {"verdict": "holds", "effect": math.log(1.25), "ours": math.log(25.1 / 20.1)},
        ),
        # It holds within what the paper calls a difference, fails beyond it, and is open where the interval has both.
        (scored(a=trained(21.0, 21.1, 21.0), b=LOW, c=LAST), NEAR, {"verdict": "holds"}),
        (scored(a=HIGH, b=LOW, c=LAST), NEAR, {"verdict": "fails"}),
        (scored(a=trained(23.9, 24.1, 24.3), b=LOW, c=LAST), NEAR, {"verdict": "undecided"}),
        (
            scored(a=trained(25.0), b=trained(20.0)),
            {},
            {"verdict": "untested", "needed": "more seeds: seeds=[1,2,3]", "interval": None},
        ),
        (NOT_IN_PAPER, {}, {"verdict": "holds", "effect": math.nan}),
        (
            NOT_IN_PAPER,
            {"within": {"a": 1, "b": -1}},
            {"needed": "the paper has no BLEU (dev) of a and b"},
        ),
        (
            scored("BLEU, EL-EN", [None, None], a=HIGH, b=LOW),
            {"quantities": ["BLEU"]},
            {"quantity": "BLEU, EL-EN"},
        ),
        (scored(a=HIGH), {}, {"needed": "needs b"}),
        (
            scored(base=HIGH),
            {"rows": {"base": 1, "bsae": -1}},
            {"needed": "needs bsae; did you mean 'base'?"},
        ),
    ],
)
def test_what_is_said_of_a_claim(
    rows: Sequence[ScoredRow], changes: dict[str, Any], said: dict[str, Any]
) -> None:
    found = result(rows, claim(**changes))
    for name, value in said.items():
        assert getattr(found, name) == pytest.approx(value, abs=0.05, nan_ok=True), name


def test_many_claims_need_more_than_one() -> None:
    """A p-value of 0.02 is enough for one claim, and not for the first of twenty."""
    rows = scored(a=trained(20.0, 20.5, 21.0), b=trained(19.5, 19.7, 19.9), base=trained(1.0, 1.0, 1.0))
    alone, among = result(rows), result(rows, *[claim()] * 20)
    assert (alone.verdict, among.verdict) == ("holds", "undecided")
    assert among.p_holm == pytest.approx(20 * alone.p)
    assert among.interval
    assert among.interval[0] < 0


def test_an_average_is_compared_with_its_own_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for place, value in (("last", 6.0), (".", 5.0)):
        write_perplexity(Path("base", place, "perplexity.json"), dev=value, test=7.0)
    rows = scored("PPL (dev)", base=trained(math.log(6.0)), big=trained(1.0))
    ((row, gain),) = systems_of(rows, AVERAGE, ["base", "big"]).items()
    assert (row, math.exp(gain.values[0])) == ("base", pytest.approx(5 / 6, abs=1e-4))


def test_perplexity_of_sentences_longer_than_those_in_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The longest training sentences of all rows count, and only the rows of the claim."""
    monkeypatch.chdir(tmp_path)
    for run, most in (("a", 14), ("b", 12)):
        write_config(Path(run, "config.json"), run=run, scale="demo", seed=1, training={"max_length": most})
        path = Path(run, "last/perplexity.json")
        write_perplexity(path, dev=2.0)
        sentences = path.with_suffix(".csv")
        sentences.write_text("split,sentence,tokens,nll\ndev,1,14,90.0\ndev,2,15,30.0\ndev,3,25,50.0\n")
        change(path, per_sentence={"name": sentences.name, "sha256": sha256_of(sentences)})
    scores = scored("PPL (dev)", a=trained(0.0), b=trained(0.0), c=trained(0.0))
    found = systems_of(scores, LONGER, ["a", "b"])
    assert {row: (of.values.tolist(), of.sentences) for row, of in found.items()} == {
        row: ([2.0], 2) for row in "ab"
    }
    table = claims_table(
        judge([claim(quantities=[LONGER])], scores, PAPER), [Table("table3", [], [], csv=[])]
    )
    assert f"{LONGER} (2 sentences)" in renderings(table)["claims.md"]


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ((HIGH, HIGH), (LOW, LOW), "holds 1, fails 0, undecided 0, untested 0"),
        ((HIGH, LOW), (LOW, WIDE), "holds 0, fails 0, undecided 1, untested 0"),
        ((HIGH, LOW), (LOW, HIGH), "holds 0, fails 1, undecided 0, untested 0"),
        ((LOW, LOW), (HIGH, WIDE), "holds 0, fails 1, undecided 0, untested 0"),
        ((HIGH, trained(9.0)), (LOW, trained(8.0)), "holds 0, fails 0, undecided 1, untested 0"),
        ((trained(9.0),) * 2, (trained(8.0),) * 2, "holds 0, fails 0, undecided 0, untested 1"),
    ],
)
def test_a_claim_is_counted_once_and_holds_if_it_does_in_each_quantity(
    a: Sequence[Trainings], b: Sequence[Trainings], said: str
) -> None:
    quantities = ["BLEU, EN-DE", "BLEU, EN-FR"]
    of_both = zip(quantities, a, b, strict=True)
    rows = [row for name, one, other in of_both for row in scored(name, a=one, b=other)]
    judgements = judge([claim(quantities=quantities)], rows, PAPER)
    assert summary(judgements) == f"1 claims about trained models: {said}"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"withn": {"a": 1}}, "unknown key 'withn'; did you mean 'within'"),
        ({"rows": {"a": 1, "b": 1}}, "'a is better than b': the weights of its rows add up to 2, not 0"),
        ({"rows": {"a": "1"}}, "rows"),
        ({"quantities": ["BLEU", "EN-DE"]}, "is 'EN-DE'; it must be BLEU, \"BLEU, EN-DE\""),
    ],
)
def test_a_wrong_entry_is_an_error(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    path = tmp_path / "claims.yaml"
    entry = {key: value for key, value in claim(**changes).items() if value is not ...}
    path.write_text(yaml.safe_dump([entry]))
    with pytest.raises(UserError, match=said):
        read_claims(path)


def test_the_claims_name_rows_that_there_are() -> None:
    runs = read_yaml(ROOT / "config/runs.yaml")
    long = read_yaml(ROOT / "config/demo-long.yaml")["runs"]
    rows = {*runs, *long}.union(*PAPER.rows.values())
    for item in CLAIMS:
        assert {*item["rows"], *item.get("within", {})} <= rows
        assert sum(item["rows"].values()) == (1 if AVERAGE in item["quantities"] else 0)


def test_each_claim_is_true_in_the_paper() -> None:
    """Rows with the wrong sign would make a claim fail where it holds."""
    signs = {"PPL (dev)": ("perplexity", -1), "BLEU (dev)": ("bleu", 1)}
    checked = 0
    for item in CLAIMS:
        for quantity in {*item["quantities"]} & signs.keys():
            if "within" not in item:
                column, sign = signs[quantity]
                values = {row["run"]: float(row[column]) for row in PAPER.variations}
                assert sign * sum(weight * values[row] for row, weight in item["rows"].items()) > 0, item
                checked += 1
    assert checked > 15
    (longer,) = (item for item in CLAIMS if LONGER in item["quantities"])
    learned, sinusoids = scored("PPL (dev)", a=HIGH, b=LOW)
    found = [replace(learned, row="short-learned"), replace(sinusoids, row="short")]
    assert result(found, longer | {"quantities": ["PPL (dev)"]}).verdict == "holds"
