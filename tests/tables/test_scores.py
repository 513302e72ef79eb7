"""The tidy frame: every figure once, with the place that it was read from."""

from pathlib import Path

import pandas as pd
import pytest
import tiny
from fake_runs import MakeRun, make_last_run
from made_artifacts import change
from rendered import assert_numbers_are_found

from transformer.tables.runs import PARSES, read_runs
from transformer.tables.scores import COLUMNS, scores_of


def test_each_figure_is_found_where_its_row_says(make_run: MakeRun, make_parser: MakeRun) -> None:
    runs = read_runs([make_run("base", "en-de")])
    runs += [make_last_run(Path("results/demo/runs/base-seed2/en-de"), "base", seed=2)]
    runs += read_runs([make_parser("parser")], PARSES)
    frame = scores_of([*runs, *runs[:1]])
    assert list(frame) == COLUMNS
    assert_numbers_are_found(frame.to_dict("records"))
    identity = ["run", "pair", "seed", "split", "decoding_method", "checkpoint", "measure"]
    assert not frame.duplicated([*identity, "test_set"]).any()


@pytest.mark.parametrize("flops", [10**14, 23 * 10**18])
def test_the_published_file_has_each_score(make_run: MakeRun, flops: int) -> None:
    """Operations at the paper's size do not fit into 64 bits; scores of Table 3 are of the last checkpoint."""
    folder = make_run("base", "en-de")
    change(folder / "training.json", training_flops=flops)
    last = make_last_run(Path("results/demo/runs/A-h1/en-de"), "A-h1", bleu=20.0).folder
    inputs = ["--runs", folder, "--last", last]
    done = tiny.run_captured("collect_scores", *inputs, "--output", "out/scores.csv")
    assert done.returncode == 0, done.stderr
    frame = pd.read_csv("out/scores.csv")
    assert list(frame) == COLUMNS
    assert f",{flops}," in Path("out/scores.csv").read_text()
    assert set(frame["run"]) == {"base", "A-h1"}
    (row,) = frame[frame["headline"] & (frame["run"] == "A-h1")].to_dict("records")
    assert (row["checkpoint"], row["split"], row["value"]) == ("last", "dev", 20.0)
    assert row["path"] == f"{last}/last/scores.json"
