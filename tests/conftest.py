"""Shared by all tests: a folder with all that training a tiny model needs."""

import json
from pathlib import Path

import pytest
import tiny


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``config.json``, ``subwords.model`` and a folder ``data`` for ``src/training/train.py``; not to be written to."""
    folder = tmp_path_factory.mktemp("tiny_run")
    tiny.write_corpus(folder)
    (folder / "config.json").write_text(json.dumps(tiny.run_config()))
    return folder
