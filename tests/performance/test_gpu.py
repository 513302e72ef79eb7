"""`benchmarks/gpu.py`, without its measurements (`tests/full/test_gpu_benchmark.py` has those)."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import gpu
import pytest
import torch
from gpu import TINY, Bench, Figures, memory_in_use

from transformer.common.errors import UserError


def main(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["gpu.py", *map(str, arguments)])
    return gpu.main()


def test_a_measurement_that_fails_is_said_in_its_row_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(bench: Bench) -> Figures:
        bench.call("cpu", "decoding/translate.py", "--no-such-option")
        return {}

    measurements: dict[str, Any] = {"broken": failing, "next": lambda bench: {"agrees": True, "seconds": 2}}
    monkeypatch.setattr(gpu, "MEASUREMENTS", measurements)
    monkeypatch.setattr(gpu, "prepare", lambda bench: None)
    assert main(monkeypatch, "--output", tmp_path / "out.jsonl", "--device", "cpu") == 1
    _, broken, fine = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert broken["error"].startswith("RuntimeError: decoding/translate.py ended with 2: ")
    assert fine == {"measurement": "next", "agrees": True, "seconds": 2}
    assert "| next | agrees: True, seconds: 2 |" in capsys.readouterr().out


def test_memory_is_that_of_the_script_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A made-up nvidia-smi says how much of the GPU is in use, others' share included."""
    for name, text in (
        ("nvidia-smi", f"#!/bin/sh\ncat {tmp_path}/used\n"),
        ("python", "#!/bin/sh\nsleep 0.5\n"),
    ):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    (tmp_path / "used").write_text("500\n")
    with memory_in_use("cuda") as used:
        for number in (500, 2500, 700):
            (tmp_path / "used").write_text(f"{number}\n")
            while used[-1:] != [number]:
                time.sleep(0.05)
        (tmp_path / "used").write_text("[N/A]\n")
    assert (used[0], max(used)) == (500, 2500)
    (tmp_path / "used").write_text("500\n")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    bench = Bench(tmp_path, "cuda", TINY)
    bench.call("cuda", "script.py")
    assert bench.gigabytes == 0
    bench.call("cpu", "script.py")
    assert bench.gigabytes is None


def test_a_machine_without_a_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UserError, match="torch finds no GPU; try the script with tiny models: --device cpu"):
        main(monkeypatch, "--output", tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()
