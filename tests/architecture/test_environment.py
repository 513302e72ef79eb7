"""The environment is described three times; the three must say the same."""

import re
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
