"""What a run says at its start and at its end."""

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from configuration import ROOT, load

from transformer.common.errors import UserError
from transformer.planning import make_plan
from transformer.workflow import run_end
from transformer.workflow.run_end import report_command, result, tell_result
from transformer.workflow.run_start import announce, check_config_once, share, tell_of_memory

PAGE = """# Table 2: BLEU

**Ours: not comparable.**

A remark.

| Model          | EN-DE             | counted FLOPs   |
|:---------------|:------------------|:----------------|
| base, **ours** | 82.0 [80.4, 83.3] | 41.8            |
"""


def test_the_table_ends_a_run_with_its_path_and_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "table2.md").write_text(PAGE)
    made = {"results/table2.md", "results/table1.md"}
    title = ["Table 2: BLEU", "Ours: not comparable.", ""]
    page = "results/index.html  shows what there is, and its models translate what you type; open it in a browser"
    add = "add results/index.html to this command  for a page of it, whose models translate what you type"
    path = ["", "results/table2.tex (.csv and .md beside it)"]
    report = "next: make report  makes all tables and figures, and trains the models that they still need"
    assert result(made, [], "make report", width=120) == [*title, *PAGE.splitlines()[6:], *path, add, report]
    (tmp_path / "results" / "index.html").touch()
    old = "results/index.html is from an earlier run: add it to this command  to make it again"
    assert result(made, [], "make report", width=120)[-2:] == [old, report]
    everything = {*made, "results/comparison.md", "results/index.html"}
    assert result(everything, [], "make report", width=50) == [
        *title,
        "| Model          | EN-DE             |",
        "|:---------------|:------------------|",
        "| base, **ours** | 82.0 [80.4, 83.3] |",
        "(more columns in the file)",
        *path,
        page,
    ]


def test_without_a_table_the_files_that_were_asked_for_are_named() -> None:
    assert result({"a"}, ["a", "b", "c", "d"], "make report", 80) == ["a", "b", "c", "…"]


@pytest.mark.parametrize(
    ("touch", "said"), [(False, "data/demo/clean/a"), (True, "touched only: nothing was made or compared")]
)
def test_a_run_that_stops_early_or_touches_tells_of_its_own_files_only(
    touch: bool, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As after --until: the table that was asked for is there, from an earlier run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "table2.md").write_text(PAGE)
    cleaning = SimpleNamespace(output=["data/demo/clean/a"])
    dag = SimpleNamespace(jobs=[cleaning], targetjobs=[cleaning], targetfiles={"results/table2.md"})
    monkeypatch.setattr("snakemake.logging.logger", logging.getLogger("run"))
    with caplog.at_level(logging.INFO, "run"):
        tell_result(SimpleNamespace(dag=dag, touch=touch), "demo")
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
                dag=SimpleNamespace(jobs=[job], targetjobs=[job], targetfiles={"a"}), touch=False
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


def test_the_command_of_the_report_is_one_that_works_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert report_command("demo") == "make report"
    assert report_command("small") == "make report SCALE=small"
    assert report_command("my scale") == "make report SCALE='my scale'"
    monkeypatch.chdir(tmp_path)
    assert report_command("demo") == "snakemake … results/index.html"


@pytest.mark.parametrize(
    ("rule", "cores", "gpus", "expected"),
    [("train", 2, 0, 0.5), ("train", 8, 2, 0.25), ("train", 1, 0, 1), ("clean", 4, 0, 0.25)],
)
def test_a_job_uses_a_share_of_the_machine(rule: str, cores: int, gpus: int, expected: float) -> None:
    settings: Any = SimpleNamespace(
        processes=lambda run, pair: 1, run=lambda run, pair: {"training": {"threads": 1}}, jobs_per_gpu=2
    )
    wildcards = {"run": "base", "source": "en", "target": "de"}
    assert share(settings, rule, wildcards, cores, gpus) == expected


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
        announce(workflow, load(), 0)


@pytest.mark.parametrize(
    ("gpu", "said"),
    [
        ("NVIDIA of another age", "No GPU of known speed here"),
        ("NVIDIA GeForce RTX 4090", "All jobs take about"),
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
    workflow = SimpleNamespace(dag=SimpleNamespace(needrun_jobs=lambda: [job]), local_exec=False)
    with caplog.at_level(logging.INFO):
        announce(workflow, load(scale="paper"), 8)
    assert said in caplog.text
