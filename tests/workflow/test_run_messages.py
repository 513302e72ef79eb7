"""What a run says at its start and at its end."""

import logging
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from configuration import ROOT
from made_artifacts import write_timing

from transformer.common.errors import UserError
from transformer.model.trained_by import code_here
from transformer.workflow import run_end
from transformer.workflow.run_end import result, table_lines, tell_result
from transformer.workflow.run_start import announce, check_config_once

PUBLISHED = ROOT / "docs" / "results" / "demo"


@pytest.fixture
def table_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder in which the published Table 2 has been made."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results/demo/tables").mkdir(parents=True)
    shutil.copy(PUBLISHED / "table2.json", tmp_path / "results/demo/tables")
    return tmp_path


def test_the_table_ends_a_run_with_its_path_and_the_next_step(table_2: Path) -> None:
    made = {"results/table2.md", "results/table1.md"}
    path = ["", "results/table2.tex (.csv and .md beside it)"]
    page = "results/index.html  shows it, and its models translate what you type; open it in a browser"
    add = "add results/table2.html to this command  for a page of it, whose models translate what you type"
    all_of_it = (
        "results/index.html in place of the table, with the same options, makes all tables and figures"
    )
    said = result(made, [], "demo", width=120)
    assert said[:1] + said[-4:] == ["Table 2: BLEU and training cost", *path, add, all_of_it]
    assert result({*made, "results/index.html"}, [], "demo", width=50)[-3:] == [*path, page]


def test_the_readme_shows_table_2_as_a_terminal_of_120_columns_does(table_2: Path) -> None:
    said = table_lines(Path("results/demo/tables/table2.json"), 120)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"(?:^    .*\n)+?(?=    identical to the published demo)", readme, re.MULTILINE)
    shown = [line.removeprefix("    ") for line in block.splitlines()]
    assert len(shown) == 2 + 4
    assert shown == [line for line in said if line in shown]
    narrow = table_lines(Path("results/demo/tables/table2.json"), 80)
    assert max(map(len, narrow[3:])) <= 80
    assert narrow[-1] == "(6 more columns in results/table2.md)"


def test_without_a_table_the_files_that_were_asked_for_are_named() -> None:
    assert result({"a"}, ["a", "b", "c", "d"], "demo", 80) == ["a", "b", "c", "…"]


@pytest.mark.parametrize(
    ("touch", "said"), [(False, "data/demo/clean/a"), (True, "touched only: nothing was made or compared")]
)
def test_a_run_that_stops_early_or_touches_tells_of_its_own_files_only(
    touch: bool, said: str, table_2: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As after --until: the table that was asked for is there, from an earlier run."""
    (table_2 / "results/table2.md").touch()
    cleaning = SimpleNamespace(output=["data/demo/clean/a"])
    dag = SimpleNamespace(jobs=[cleaning], targetjobs=[cleaning], targetfiles={"results/table2.md"})
    monkeypatch.setattr("snakemake.logging.logger", logging.getLogger("run"))
    with caplog.at_level(logging.INFO, "run"):
        tell_result(SimpleNamespace(dag=dag, dag_settings=SimpleNamespace(targets=[]), touch=touch), "demo")
    assert caplog.messages == [said]


def test_a_file_of_an_older_format_does_not_fail_a_run_that_has_succeeded(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise UserError("results/demo/timing.json: its format is 1")

    monkeypatch.setattr(run_end, "verdict", refuse)
    monkeypatch.setattr("snakemake.logging.logger", logging.getLogger("run"))
    job = SimpleNamespace(output=["a"])
    with caplog.at_level(logging.INFO, "run"):
        tell_result(
            SimpleNamespace(
                dag=SimpleNamespace(jobs=[job], targetjobs=[job], targetfiles={"a"}),
                dag_settings=SimpleNamespace(targets=["a"]),
                touch=False,
            ),
            "demo",
        )
    assert caplog.messages == [
        "a\nnot compared with the published demo: results/demo/timing.json: its format is 1"
    ]


def test_other_code_is_said_of_a_single_row_that_is_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As of base, beside a row that the present code has just trained."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("snakemake.logging.logger", logging.getLogger("run"))
    for run, code in (("base", code_here() | {"training/loss.py": "0" * 8}), ("mine", code_here())):
        write_timing(
            Path("results/demo/runs", run, "en-de"), stretches=[{"steps": 9, "seconds": 9, "code": code}]
        )
    jobs = [
        SimpleNamespace(output=[f"results/demo/runs/{run}/en-de/training.json"]) for run in ("base", "mine")
    ]
    dag = SimpleNamespace(jobs=jobs, targetjobs=jobs[1:], targetfiles=set())
    with caplog.at_level(logging.INFO, "run"):
        tell_result(SimpleNamespace(dag=dag, touch=False), "demo")
    made, note, *_ = caplog.messages[0].splitlines()
    assert made == "results/demo/runs/mine/en-de/training.json"
    assert "these were trained: base en-de: training/loss.py. " in note


def test_a_training_that_is_complete_is_not_announced_as_one_to_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As after a change of code, by which its job runs again, and finds nothing to do."""
    (tmp_path / "base").touch()
    jobs = [
        SimpleNamespace(
            rule=SimpleNamespace(name="train"),
            wildcards=SimpleNamespace(run=run, source="en", target="de"),
            output=[tmp_path / run],
            resources={},
        )
        for run in ("base", "big")
    ]
    monkeypatch.setattr("snakemake.logging.logger", logging.getLogger("run"))
    with caplog.at_level(logging.INFO, "run"):
        announce(SimpleNamespace(dag=SimpleNamespace(needrun_jobs=lambda: jobs), local_exec=True))
    assert caplog.messages == [
        "Trainings: big en-de.  The target results/plan.md estimates how long each takes.\n"
        "Complete, and trained again only if their data or settings have changed: base en-de."
    ]


def test_a_second_config_would_replace_the_first() -> None:
    check_config_once(["--configfile", "mine.yaml", "--config", "scale=small", "seed=2", "-n", "seed=3"])
    for words in (["--config", "a=1", "-C", "b=2"], ["--config=a=1", "--config", "b=2"]):
        with pytest.raises(UserError, match="--config is given twice"):
            check_config_once(words)
    with pytest.raises(UserError, match="--config: seed is given twice"):
        check_config_once(["--config", "seed=1", "scale=demo", "seed=2"])
