"""`benchmarks/gpu.py` with tiny models on the CPU, as on a machine that lacks some of the project's packages."""

import json
import os
import subprocess
import sys
from pathlib import Path

from gpu import MEASUREMENTS

ROOT = Path(__file__).parents[2]
# Python imports this file when it starts.
WITHOUT_PACKAGES = """
import sys

class Absent:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in ("dvc", "jsonschema", "nltk", "requests", "sacremoses", "snakemake"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent)
"""


def test_every_kind_of_measurement(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_PACKAGES)
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}:{ROOT / 'src'}", "OMP_NUM_THREADS": "1"}
    output = tmp_path / "out.jsonl"
    command = [sys.executable, str(ROOT / "benchmarks/gpu.py"), "--device", "cpu", "--output", str(output)]
    command += ["--only", "fp32"]  # which every processor has
    names = [name for name in MEASUREMENTS if "fp32" in name]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    machine, *measured = map(json.loads, output.read_text().splitlines())
    assert machine.keys() == {"device", "torch"}
    assert [figures["measurement"] for figures in measured] == names
    assert [figures for figures in measured if "error" in figures or not figures.get("agrees", True)] == []
    assert run.returncode == 0, run.stderr
    rows = {figures["measurement"]: figures for figures in measured}
    # On the CPU itself, fp32 has the same bits.
    assert rows["loss and gradient, fp32"]["gradient"] == 0
    assert all(f"| {name} |" in run.stdout for name in names)
