"""Runs without Snakemake's record of how they were made, and records of settings that did not make them."""

from base64 import urlsafe_b64encode
from pathlib import Path

import pytest
from configuration import copy_configuration

from transformer.common.artifacts import write_artifact
from transformer.common.errors import UserError
from transformer.common.yaml_files import read_yaml
from transformer.settings.settings import Settings, load_settings
from transformer.workflow.records import check_recorded

BUILD, TOUCHES = ["--cores", "1", "results/table2.tex"], ["--touch", "--forceall", "results/table2.tex"]


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Those of a folder in which two runs were made."""
    copy_configuration(tmp_path)
    monkeypatch.chdir(tmp_path)
    settings = load_settings(read_yaml("config/config.yaml"))
    for run in ("base", "big"):
        config = f"results/demo/runs/{run}/en-de/config.json"
        write_artifact(config, settings.run(run, "en-de"))
        mark("metadata", config)
    return settings


def mark(folder: str, made: str) -> Path:
    path = Path(".snakemake", folder, urlsafe_b64encode(made.encode()).decode())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")
    return path


def test_runs_without_a_record_are_named_with_the_command_that_records_them(settings: Settings) -> None:
    """As after `dvc pull`, or `cp -r project/* elsewhere`, which leaves .snakemake behind."""
    check_recorded(settings, BUILD)
    for path in Path(".snakemake/metadata").iterdir():
        path.unlink()
    with pytest.raises(
        UserError, match="base/en-de/config.json and 1 more: Snakemake .* --touch --forceall --cores 1 TARGET"
    ):
        check_recorded(settings, BUILD)
    check_recorded(settings, TOUCHES)


def test_what_a_killed_job_has_left_is_made_again_by_snakemake(settings: Settings) -> None:
    left = "results/demo/runs/mine/en-de/config.json"
    write_artifact(left, {"run": "mine"})
    mark("incomplete", left)
    check_recorded(settings, BUILD)


def test_files_of_other_settings_are_not_touched(settings: Settings) -> None:
    """Snakemake would record them as made by the present ones, and nothing would be made again."""
    check_recorded(settings, TOUCHES)
    changed = settings.run("big", "en-de")
    changed["training"]["steps"] += 1
    write_artifact("results/demo/runs/big/en-de/config.json", changed)
    check_recorded(settings, BUILD)  # Snakemake's own record shows the change
    with pytest.raises(UserError, match="big/en-de/config.json: was made with other settings"):
        check_recorded(settings, TOUCHES)
