"""cost.csv: the paper's estimate beside the counted operations."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pytest
from fake_runs import MakeRun

from transformer.tables.cost import cost, sustained_tflops
from transformer.tables.runs import read_runs


@pytest.mark.parametrize(
    ("device", "tflops"),
    [
        ("Tesla K80", 2.8),
        ("Tesla K40m", 3.7),
        ("Tesla M40 24GB", 6.0),
        ("P100-PCIE-16GB", 9.5),
        ("Quadro M4000", None),
        ("cpu", None),
    ],
)
def test_capacities_of_footnote_5(device: str, tflops: float | None) -> None:
    assert sustained_tflops(device) == tflops


def row(folder: Path) -> dict[Hashable, Any]:
    (found,) = cost(read_runs([folder])).to_dict("records")
    return found


def test_estimate(make_run: MakeRun) -> None:
    paper = row(make_run("base", "en-de", wall_seconds=43200, device_name="Tesla P100"))
    assert paper["estimated_flops"] == "8.208e+17"  # 12 h × 2 devices × 9.5 TFLOPS
    assert paper["counted_flops"] == 123456789012345


def test_other_hardware_is_blank(make_run: MakeRun) -> None:
    run = row(make_run("base", "en-de", wall_seconds=100))
    assert (run["sustained_tflops"], run["estimated_flops"]) == (None, "")
