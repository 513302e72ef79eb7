"""Table 4: scores that cannot stand in it; test_whole_tables.py has what it says."""

import json
import shutil

import pytest
from fake_runs import MakeRun
from made_artifacts import change
from rendered import PAPER

from transformer.common.errors import UserError
from transformer.tables.runs import PARSES, read_runs
from transformer.tables.table4 import build_table4


@pytest.mark.parametrize("name", ["parses", "unconstrained"])
def test_scores_that_cannot_stand_in_a_table(make_parser: MakeRun, name: str) -> None:
    folder = make_parser("parser")
    path = folder / f"{name}.json"
    with_interval = json.loads(path.read_text())["all"]
    without = {key: value for key, value in with_interval.items() if key != "interval"}
    for figures in (with_interval, without):
        change(path, all=figures | {"valid": 0, "f1": 0.0})
        with pytest.raises(UserError, match=f"{path}: there is no F1, as no sentence could be scored"):
            build_table4(PAPER, read_runs([folder], PARSES))


def test_unconstrained_scores_need_the_number_of_malformed_outputs(make_parser: MakeRun) -> None:
    folder = make_parser("parser")
    shutil.copy(folder / "parses.json", folder / "unconstrained.json")
    with pytest.raises(UserError, match=r"unconstrained\.json: no 'decoding'"):
        build_table4(PAPER, read_runs([folder], PARSES))
