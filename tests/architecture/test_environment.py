"""The environment is described three times; the three must say the same."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


def lock(name: str = "requirements.lock") -> list[str]:
    lines = (ROOT / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_lock_pins_every_package_exactly() -> None:
    assert all(
        re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line) for line in lock()
    )  # no +cpu: plain pip takes it


def test_the_lock_holds_what_the_project_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    locked = {normal(line.split("==")[0]) for line in lock()}
    assert {normal(re.split(r"[<>=]", requirement)[0]) for requirement in named} <= locked


@pytest.mark.parametrize("extra", ["export", "track"])
def test_the_lock_of_an_extra_comes_on_top(extra: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = lock(f"requirements-{extra}.lock")
    pinned = {normal(line.split("==")[0]) for line in lines}
    named = project["optional-dependencies"][extra]
    assert {normal(re.split(r"[<>=]", requirement)[0]) for requirement in named} <= pinned
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line) for line in lines)
    assert not pinned & {normal(line.split("==")[0]) for line in lock()}


def test_conda_pins_what_the_lock_pins() -> None:
    environment = yaml.safe_load((ROOT / "envs" / "transformer.yaml").read_text())
    pins = next(item["pip"] for item in environment["dependencies"] if isinstance(item, dict))
    assert pins == lock()


def installation(programs: Path, *variables: str) -> subprocess.CompletedProcess[str]:
    """What `make` would do to set up the environment, with further ``programs`` on PATH."""
    command = ["make", "--dry-run", "--always-make", ".venv/ready", *variables]
    environment = {name: value for name, value in os.environ.items() if name not in ("TORCH", "MAKEFLAGS")}
    environment["PATH"] = f"{programs}{os.pathsep}{environment['PATH']}"
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("gpu", "variables", "for_cpu"),
    [(False, [], True), (True, [], False), (True, ["TORCH=cpu"], True), (False, ["TORCH=cuda"], False)],
)
def test_make_installs_the_torch_that_fits_the_machine(
    gpu: bool, variables: list[str], for_cpu: bool, tmp_path: Path
) -> None:
    if gpu:
        program = tmp_path / "nvidia-smi"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    elif shutil.which("nvidia-smi"):
        pytest.skip("this machine has nvidia-smi")
    planned = installation(tmp_path, *variables)
    assert planned.returncode == 0, planned.stderr
    installs = [line for line in planned.stdout.splitlines() if " pip install " in line]
    assert ["whl/cpu" in line for line in installs] == ([True] if for_cpu else []) + [False, False]


def test_make_refuses_another_torch(tmp_path: Path) -> None:
    planned = installation(tmp_path, "TORCH=gpu")
    assert planned.returncode != 0
    assert "TORCH is 'gpu'; it must be cpu or cuda" in planned.stderr


def test_containers_use_the_makefile() -> None:
    """Neither names a package, which would be one more list to keep."""
    assert "make .venv/ready" in (ROOT / "Containerfile").read_text()
    settings = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    assert settings["postCreateCommand"] == "make .venv/ready"


def test_the_help_of_make_names_every_scale() -> None:
    said = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    readme = (ROOT / "README.md").read_text()
    for scale in ("demo", "small", "paper"):
        assert re.search(rf"^  {scale} .* GB", said, re.M)
        assert re.search(rf"^\| `{scale}`.* GB", readme, re.M)
