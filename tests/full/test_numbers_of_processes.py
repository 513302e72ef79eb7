"""Two and eight processes train the same model as one, and three the same bits in two parts."""

from pathlib import Path

import pytest
from processes import assert_same_training, difference, losses, run, train_alone, write_data


@pytest.fixture(scope="module")
def data(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tiny_run, tmp_path_factory.mktemp("processes") / "data")


@pytest.mark.parametrize("processes", [2, 8])
def test_any_number_of_processes_trains_the_same(data: Path, tmp_path: Path, processes: int) -> None:
    """Three are in tests/training/test_processes.py."""
    result = run(data, tmp_path / "several", processes)
    assert result.returncode == 0, result.stderr
    alone = train_alone(data, tmp_path / "alone")
    assert_same_training(alone, tmp_path / "several")
    assert losses(tmp_path / "several") == pytest.approx(losses(alone), abs=2e-6)


def test_three_processes_resume_with_the_same_bits(data: Path, tmp_path: Path) -> None:
    """Although DistributedDataParallel adds in another order in its very first pass."""
    for steps in (3, 6):
        assert run(data, tmp_path / "parts", 3, steps=steps).returncode == 0
    assert run(data, tmp_path / "whole", 3).returncode == 0
    assert difference(tmp_path / "parts", tmp_path / "whole") == 0
