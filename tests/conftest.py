"""Shared by all tests: a folder with all that training a tiny model needs."""

from pathlib import Path

import pytest
import tiny
from hypothesis import settings

from transformer.common.json_artifacts import write_artifact

# Without a deadline, because a busy machine may take any time.  `make check` asks for fewer generated cases.
settings.register_profile("project", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=15)
settings.load_profile("project")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files of the longest tests, so that no process is left alone with one of them at the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: ("pipeline" not in item.path.parts, item.path not in slow))


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``config.json``, ``subwords.model`` and a folder ``data`` for ``src/training/train.py``; not to be written to."""
    folder = tmp_path_factory.mktemp("tiny_run")
    tiny.write_corpus(folder)
    write_artifact(folder / "config.json", tiny.run_config())
    return folder
