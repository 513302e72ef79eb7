"""The commit that results are recorded to be from."""

import subprocess
from pathlib import Path

import pytest

from transformer.tables.commit import describe_commit


def repository(folder: Path) -> str:
    """Make a repository with one commit, and return that."""
    folder.mkdir(exist_ok=True)
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for line in (["init", "-q"], [*identity, "commit", "-q", "--allow-empty", "-m", folder.name]):
        subprocess.run(["git", *line], cwd=folder, check=True)
    found = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


def test_only_a_repository_of_its_own_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The project may be copied into the repository of a thesis."""
    project = tmp_path / "thesis" / "project"
    foreign = repository(tmp_path / "thesis")
    project.mkdir()
    monkeypatch.setattr("transformer.tables.commit.PROJECT", project)
    assert describe_commit() == "unknown: not in a git repository"
    own = repository(project)
    assert own != foreign
    assert own.startswith(describe_commit())


def test_a_worktree_is_a_repository_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = repository(tmp_path / "main")
    command = ["git", "worktree", "add", "-q", str(tmp_path / "tree")]
    subprocess.run(command, cwd=tmp_path / "main", check=True)
    (tmp_path / "link").symlink_to(tmp_path / "tree")
    monkeypatch.setattr("transformer.tables.commit.PROJECT", tmp_path / "link")
    assert commit.startswith(describe_commit())
