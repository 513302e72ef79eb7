"""What the scripts of all tables do: all outputs, or one line that says why not."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
import tiny
from fake_runs import LITERATURE, MakeRun
from made_artifacts import DECODING, write_timing

from transformer.common.artifacts import write_artifact
from transformer.common.errors import UserError
from transformer.tables.cells import read_table

TABLES = Path("results/demo/tables")


def make(*runs: Path, data: Sequence[str] = (), text: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    inputs = ["--literature", LITERATURE, "--runs", *runs, "--data", *data, "--text", *text]
    return tiny.run_captured("table2", *inputs, "--output-dir", TABLES)


def test_outputs_depend_neither_on_where_the_project_lies_nor_on_machine_and_clock(make_run: MakeRun) -> None:
    """timing.json, which has the code, the machine and the time of a training, is no input of the rule."""
    run = make_run("base", "en-de")
    outputs = [TABLES / f"table2.{ending}" for ending in ("csv", "json", "md", "tex")]
    assert make(run).returncode == 0
    first = [path.read_bytes() for path in outputs]
    stretch = {"steps": 9, "seconds": 61.7, "code": {"model/layers.py": "0" * 8}, "precision": "bf16"}
    write_timing(run, wall_seconds=1, stretches=[stretch])
    assert make(run.absolute()).returncode == 0
    assert [path.read_bytes() for path in outputs] == first
    assert sorted(TABLES.iterdir()) == outputs
    behind = read_table(outputs[1]).behind
    assert '"/' not in outputs[1].read_text()
    assert behind["sources"][0]["path"] == "resources/literature.yaml"
    assert {*behind["runs"]["base/en-de"]} >= {*"files checkpoints config training perplexity scores".split()}
    assert behind["runs"]["base/en-de"]["scores"]["decoding"] == DECODING


def test_an_unknown_source_of_data_is_refused(make_run: MakeRun) -> None:
    wrong = make(make_run("base", "en-de"), data=["multi31k"])
    said = "error: resources/sources.yaml: unknown source 'multi31k'; did you mean 'multi30k'?"
    assert (wrong.returncode, wrong.stderr.startswith(said)) == (1, True)


def test_long_pairs_are_noted_for_the_runs_that_left_them_out(make_run: MakeRun) -> None:
    train = {"kept": 20, "over_max_length": {"14": 5, "256": 0}}
    write_artifact(
        "en-de.json", {"format": 2, "pair": "en-de", "train": train, "sets": {}, "notes": ["Said."]}
    )
    base, short = make_run("base", "en-de"), make_run("short", "en-de", max_length=14)
    said = "EN-DE: 5 of 20 training pairs have more than 14 subwords on a side (max_length) and were left out of "
    for runs, noted in (((base,), None), ((base, short), "the training of short."), ((short,), "training.")):
        done = make(*runs, text=["en-de.json"])
        assert done.returncode == 0
        for text in (done.stderr, (TABLES / "table2.md").read_text()):
            assert "Said." in text
            assert (said in text, f"{said}{noted}" in text) == (bool(noted), bool(noted))


def test_an_edited_table_is_not_read(make_run: MakeRun) -> None:
    assert make(make_run("base", "en-de")).returncode == 0
    path = TABLES / "table2.json"
    path.write_text(path.read_text().replace("71.2", "72.2"))
    with pytest.raises(UserError, match=r"edited or damaged.*; delete it and run Snakemake again"):
        read_table(path)


def test_a_missing_score_writes_nothing(make_run: MakeRun) -> None:
    run = make_run("base", "en-de")
    (run / "scores.json").unlink()
    done = make(run)
    assert (done.returncode, done.stderr) == (1, f"error: {run}/scores.json: no such file\n")
    assert not Path("results/demo/tables").exists()
