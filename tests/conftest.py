"""What tests of several folders share: a folder to train a tiny model from, and a finished micro project."""

import copy
import fcntl
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tiny
from hypothesis import settings
from micro_project import COMMAND, copy_project, snakemake

from transformer.common import yaml_files
from transformer.common.artifacts import write_artifact

# One thread for each process of tests, whoever starts them: two of two would wait for one another, and a process that
# tests fork may wait for OpenMP's threads for ever.
os.environ["OMP_NUM_THREADS"] = "1"
# Without a deadline, because a busy machine may take any time.
settings.register_profile("default", deadline=None, max_examples=25)
settings.load_profile("default")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files of the longest tests, so that no process is left alone with one of them at the end."""
    items.sort(key=lambda item: item.path.parent.name not in ("full", "pipeline"))


@pytest.fixture(scope="session", autouse=True)
def _no_needless_waits() -> Iterator[None]:
    """Parse each YAML text once, and do not wait for the disk, which matters only where a test cuts the power.

    Tests load the configuration hundreds of times and write thousands of files, which would take most of their time.
    """
    parse, parsed = yaml_files._Loader.get_single_data, {}

    def parse_once(loader: Any) -> Any:
        if loader.buffer not in parsed:
            parsed[loader.buffer] = parse(loader)
        return copy.deepcopy(parsed[loader.buffer])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_files._Loader, "get_single_data", parse_once)
        patch.setattr(os, "fsync", os.fstat)
        yield


@pytest.fixture(scope="session", autouse=True)
def _in_an_empty_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run in a folder and with a home that hold nothing: a clone may have results, and a user settings of programs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("working_folder"))
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _signals_of_a_terminal() -> None:
    """Obey Ctrl-C and a closed terminal: a shell that starts the tests in the background may ignore both."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``config.json``, ``subwords.model`` and a folder ``data`` for ``train.py``; not to be written to."""
    folder = tmp_path_factory.mktemp("tiny_run")
    tiny.write_corpus(folder)
    write_artifact(folder / "config.json", tiny.run_config())
    return folder


@pytest.fixture(scope="session")
def tiny_model(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with random weights and the subwords of ``tiny_run``; not to be written to."""
    from transformer.model.storage import save_model
    from transformer.subwords.subwords import load_subwords

    folder = tmp_path_factory.mktemp("tiny_model")
    subwords = load_subwords(tiny_run / "subwords.model")
    save_model(folder, tiny.model(subwords.vocab_size), subwords.sha256, "fp32")
    return folder


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose Tables 2 and 4 and metrics have been made; tests copy it and leave it as it is.

    If several processes run tests, the first that needs it makes it, and the others wait.
    """
    session = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        session = session.parent  # each process has a folder of its own in that of the session
    project = session / "finished"
    with (session / "finished.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not project.exists():
            run = snakemake(copy_project(project), SNAKEMAKE_LOGGER_ATTENTION_FULL="false")
            assert run.returncode == 0, run.stdout + run.stderr
            (project / "said.log").write_text(run.stdout + run.stderr)  # test_terminal.py reads it
            run = snakemake(
                project,
                command=[
                    *COMMAND,
                    "results/table4.csv",
                    "results/metrics.json",
                    "results/first.html",
                    "results/table2.html",
                ],
            )
            assert run.returncode == 0, run.stdout + run.stderr
    return project
