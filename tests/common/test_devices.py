"""The devices of resources/devices.yaml by the names that machines give them."""

from pathlib import Path

import pytest

from transformer.common import devices
from transformer.common.devices import find_device, first_gpu
from transformer.common.project import resource_file
from transformer.common.yaml_files import read_yaml

KNOWN = read_yaml(resource_file("devices.yaml"))


@pytest.mark.parametrize(
    ("name", "device"),
    [
        ("Tesla K80", "K80"),
        ("Tesla K40m", "K40"),
        ("Tesla M40 24GB", "M40"),
        ("P100-PCIE-16GB", "P100"),
        ("NVIDIA A100-SXM4-80GB", "A100"),
        ("NVIDIA H100 80GB HBM3", "H100"),
        ("NVIDIA H200", "H200"),
        ("NVIDIA GeForce RTX 4090", "RTX4090"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", None),
        ("NVIDIA L40S", "L40S"),
        ("Tesla V100-SXM2-32GB", "V100"),
        ("AMD EPYC", "cpu-core"),
        ("AMD EPYC (family 25, model 17)", "cpu-core"),
        ("AMD EPYC 9B14", "cpu-core"),
        ("AMD EPYC (family 26, model 2)", "cpu-core-zen5"),
        ("AMD EPYC 9655 96-Core Processor", "cpu-core-zen5"),
        ("Intel(R) Xeon(R) Processor (family 6, model 167)", "cpu-core-amx"),
        ("AMD EPYC (family 25, model 1)", None),
        ("Quadro M4000", None),
        ("NVIDIA GH200 480GB", None),
        ("AMD EPYC 7763 64-Core Processor", None),
        ("cpu", None),
    ],
)
def test_names_of_devices(name: str, device: str | None) -> None:
    assert find_device(name, KNOWN) == device


def test_the_name_of_the_first_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "DRIVER", tmp_path)
    assert first_gpu() is None
    (tmp_path / "0000:01:00.0").mkdir()
    said = "Model: \t\t NVIDIA GeForce RTX 4090\nIRQ:   \t\t 127\n"
    (tmp_path / "0000:01:00.0" / "information").write_text(said)
    assert first_gpu() == "NVIDIA GeForce RTX 4090"
