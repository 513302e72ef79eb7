"""What `make` hands on to Snakemake."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_values_may_have_blanks() -> None:
    command = ["make", "--dry-run", "results/table2.tex", "SCALE=my scale", "MIRROR=/media/my disk", "SEED=2"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "--config 'scale=my scale' 'mirror=/media/my disk' seed=2\n" in printed
    (said,) = re.findall('REPORT_COMMAND="(.*?)"', printed)
    assert shlex.split(said) == ["make", "report", "SCALE=my scale", "MIRROR=/media/my disk", "SEED=2"]


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_a_variable_that_nothing_reads_is_refused() -> None:
    for given in ("scale=small", "SEEDS=[1,2]"):
        command = ["make", "--dry-run", "results/table2.tex", "SEED=2", given]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert f"*** nothing reads {given.partition('=')[0]}=…; `make help` lists what" in run.stderr
        assert run.returncode == 2
        assert "snakemake" not in run.stdout
