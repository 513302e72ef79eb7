"""Paths as results record them."""

from pathlib import Path

import pytest

from transformer.common.project import find_recorded, local_path, recorded_path


def test_paths_of_the_working_folder_are_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("results/demo/scores.json")
    for path in (file, tmp_path / file):
        assert local_path(path) == file
        assert recorded_path(path) == file.as_posix()
    assert local_path("/elsewhere/scores.json") == Path("/elsewhere/scores.json")
    assert recorded_path(Path("/elsewhere/scores.json")) == "/elsewhere/scores.json"


def test_a_recorded_file_is_that_of_the_working_folder_unless_all_folders_share_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The project's own results say nothing about those of another folder."""
    project, folder = tmp_path / "project", tmp_path / "folder"
    monkeypatch.setattr("transformer.common.project.PROJECT", project)
    names = (
        "resources/literature.yaml",
        "config/runs.yaml",
        "results/demo/table2.json",
        "data/demo/train.en",
    )
    for name in names:
        for place in (project, folder):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).touch()
    monkeypatch.chdir(folder)
    shared, own = names[:2], names[2:]
    for name in shared:
        assert recorded_path(project / name) == name
        assert find_recorded(name) == project / name
    for name in own:
        assert recorded_path(project / name) == str(project / name)
        assert find_recorded(name) == Path(name)
        assert not find_recorded(name).exists()
    (folder / "config/runs.yaml").touch()
    assert find_recorded("config/runs.yaml").samefile(folder / "config/runs.yaml")
