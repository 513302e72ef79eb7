"""Table 4: the paper's rows, ours beside them, and what keeps ours from being taken for WSJ's."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from fake_runs import MakeRun
from made_artifacts import change
from rendered import PAPER, csv_rows, formats

from transformer.common.errors import UserError
from transformer.tables.runs import PARSES, read_runs
from transformer.tables.table4 import build_table4


def table_of(*folders: Path) -> dict[str, str]:
    """The table in its formats: tex, csv and md."""
    return formats(build_table4(PAPER, read_runs(folders, PARSES)))


TWO_TEXTS = [{"source": "a", "split": "dev"}, {"source": "b", "split": "train"}]


@pytest.mark.parametrize(
    ("silver", "said"),
    [
        (
            {"text": "trees", "oversample": 1},
            "silver trees from a file of our own, and each tree of the treebank once.",
        ),
        (
            {"text": "grammar", "min_f1": 100, "oversample": 2},
            "sentences of the project's own grammar that two parsers of our own agree on, and each tree of the",
        ),
        (
            {"text": TWO_TEXTS, "min_f1": 95, "oversample": 3},
            "sentences of a and b that two parsers of our own agree on with an F1 of 95 or more, and each tree",
        ),
    ],
)
def test_what_replaces_the_silver_corpus(make_parser: MakeRun, silver: dict[str, Any], said: str) -> None:
    table = table_of(make_parser("parser"), make_parser("parser-semi", data={"silver": silver}))
    assert f"in its place ours has {said}" in table["md"]
    assert said in csv_rows(table["csv"])[-1]["note"]


@pytest.mark.parametrize("name", ["parses", "unconstrained"])
def test_scores_that_cannot_stand_in_a_table(make_parser: MakeRun, name: str) -> None:
    folder = make_parser("parser")
    path = folder / f"{name}.json"
    with_interval = json.loads(path.read_text())["all"]
    without = {key: value for key, value in with_interval.items() if key != "interval"}
    for figures in (with_interval, without):
        change(path, all=figures | {"valid": 0, "f1": 0.0})
        with pytest.raises(UserError, match=f"{path}: there is no F1, as no sentence could be scored"):
            table_of(folder)
    change(path, files={"config": {"name": "config.json", "sha256": "0" * 64}})
    with pytest.raises(UserError, match=f"{path}: of another config"):
        table_of(folder)
    path.unlink()
    with pytest.raises(UserError, match=f"{path}: no such file"):
        table_of(folder)


def test_unconstrained_scores_need_the_number_of_malformed_outputs(make_parser: MakeRun) -> None:
    folder = make_parser("parser")
    shutil.copy(folder / "parses.json", folder / "unconstrained.json")
    with pytest.raises(UserError, match=r"unconstrained\.json: no 'decoding'"):
        table_of(folder)
