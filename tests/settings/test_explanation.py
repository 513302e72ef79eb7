"""Which file and key give a run each of its settings."""

from pathlib import Path

import pytest
from configuration import copy_configuration, edit

from transformer.settings import scale_file
from transformer.settings.explanation import explain


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(scale_file, "in_project", lambda folder: folder == tmp_path)
    return copy_configuration(tmp_path)


def line(project: Path, key: str, run: str = "big", pair: str = "en-de", scale: str = "small") -> str:
    lines = explain(scale, run, pair, project).splitlines()
    return next(line for line in lines if line.startswith(f"{key}: "))


def test_what_the_scale_says_of_a_run_counts_most(project: Path) -> None:
    said = line(project, "steps", run="big-seed7")
    assert said.startswith("steps: 8000 (config/small.yaml: runs.big.steps), not 300000 (config/runs.yaml: ")


def test_divisors_pairs_and_defaults(project: Path) -> None:
    edit(project, "runs.yaml", "mine", value={"pairs": {"en-fr": {"d_model": 640}}})
    assert line(project, "d_model", run="mine", pair="en-fr").startswith(
        "d_model: 160 (config/runs.yaml: mine.pairs.en-fr.d_model, divided by 4), not 128 (config/runs.yaml: base."
    )
    assert line(project, "d_model", run="mine").startswith("d_model: 128 (config/runs.yaml: base.d_model, ")
    assert line(project, "kernel_size") == "kernel_size: 3 (the default)"
    assert line(project, "processes") == (
        "processes: 1 (config/small.yaml: settings.processes), not auto (the default)"
    )


def test_inherited_settings_and_those_of_an_experiment(project: Path) -> None:
    inherited = line(project, "checkpoint_every_steps", run="parser", scale="small-table3")
    assert inherited.startswith(
        "checkpoint_every_steps: 100 (config/small.yaml: runs.parser.checkpoint_every_steps), "
        "not 200 (config/small-table3.yaml: settings.checkpoint_every_steps), "
    )
    (project / "params.yaml").write_text("settings: {numerics: fp32}\n")
    assert line(project, "numerics") == "numerics: fp32 (params.yaml: settings.numerics)"
