"""The names of devices."""

from pathlib import Path

import pytest
import torch

from transformer.model.device import device_name

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("Fast: 2 GHz ", "Fast: 2 GHz"),
        ("AMD EPYC", "AMD EPYC (family 25, model 17)"),
        ("AMD EPYC 9B14", "AMD EPYC 9B14"),
    ],
)
def test_the_name_of_a_processor(monkeypatch: pytest.MonkeyPatch, model: str, name: str) -> None:
    """Two generations must not have the same name: they round and cost differently."""
    first = f"processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: {model}\n"
    cpuinfo = f"{first}\nprocessor\t: 1\nmodel name\t: other\nmodel\t\t: 2\n"
    monkeypatch.setattr(Path, "read_text", lambda path: cpuinfo)
    assert device_name(CPU) == name
