"""Portable numerics give the same bits on an emulated Intel, and a processor without AVX2 computes in fp32."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CAMPAIGN = Path(__file__).parents[1] / "campaigns" / "processors.py"


@pytest.mark.timeout(1800)  # torch is slow on an emulated processor
@pytest.mark.skipif(not shutil.which("qemu-x86_64"), reason="qemu-x86_64 is not installed")
def test_the_same_bits_on_an_emulated_processor() -> None:
    command = [
        sys.executable,
        str(CAMPAIGN),
        "--processors",
        "Haswell",
        "--kinds",
        "base",
        "parser",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("the same") == 6
