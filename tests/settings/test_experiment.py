"""What params.yaml changes in a scale."""

from pathlib import Path

import pytest
from configuration import copy_configuration, load, message


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return copy_configuration(tmp_path)


def write(project: Path, text: str) -> None:
    (project / "params.yaml").write_text(text)


def test_settings_of_the_scale_and_of_one_run(project: Path) -> None:
    before = load(project)
    write(
        project,
        "settings: {beam_size: 2}\nruns: {mine: {dropout: 0.3}, big: {steps: 700}}\nclean: {max_ratio: 9}\n",
    )
    after = load(project)
    assert after.scale_files == ("params.yaml", *before.scale_files)
    assert after.decoding("base", "en-de")["beam_size"] == 2
    assert after.run("mine", "en-de")["model"] == before.run("base", "en-de")["model"] | {"dropout": 0.3}
    big = after.run("big", "en-de")
    assert big["training"] == before.run("big", "en-de")["training"] | {"steps": 700}  # the rest as it was
    assert after.clean["en-de"] == before.clean["en-de"] | {"max_ratio": 9}


@pytest.mark.parametrize("text", ["", "settings: {}\nruns: {}\n", "runs:\n"])
def test_without_changes_messages_do_not_name_it(project: Path, text: str) -> None:
    write(project, text)
    assert load(project) == load(copy_configuration(project / "other"))
    (project / "config" / "demo.yaml").write_text("corpus: x\n")
    assert message(project).startswith("config/demo.yaml: ")


def test_it_cannot_inherit(project: Path) -> None:
    """The key was read by nobody."""
    write(project, "inherits: small\n")
    assert message(project) == (
        "params.yaml: inherits: only a scale's file can inherit; set it in config/demo.yaml"
    )
