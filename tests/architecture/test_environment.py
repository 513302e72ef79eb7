"""The environment: the files that describe it say the same, and `make` installs what they pin."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


LOCKS = [f"requirements{part}.lock" for part in ("", "-cpu", "-cuda", "-extras")]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def lock(name: str = "requirements.lock") -> list[str]:
    """The lines of a lock file."""
    return [line for line in (ROOT / name).read_text().splitlines() if not line.startswith("#")]


def pinned(*names: str) -> set[str]:
    return {line.split("==")[0] for name in names for line in lock(name)}


def named(*extras: str) -> set[str]:
    """The names of the packages that pyproject.toml asks for."""
    requirements = [*PROJECT["dependencies"]] if not extras else []
    requirements += [line for extra in extras for line in PROJECT["optional-dependencies"][extra]]
    return {re.sub(r"[-_.]+", "-", re.split(r"[<>=]", line)[0]).lower() for line in requirements}


def test_the_locks_hold_what_the_project_names() -> None:
    """`make lock` has been called after the last change of the dependencies."""
    assert named() | named("dev") <= pinned("requirements.lock", "requirements-cpu.lock")
    assert named() | named("dev") <= pinned("requirements.lock", "requirements-cuda.lock")
    assert named("export", "track", "browser", "install") <= pinned("requirements-extras.lock")


def test_no_package_is_pinned_twice() -> None:
    """But torch, of which one build is installed."""
    main, cpu, cuda, extras = (pinned(name) for name in LOCKS)
    assert cpu == {"torch"} <= cuda
    assert not main & cuda
    assert not (main | cuda) & extras


def test_conda_pins_what_the_lock_pins() -> None:
    environment = yaml.safe_load((ROOT / "envs" / "transformer.yaml").read_text())
    pins = next(item["pip"] for item in environment["dependencies"] if isinstance(item, dict))
    torch = [line for line in lock("requirements-cuda.lock") if line.startswith("torch==")]
    assert pins == [line.split(" --hash")[0] for line in lock() + torch]
    assert f"python {PROJECT['requires-python']}" in environment["dependencies"]


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
    installs = re.findall(r"pip install .*? --requirement (\S+)", planned.stdout.replace("\\\n", " "))
    expected = ["requirements-cpu.lock"] * 2 * for_cpu + ["requirements-cuda.lock", "requirements.lock"]
    assert [file for file in installs if "extras" not in file and file != ".uv/pin"] == expected
    assert planned.stdout.count("--require-hashes") >= len(expected)


def copy_of_environment(folder: Path) -> Path:
    """Copy this environment and src/ into a folder, as `cp -a` does, but for the packages, which are linked."""
    here = Path(sysconfig.get_path("purelib"))
    packages = folder / ".venv" / here.relative_to(sys.prefix)
    packages.mkdir(parents=True)
    for entry in here.iterdir():
        if entry.suffix == ".pth":
            shutil.copy(entry, packages)
        else:
            (packages / entry.name).symlink_to(entry)
    shutil.copytree(Path(sys.prefix, "bin"), folder / ".venv" / "bin", symlinks=True)
    shutil.copy(Path(sys.prefix, "pyvenv.cfg"), folder / ".venv")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


WHERE = "import transformer, snakemake_logger_plugin_attention as logger; print(transformer.__file__, logger.__file__)"


@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="not in an environment of its own")
@pytest.mark.skipif(not (ROOT / ".venv" / "ready").exists(), reason="make has not made this environment")
def test_a_clone_that_is_copied_or_moved_runs_its_own_code(tmp_path: Path) -> None:
    """What Python imports, what the environment's programs run, and which loggers Snakemake finds."""
    folder = copy_of_environment(tmp_path / "copied")
    moved = tmp_path / "a folder" / "moved"
    moved.parent.mkdir()
    for place in (folder, moved):
        if place == moved:
            folder.rename(moved)
        environment = {**os.environ, "PATH": f"{place}/.venv/bin{os.pathsep}{os.environ['PATH']}"}
        environment.pop("PYTHONPATH", None)

        def said(*command: str, environment: dict[str, str] = environment) -> str:
            return subprocess.run(
                command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
            ).stdout

        files = said(f"{place}/.venv/bin/python", "-c", WHERE).strip()
        assert files.replace(f"{place}/src/", "").split() == [
            "transformer/__init__.py",
            "snakemake_logger_plugin_attention/__init__.py",
        ]
        # Snakemake finds the logger, and so knows its option.
        assert "--logger-attention-full" in said("snakemake", "--help")
        prefix = "import sys; print(sys.prefix)"
        assert said("bash", "-c", f"source '{place}/.venv/bin/activate' && python -c '{prefix}'") == (
            f"{place}/.venv\n"
        )
        for script in ("snakemake", "dvc", "pytest"):
            assert f"{place}/" not in Path(place, ".venv", "bin", script).read_text()
            assert str(ROOT) not in Path(place, ".venv", "bin", script).read_text()
