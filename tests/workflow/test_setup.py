"""What gets into the wheel, and what building one leaves alone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project in git, with a scale of the user's own that git does not track."""
    project = tmp_path / "project"
    for name in (
        "setup.py",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "src/demo_grammar/__init__.py",
        "src/attention_command.py",
    ):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, project / name)
    (project / "config").mkdir()
    (project / "config" / "demo.yaml").touch()
    git = ["git", "-C", str(project)]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    for name in ("config/private.yaml", "src/demo_grammar/private.py", "src/demo_grammar/words/private.tsv"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("token: secret\n")
    return project


def build(project: Path, *options: object) -> int:
    line = [sys.executable, "setup.py", "--quiet", "build_py", *map(str, options)]
    return subprocess.run(line, cwd=project, env=os.environ, capture_output=True).returncode


def test_what_git_does_not_track_is_not_in_the_wheel(project: Path) -> None:
    built = project / "build" / "lib"
    (built / "stale").mkdir(parents=True)
    assert build(project) == 0
    files = {str(path.relative_to(built)) for path in built.rglob("*") if path.is_file()}
    carried = "attention_is_all_you_need"
    src = {f"{carried}/src/{name}" for name in ("attention_command.py", "demo_grammar/__init__.py")}
    names = {*src, f"{carried}/config/demo.yaml", f"{carried}.pth"}
    assert files == names


def test_a_folder_with_files_is_not_built_into(project: Path) -> None:
    thesis = project / "mine" / "thesis.txt"
    thesis.parent.mkdir()
    thesis.touch()
    assert build(project, "--build-lib", thesis.parent) == 1
    assert [*thesis.parent.iterdir()] == [thesis]
    assert build(project, "--build-lib", project / "new") == 0
