"""The environment is described three times; the three must say the same."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


LOCKS = [f"requirements{part}.lock" for part in ("", "-export", "-track", "-browser", "-cuda", "-cpu")]


def hashes(name: str = "requirements.lock") -> dict[str, list[str]]:
    """The pins of a lock file, without what follows a semicolon, and the hashes of each."""
    pins: dict[str, list[str]] = {}
    for line in (ROOT / name).read_text().splitlines():
        line = line.removesuffix("\\").strip()
        if line.startswith("--hash="):
            pins[[*pins][-1]].append(line.removeprefix("--hash="))
        elif line and not line.startswith("#"):
            pins[line.partition(" ;")[0]] = []
    return pins


def lock(name: str = "requirements.lock") -> list[str]:
    return list(hashes(name))


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("name", LOCKS)
def test_every_pin_has_hashes(name: str) -> None:
    """pip then refuses every file that has another content, and every package that is not named."""
    for pin, found in hashes(name).items():
        assert found, pin
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", digest) for digest in found), pin
        assert len(set(found)) == len(found), pin
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", pin)


def test_the_lock_takes_torch_for_cpus_and_with_cuda() -> None:
    """Whoever installs requirements.lock by itself may have either build; `make` chooses one."""
    (cpu,) = hashes("requirements-cpu.lock").values()
    assert set(cpu) < set(hashes()[lock("requirements-cpu.lock")[0]])
    assert not set(lock("requirements-cuda.lock")) & set(lock())


def test_the_lock_holds_what_the_project_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    locked = {normal(line.split("==")[0]) for line in lock()}
    assert {normal(re.split(r"[<>=]", requirement)[0]) for requirement in named} <= locked


@pytest.mark.parametrize("extra", ["export", "track", "browser"])
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
    assert ["whl/cpu" in line for line in installs] == [True] * for_cpu + [False] * 4
    *packages, project = installs
    assert all(" --require-hashes " in line for line in packages)
    assert project.endswith(" --no-deps --no-build-isolation --editable .")


def test_what_is_built_from_source_is_built_with_what_the_lock_has(tmp_path: Path) -> None:
    """pip would download the packages that build another one, and would not compare them with the lock."""
    pins = re.findall(r"sed -n .*?/p' requirements.lock", installation(tmp_path, "TORCH=cpu").stdout)
    chosen = [subprocess.run(pin, shell=True, cwd=ROOT, capture_output=True, text=True) for pin in pins]
    (tmp_path / "first.lock").write_text(chosen[0].stdout)
    (tmp_path / "source.lock").write_text(chosen[1].stdout)
    assert [pin.split("==")[0] for pin in hashes(str(tmp_path / "first.lock"))] == ["setuptools", "torch"]
    source = hashes(str(tmp_path / "source.lock"))
    assert [pin.split("==")[0] for pin in source] == ["antlr4-python3-runtime", "connection_pool"]
    assert all(len(found) == 1 for found in source.values())  # the source; a wheel would be a second file
    assert all(found == hashes()[pin] for pin, found in source.items())
