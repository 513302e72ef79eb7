"""The program that shows training curves ends with Snakemake, however Snakemake ends."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# In place of src/transformer/training/track.py: it says that it runs, and once its input ends that it has ended.
SCRIPT = """
import pathlib, sys
pathlib.Path(sys.argv[-1], "runs").touch()
sys.stdin.read()
pathlib.Path(sys.argv[-1], "ended").touch()
"""
# In place of Snakemake.
START = """
import os, sys, time, tracker
from pathlib import Path
tracker.require = lambda package, lock: None
tracker.start_tracker("tensorboard", "script.py", "runs", "my logs/tensorboard")
while not Path("my logs/tensorboard/runs").exists():
    time.sleep(0.01)
assert not Path("my logs/tensorboard/ended").exists()
"""


def start(folder: Path, end: str) -> subprocess.CompletedProcess[str]:
    (folder / "script.py").write_text(SCRIPT)
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "workflow")])
    return subprocess.run(
        [sys.executable, "-c", START + end],
        cwd=folder, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("end", ["", "sys.exit(1)", "raise KeyboardInterrupt"])
def test_it_is_waited_for(tmp_path: Path, end: str) -> None:
    run = start(tmp_path, end)
    assert run.stderr.startswith("training curves: tensorboard --logdir 'my logs/tensorboard'\n")
    assert (tmp_path / "my logs/tensorboard/ended").exists()


def test_it_ends_when_snakemake_is_killed(tmp_path: Path) -> None:
    run = start(tmp_path, "os.kill(os.getpid(), 9)")
    assert run.returncode == -9
    for _ in range(500):
        if (tmp_path / "my logs/tensorboard/ended").exists():
            return
        time.sleep(0.02)
    pytest.fail("it goes on")
