"""Which claims hold: the verdicts, what they follow from, and the claims of resources/claims.yaml."""

import dataclasses
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from fake_runs import LITERATURE, ROOT
from made_artifacts import change, write_perplexity
from rendered import compile_table, needs_latex

from transformer.common.artifacts import write_artifact
from transformer.common.errors import UserError
from transformer.common.files import sha256_of
from transformer.common.project import config_file
from transformer.common.yaml_files import read_yaml
from transformer.scoring.significance import Trainings
from transformer.tables.claims import lines_of, rows_of, summary, systems_of
from transformer.tables.claims_file import AVERAGE, LONGER, SCHEMA, read_claims
from transformer.tables.counted_claims import FUNCTIONS, Found, Measured
from transformer.tables.literature import read_literature
from transformer.tables.make_claims import claims_table
from transformer.tables.render import renderings

CLAIMS = read_claims(ROOT / "resources" / "claims.yaml")
PAPER = read_literature(LITERATURE)
NOTHING = Measured(PAPER, {}, {})


def trained(*values: float) -> Trainings:
    """Trainings with these scores, whose test sets tell as much as an endless one."""
    return Trainings(np.array(values), np.repeat(np.array(values)[:, None], 1000, axis=1), 1000)


def table(
    quantity: str = "BLEU (dev)", paper: Sequence[str] = ("25", "20"), **rows: Trainings
) -> pd.DataFrame:
    """Numbers as read_comparison gives them, of these rows."""
    frame = pd.DataFrame({"row": list(rows), "quantity": quantity})
    frame["paper"] = [*paper, *["24"] * len(rows)][: len(rows)]
    frame["ours"] = [of.values.mean() for of in rows.values()]
    return frame.assign(trainings=pd.Series(list(rows.values()), dtype=object))


def claim(**settings: Any) -> dict[str, Any]:
    weights = {"rows": {"a": 1, "b": -1}, "quantities": ["BLEU (dev)"]}
    return {"claim": "a is better than b", "source": "Table 3", **weights, **settings}


def result(numbers: pd.DataFrame, *claims: Mapping[str, Any], measured: Measured = NOTHING) -> dict[str, Any]:
    """What is said of the first of the claims."""
    return rows_of(lines_of(claims or [claim()], numbers, ["grammar"], measured))[0]


LOW, HIGH, WIDE = trained(20.0, 20.1, 20.2), trained(25.0, 25.1, 25.2), trained(15.0, 20.0, 27.0)


@pytest.mark.parametrize(
    ("a", "b", "verdict"), [(HIGH, LOW, "holds"), (LOW, HIGH, "fails"), (LOW, WIDE, "undecided")]
)
def test_verdict(a: Trainings, b: Trainings, verdict: str) -> None:
    found = result(table(a=a, b=b))
    assert found["verdict"] == verdict
    assert found["paper"] == "+5.0"
    assert found["ours"] == f"{a.values.mean() - b.values.mean():+.1f}"
    assert (float(found["low"]) > 0, float(found["high"]) < 0) == (verdict == "holds", verdict == "fails")


def test_lower_perplexity_is_better_and_shown_as_a_ratio() -> None:
    a, b = (Trainings(np.log(of.values), np.log(of.resampled), 1000) for of in (LOW, HIGH))
    found = result(table("PPL (dev)", ["4", "5"], a=a, b=b), claim(quantities=["PPL (dev)"]))
    assert (found["verdict"], found["paper"], found["ours"]) == ("holds", "×1.250", "×1.249")


def test_a_claim_that_rows_hardly_differ() -> None:
    """It holds within what the paper calls a difference, fails beyond it, and is open where the interval has both."""
    near = claim(within={"c": 1, "b": -1})  # 4 BLEU in the paper
    c = trained(9.0, 9.1, 9.2)
    assert result(table(a=trained(21.0, 21.1, 21.0), b=LOW, c=c), near)["verdict"] == "holds"
    assert result(table(a=HIGH, b=LOW, c=c), near)["verdict"] == "fails"
    assert result(table(a=trained(23.9, 24.1, 24.3), b=LOW, c=c), near)["verdict"] == "undecided"


def test_a_claim_about_a_test_set() -> None:
    """It is about these very sentences, so other samples of them do not count."""
    of_wmt = claim(rows={"a": 1}, test_set="newstest2014", beyond=24.0)
    assert result(table(a=HIGH, b=LOW), of_wmt)["needed"] == "only newstest2014 tells"
    hard = Trainings(HIGH.values, HIGH.resampled + np.linspace(-9, 9, 1000), 1000)
    for bound, verdict in ((24.0, "holds"), (26.0, "fails")):
        lines = lines_of([of_wmt | {"beyond": bound}], table(a=hard, b=LOW), ["WMT, newstest2014"], NOTHING)
        assert rows_of(lines)[0]["verdict"] == verdict


def test_one_training_decides_nothing() -> None:
    found = result(table(a=trained(25.0), b=trained(20.0)))
    assert (found["verdict"], found["needed"]) == ("undecided", "more seeds: seeds=[1,2,3]")
    assert "low" not in found


def test_published_tables_show_effects() -> None:
    """They have no sentences, and so nothing that tells chance from more."""
    numbers = table(a=HIGH, b=LOW).assign(trainings=None, ours=[25.0, 20.0])
    found = result(numbers)
    assert (found["verdict"], found["ours"], found["paper"]) == ("undecided", "+5.0", "+5.0")


def test_a_pair_that_the_paper_does_not_have() -> None:
    """Rows are compared all the same; only how much the paper calls a difference is not known."""
    numbers = table(paper=["", ""], a=HIGH, b=LOW)
    assert result(numbers)["verdict"] == "holds"
    near = claim(within={"a": 1, "b": -1})
    assert result(numbers, near)["needed"] == "the paper has no BLEU (dev) of a and b"
    of_table2 = claim(quantities=["BLEU"])
    assert result(numbers.assign(quantity="BLEU, EL-EN"), of_table2)["quantity"] == "BLEU, EL-EN"


def test_the_seeds_that_are_needed_would_decide() -> None:
    """As many seeds as the note says find the difference that was found in four of five repetitions."""
    numbers = table(a=trained(20.0, 21.0, 22.5), b=trained(19.0, 20.0, 21.2))
    count = int(result(numbers)["needed"].split()[1])
    (line,) = lines_of([claim()], numbers, [], NOTHING)
    assert line.estimate
    enough, fewer = (line.estimate.with_seeds(3, seeds).detectable(0.05, 0.8) for seeds in (count, count - 1))
    assert enough <= line.estimate.value < fewer


def test_a_row_that_was_not_trained_is_named() -> None:
    assert result(table(a=HIGH))["needed"] == "needs b"
    misspelt = claim(rows={"base": 1, "bsae": -1})
    assert result(table(base=HIGH), misspelt)["needed"] == "needs bsae; did you mean 'base'?"


def test_many_claims_need_more_than_one() -> None:
    """A p-value of 0.02 is enough for one claim, and not for the first of twenty."""
    numbers = table(a=trained(20.0, 20.5, 21.0), b=trained(19.5, 19.7, 19.9), c=trained(1.0, 1.0, 1.0))
    assert result(numbers)["verdict"] == "holds"
    among = result(numbers, *[claim()] * 20)
    assert among["verdict"] == "undecided"
    assert among["p_holm"] == pytest.approx(20 * result(numbers)["p"])
    assert float(among["low"]) < 0
    assert among["needed"].startswith("about ")


def test_an_average_is_compared_with_its_own_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for place, value in (("last", 6.0), (".", 5.0)):
        write_perplexity(Path("base/en-de", place, "perplexity.json"), dev=value, test=7.0)
    numbers = table("PPL (dev)", base=trained(math.log(6.0)), big=trained(1.0))
    last = [[Path(run, "en-de/last/perplexity.csv")] for run in ("base", "big")]
    numbers = numbers.assign(sentences=pd.Series(last, dtype=object))
    ((row, gain),) = systems_of(numbers, AVERAGE, ["base"]).items()
    assert (row, math.exp(gain.values[0])) == ("base", pytest.approx(5 / 6, abs=1e-4))


def test_perplexity_of_sentences_longer_than_those_in_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The longest training sentences of all rows count, and only the rows of the claim."""
    monkeypatch.chdir(tmp_path)
    for run, most in (("a", 14), ("b", 12)):
        write_artifact(
            Path(run, "config.json"),
            {
                "run": run,
                "pair": "en-de",
                "scale": "demo",
                "seed": 1,
                "model": {},
                "training": {"max_length": most},
            },
        )
        path = Path(run, "last/perplexity.json")
        write_perplexity(path, dev=2.0)
        sentences = path.with_suffix(".csv")
        sentences.write_text("split,sentence,tokens,nll\ndev,1,14,90.0\ndev,2,15,30.0\ndev,3,25,50.0\n")
        change(path, per_sentence={"name": sentences.name, "sha256": sha256_of(sentences)})
    numbers = table("PPL (dev)", a=trained(0.0), b=trained(0.0), c=trained(0.0))
    files = [[Path(run, "last/perplexity.csv")] for run in "abc"]
    numbers = numbers.assign(sentences=pd.Series(files, dtype=object))
    found = systems_of(numbers, LONGER, ["a", "b"])
    assert {row: (of.values.tolist(), of.sentences) for row, of in found.items()} == {
        row: ([2.0], 2) for row in "ab"
    }
    lines = lines_of([claim(quantities=[LONGER])], numbers, ["grammar"], NOTHING)
    shown = renderings(claims_table(rows_of(lines), "demo", ["grammar"]))
    assert f"{LONGER} (2 sentences)" in shown["claims.md"]
    assert list(pd.read_csv(io.StringIO(shown["claims.csv"]))["quantity"]) == [LONGER]


def measured() -> Measured:
    terms = {
        "self-attention": ([(4, {"n": 2, "d": 1}), (8, {"n": 1, "d": 2})], {"n": 0.0}, {"n": 0.02}),
        "recurrent": ([(9, {"n": 1, "d": 2})], {"n": 0.99}, {"n": 1.0}),
        "convolutional": ([(2, {"k": 1, "n": 1, "d": 2})], {"n": 0.0}, {"log_k(n)": 0.97}),
        "restricted": (
            [(4, {"r": 1, "n": 1, "d": 1}), (8, {"n": 1, "d": 2})],
            {"n": 0.0},
            {"n": 0.98, "r": -1.04},
        ),
        "contiguous": ([(2, {"k": 1, "n": 1, "d": 2})], {"n": 0.0}, {"n": 1.0, "k": -1.07}),
        "separable": ([(2, {"k": 1, "n": 1, "d": 1}), (2, {"n": 1, "d": 2})], {"n": 0.0}, {"log_k(n)": 0.97}),
    }
    layers = {
        kind: {
            "flops": {"terms": [{"coefficient": c, "exponents": powers} for c, powers in flops]},
            "sequential_operations": {"terms": [{"coefficient": 7.0, "exponents": chain}]},
            "path_length": {"terms": [{"coefficient": 7.0, "exponents": path}]},
        }
        for kind, (flops, chain, path) in terms.items()
    }
    return Measured(PAPER, layers, {"base": 100.0, "A-h1": 101.0})


def found(name: str, facts: Measured) -> Found:
    result = FUNCTIONS[name](facts)
    assert result
    return result


def test_growth_of_the_layer_types() -> None:
    facts = measured()
    for name in ("complexity", "sequential_operations", "path_length"):
        assert found(name, facts).holds, name
    facts.layers["recurrent"]["sequential_operations"]["terms"][0]["exponents"]["n"] = 0.5
    slow = found("sequential_operations", facts)
    assert (slow.holds, slow.text) == (False, "5 of 6 layer types")
    # Projections are expected in attention only.
    facts.layers["convolutional"]["flops"]["terms"].append(
        {"coefficient": 1.0, "exponents": {"n": 1, "d": 2}}
    )
    assert not found("complexity", facts).holds


def test_operations_with_other_numbers_of_heads() -> None:
    assert found("equal_operations", measured()).holds
    wide = Measured(PAPER, {}, {"base": 100.0, "A-h1": 150.0})
    assert not found("equal_operations", wide).holds
    assert FUNCTIONS["equal_operations"](NOTHING) is None


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ((HIGH, HIGH), (LOW, LOW), "holds 1, fails 0, undecided 0"),
        ((HIGH, LOW), (LOW, WIDE), "holds 0, fails 0, undecided 1"),
        ((HIGH, LOW), (LOW, HIGH), "holds 0, fails 1, undecided 0"),
        ((HIGH, trained(9.0)), (LOW, trained(8.0)), "holds 0, fails 0, undecided 1"),
        ((trained(9.0),) * 2, (trained(8.0),) * 2, "holds 0, fails 0, undecided 1 (1 not tested)"),
    ],
)
def test_a_claim_is_counted_once_and_holds_if_it_does_in_each_quantity(
    a: Sequence[Trainings], b: Sequence[Trainings], said: str
) -> None:
    """Claims about trained models are counted apart from those that need none, which are the last lines."""
    quantities = ["BLEU, EN-DE", "BLEU, EN-FR"]
    numbers = pd.concat(
        [table(name, a=one, b=other) for name, one, other in zip(quantities, a, b, strict=True)]
    )
    counted = {"claim": "Operations grow.", "source": "Table 1", "function": "complexity"}
    lines = lines_of([counted, claim(quantities=quantities)], numbers, ["grammar"], measured())
    rows = rows_of(lines)
    assert [row["about"] for row in rows] == ["trained models"] * 2 + ["counts"]
    of_counts = "1 claims about counts: holds 1, fails 0, undecided 0"
    assert summary(rows) == f"1 claims about trained models: {said}; {of_counts}"


def test_what_was_not_measured_is_said() -> None:
    facts = dataclasses.replace(measured(), flops={"base": 1.0})
    missing = result(table(), {"claim": "", "source": "", "function": "equal_operations"}, measured=facts)
    assert missing["needed"] == "not measured at this scale"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"beyound": 100}, "unknown key 'beyound'; did you mean 'beyond'"),
        ({"rows": {"a": 1, "b": 1}}, "'a is better than b': the weights of its rows add up to 2, not 0"),
        ({"rows": {"a": "1"}}, "rows"),
        ({"quantities": ["BLEU", "EN-DE"]}, "is 'EN-DE'; it must be BLEU, \"BLEU, EN-DE\""),
        ({"function": "complexity"}, "give exactly one of function, rows"),
        (
            {"function": "cost", "rows": ..., "quantities": ...},
            "function is 'cost'; it must be one of complexity, ",
        ),
        (
            {"rows": {"a": 1}, "quantities": ["PPL (dev)"], "beyond": 2.5},
            "'beyond' is for a score of BLEU or F1",
        ),
        ({"rows": {"a": 1}, "beyond": 2.5, "within": {"a": 1}}, "'beyond' is for a score of BLEU or F1"),
    ],
)
def test_a_wrong_entry_is_an_error(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    path = tmp_path / "claims.yaml"
    entry = {key: value for key, value in claim(**changes).items() if value is not ...}
    path.write_text(yaml.safe_dump([entry]))
    with pytest.raises(UserError, match=said):
        read_claims(path)


def test_the_claims_name_rows_and_functions_that_there_are() -> None:
    runs = read_yaml(config_file("runs.yaml"))
    long = read_yaml(config_file("demo-long.yaml"))["runs"]
    rows = {*runs, *long, *PAPER.models["model"], *PAPER.parsers["training"]}
    for item in CLAIMS:
        if "function" not in item:
            assert {*item["rows"], *item.get("within", {})} <= rows
            assert sum(item["rows"].values()) == (
                1 if "beyond" in item or AVERAGE in item["quantities"] else 0
            )
    functions = read_yaml(SCHEMA)["items"]["properties"]["function"]["enum"]
    assert {item["function"] for item in CLAIMS if "function" in item} == FUNCTIONS.keys() == {*functions}


def test_each_claim_is_true_in_the_paper() -> None:
    """Rows with the wrong sign would make a claim fail where it holds."""
    printed = {name: PAPER.variations.set_index("run")[name] for name in ("perplexity", "bleu")}
    signs = {"PPL (dev)": ("perplexity", -1), "BLEU (dev)": ("bleu", 1)}
    checked = 0
    for item in CLAIMS:
        for quantity in {*item.get("quantities", ())} & signs.keys():
            if "within" not in item:
                column, sign = signs[quantity]
                values = printed[column].astype(float)
                assert sign * sum(weight * values[row] for row, weight in item["rows"].items()) > 0, item
                checked += 1
    assert checked > 15
    (longer,) = (item for item in CLAIMS if LONGER in item.get("quantities", ()))
    found = table("PPL (dev)", a=LOW, b=HIGH).assign(row=["short", "short-learned"])
    assert result(found, longer | {"quantities": ["PPL (dev)"]})["verdict"] == "holds"


@pytest.fixture
def files() -> dict[str, str]:
    claims = [claim(), claim(claim="b < a & so on")]
    lines = lines_of(claims, table(a=HIGH, b=LOW), ["grammar"], NOTHING)
    return renderings(claims_table(rows_of(lines), "demo", ["grammar"]))


def test_pages(files: dict[str, str]) -> None:
    assert (
        "2 claims about trained models: holds 2, fails 0, undecided 0. Ours: demo scale, grammar."
        in files["claims.md"]
    )
    assert list(pd.read_csv(io.StringIO(files["claims.csv"]))["verdict"]) == ["holds"] * 2


@needs_latex
def test_the_latex_compiles(files: dict[str, str], tmp_path: Path) -> None:
    compile_table(files["claims.tex"], tmp_path)
