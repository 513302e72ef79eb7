"""What a run says at its start and at its end."""

import logging
import re
import shlex
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from configuration import ROOT, load

from transformer.common.errors import UserError
from transformer.planning import make_plan
from transformer.planning.make_plan import rebuilt_rates
from transformer.workflow import run_end, run_start
from transformer.workflow.run_end import report_command, result, table_lines, tell_result
from transformer.workflow.run_start import (
    announce,
    check_config_once,
    share,
    tell_of_memory,
    time_of_all,
)

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
    page = "results/index.html  shows what there is, and its models translate what you type; open it in a browser"
    add = "add results/index.html to this command  for a page of it, whose models translate what you type"
    report = "next: make report  makes all tables and figures, and trains the models that they still need"
    said = result(made, [], "demo", "make report", width=120)
    assert said[:1] + said[-4:] == ["Table 2: BLEU and training cost", *path, add, report]
    (table_2 / "results" / "index.html").touch()
    old = "results/index.html is from an earlier run: add it to this command  to make it again"
    assert result(made, [], "demo", "make report", width=120)[-2:] == [old, report]
    everything = {*made, "results/comparison.md", "results/index.html"}
    assert result(everything, [], "demo", "make report", width=50)[-3:] == [*path, page]


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
    assert result({"a"}, ["a", "b", "c", "d"], "demo", "make report", 80) == ["a", "b", "c", "…"]


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


def test_a_second_config_would_replace_the_first() -> None:
    check_config_once(["--config", "scale=small", "sentence=-C"], ["scale=small", "sentence=-C"])
    for words in (["--config", "a=1", "-C", "b=2"], ["--config=a=1", "--config", "b=2"]):
        with pytest.raises(UserError, match="--config is given twice"):
            check_config_once(words, [])
    with pytest.raises(UserError, match="--config: seed is given twice"):
        check_config_once(["--config"], ["seed=1", "sentence=seed=3", "seed=2"])


@pytest.mark.parametrize(
    ("given", "following"),
    [
        (
            "snakemake --cores all results/table2.tex results/index.html --config seed=2 'scale=my scale'",
            "snakemake results/index.html --cores all --config seed=2 'scale=my scale'",
        ),
        (
            "/venv/snakemake/__main__.py -c2 --config 'table2=[base,mine]' -R train big --profile=profiles/slurm "
            "--until clean -- results/table2.tex",
            "snakemake results/index.html -c2 --config 'table2=[base,mine]' --profile=profiles/slurm --",
        ),
        ("/bin/attention results/table2.tex", "attention results/index.html"),
        ("host.py results/table2.tex", None),
    ],
)
def test_the_next_command_has_all_that_the_run_was_given(
    given: str, following: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But what was to be repeated, and where it was to stop."""
    targets = {"results/table2.tex", "results/index.html"}
    monkeypatch.delenv("REPORT_COMMAND", raising=False)
    assert report_command(shlex.split(given), targets) == following
    monkeypatch.setenv("REPORT_COMMAND", "make report SCALE='my scale'  SEED='2'")
    assert report_command(shlex.split(given), targets) == "make report 'SCALE=my scale' SEED=2"


def limits(cores: int) -> dict[str, Any]:
    """What jobs of a machine may use together, as Snakemake has it."""
    return {
        name: SimpleNamespace(value=value)
        for name, value in (("_cores", cores), ("gpu", None), ("mem_mb", None))
    }


@pytest.mark.parametrize(
    ("needed", "expected"),
    [
        ({"_cores": 1, "mem_mb": 100}, 1 / 4),
        ({"_cores": 1, "mem_mb": 500}, 1 / 2),
        ({"_cores": 1, "gpu": 6}, 1 / 2),
        ({"_cores": 8}, 1),
    ],
)
def test_a_job_uses_the_share_of_the_machine_of_which_it_needs_most(
    needed: dict[str, int], expected: float
) -> None:
    assert share(needed, {"_cores": 4, "gpu": 12, "mem_mb": 1000}) == expected
    assert share({"_cores": 1}, {"_cores": 2, "gpu": None, "mem_mb": None}) == 1 / 2


@pytest.mark.parametrize(("limit", "said"), [(3600, 1), (4000, 0), (None, 0)])
def test_a_job_that_needs_all_memory_is_named(
    limit: int | None, said: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("snakemake.logging.logger", logging.getLogger("run"))
    job = SimpleNamespace(rule=SimpleNamespace(name="train"), resources={"mem_mb": 3600})
    memory = {"mem_mb": SimpleNamespace(value=limit)}
    dag = SimpleNamespace(needrun_jobs=lambda: [job, job])
    tell_of_memory(SimpleNamespace(dag=dag, local_exec=True, global_resources=memory))
    lines = ["train: by the plan, each such job needs all the memory that jobs may use (3,600 MB) or more"][
        :said
    ]
    assert [message.split(", so it")[0] for message in caplog.messages] == lines


def test_a_wrong_key_of_a_device_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    devices = yaml.safe_load((ROOT / "resources" / "devices.yaml").read_text())
    devices["cpu-core"]["flop"] = devices["cpu-core"].pop("flops")
    monkeypatch.setattr(make_plan, "read_yaml", lambda path: devices)
    training = SimpleNamespace(rule=SimpleNamespace(name="train"))
    workflow = SimpleNamespace(dag=SimpleNamespace(needrun_jobs=lambda: [training]))
    with pytest.raises(UserError, match=r"devices\.yaml: cpu-core is wrong \(no 'flops'\)"):
        announce(workflow, load())


@pytest.mark.parametrize(
    ("gpu", "said"),
    [
        ("NVIDIA of another age", "No GPU of known speed here"),
        ("NVIDIA GeForce RTX 4090", "By the plan, all jobs take about"),
    ],
)
def test_the_time_on_a_gpu_of_unknown_speed_is_not_invented(
    gpu: str, said: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("snakemake.logging.logger", logging.getLogger("run"))
    monkeypatch.setattr(make_plan, "first_gpu", lambda: gpu)
    of = {"run": "base", "source": "en", "target": "de"}
    job = SimpleNamespace(
        jobid=1,
        rule=SimpleNamespace(name="train"),
        wildcards=SimpleNamespace(**of),
        wildcards_dict=of,
        resources={},
    )
    workflow = SimpleNamespace(
        dag=SimpleNamespace(needrun_jobs=lambda: [job]), local_exec=False, global_resources=limits(2)
    )
    with caplog.at_level(logging.INFO):
        announce(workflow, load(scale="paper"))
    assert said in caplog.text


def test_the_time_on_cpus_is_that_of_the_machines_that_made_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The slowest and the fastest; what is left is planned with the middle one."""
    of = {"run": "base", "source": "en", "target": "de"}
    job = SimpleNamespace(
        jobid=1, rule=SimpleNamespace(name="train"), wildcards_dict=of, resources={"_cores": 1}
    )
    workflow = SimpleNamespace(
        dag=SimpleNamespace(needrun_jobs=lambda: [job]),
        local_exec=True,
        global_resources=limits(2),
    )
    for module in (make_plan, run_start):
        monkeypatch.setattr(module, "rebuilt_rates", lambda _: [1e10, 2e10, 8e10])
    plan, said = time_of_all(workflow, load())
    assert said == "All jobs take 2 min to 19 min with as many cores of the machines in docs/rebuilds.csv."
    assert plan[1][0] == pytest.approx(4 * 146, rel=0.01)


def test_the_machines_that_made_all_have_a_rate() -> None:
    """That is for the numerics which they had, and if the user asks for no other machine."""
    rates = rebuilt_rates(load())
    assert 1e10 < rates[0] <= rates[-1] < 1e12
    assert rebuilt_rates(load(scale="small")) == rebuilt_rates(load(plan_device="cpu-core-zen5")) == []
