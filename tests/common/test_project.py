"""Paths as results record them."""

from pathlib import Path

import pytest

from transformer.common.project import PROJECT, local_path, recorded_path, resource_file


def test_paths_of_the_working_folder_and_of_the_project_are_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("results/demo/scores.json")
    for path in (file, tmp_path / file):
        assert local_path(path) == file
        assert recorded_path(path) == file.as_posix()
    assert recorded_path(PROJECT / "config/runs.yaml") == "config/runs.yaml"
    assert local_path("/elsewhere/scores.json") == Path("/elsewhere/scores.json")
    assert recorded_path(Path("/elsewhere/scores.json")) == "/elsewhere/scores.json"


def test_resources_are_the_projects_in_every_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert resource_file("sources.yaml").is_file()
    monkeypatch.chdir(tmp_path)
    assert resource_file("sources.yaml").is_file()
