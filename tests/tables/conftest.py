"""Shared by the tests of tables."""

from pathlib import Path

import fake_runs
import pytest


@pytest.fixture
def make_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> fake_runs.MakeRun:
    """``fake_runs.make_run`` in an empty working directory."""
    monkeypatch.chdir(tmp_path)
    return fake_runs.make_run


@pytest.fixture
def make_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> fake_runs.MakeRun:
    """``fake_runs.make_parser`` in an empty working directory."""
    monkeypatch.chdir(tmp_path)
    return fake_runs.make_parser
