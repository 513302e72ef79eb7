"""Paths as results record them."""

from pathlib import Path

import pytest

from transformer.common.project import PROJECT, find_recorded, local_path, recorded_path


def test_paths_of_the_working_folder_are_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("results/demo/scores.json")
    for path in (file, tmp_path / file):
        assert local_path(path) == file
        assert recorded_path(path) == file.as_posix()
    assert local_path("/elsewhere/scores.json") == Path("/elsewhere/scores.json")
    assert recorded_path(Path("/elsewhere/scores.json")) == "/elsewhere/scores.json"


def test_a_file_of_the_project_is_found_again_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = PROJECT / "resources" / "literature.yaml"
    recorded = recorded_path(file)
    assert recorded == "resources/literature.yaml"
    assert find_recorded(recorded).samefile(file)
    (tmp_path / "resources").mkdir()
    (tmp_path / recorded).write_text("own")
    assert find_recorded(recorded).read_text() == "own"
