"""What a user sees of a run of the micro DAG: in a log, on a terminal, after an error, and in a dry run."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from micro_project import COMMAND, copy_project

VARIABLE = "SNAKEMAKE_LOGGER_ATTENTION_FULL"
# Snakemake without this project's packages, as from another environment.
WITHOUT_THE_LOGGER = """
import sys

sys.path = [folder for folder in sys.path if not folder.rstrip("/").endswith("/src")]
from snakemake.cli import main

main(sys.argv[1:])
"""


def said(project: Path, command: Sequence[str], scale: str = "micro") -> subprocess.CompletedProcess[str]:
    """Run Snakemake as a user does, with both of its streams in one."""
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    line = [*command, "--config", f"scale={scale}"]
    streams: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.run(line, cwd=project, env=environment, timeout=300, **streams)


def test_table_2_is_told_in_120_lines(finished: Path) -> None:
    """The run that made the fixture, from nothing to Table 2."""
    lines = (finished / "said.log").read_text().splitlines()
    assert len(lines) <= 120
    told = "\n".join(lines)
    for run in ("base en-de", "base en-fr", "big en-de", "big en-fr"):
        assert (
            len(re.findall(rf"^\d\d:\d\d:\d\d +train {run} +started; log: logs/micro/train/", told, re.M))
            == 1
        )
        assert len(re.findall(rf"^\d\d:\d\d:\d\d +\d+/43 +train {run} +[\d:]+, ", told, re.M)) == 1
    assert "Trainings: " in told
    for run in ("base en-de", "big en-fr"):
        scored = rf"score_bleu {run} +[\d:]+\n    BLEU \d+\.\d \(sacreBLEU: .*\n"
        assert re.search(f"{scored}    source       .*\n    translation  .*\n    reference    ", told)
    assert not re.search("\x1b|█|Shell command|reason:|jobid|Select jobs", told)
    end = told[told.index("43 of 43 jobs done in ") :]
    assert "\nTransformer (base model), ours, as in the paper  " in end
    assert "\nresults/table2.tex (.csv and .md beside it)\n" in end
    assert lines[-1].startswith("results/index.html in place of the table")
    (own_log,) = re.findall(r"Snakemake's own log: (\S+)", told)
    own = (finished / own_log).read_text()
    assert own.count("Shell command: ") == own.count("Finished jobid: ") == 43
    assert "Job stats:" in own


def test_a_failed_job_is_named_with_the_end_of_its_log_and_what_to_do(finished: Path, tmp_path: Path) -> None:
    project = shutil.copytree(finished, tmp_path / "project")
    config = project / "config" / "micro.yaml"
    changed = re.sub(r"vocab_size: \d+", "vocab_size: 90000", config.read_text(), count=1)
    config.write_text(changed)
    run = said(project, COMMAND)
    assert run.returncode == 1
    lines = run.stdout.splitlines()
    (failed,) = (number for number, line in enumerate(lines) if "FAILED after" in line)
    assert "learn_subwords en-de" in lines[failed]
    shown = "\n".join(lines[failed:])
    assert "the last lines of logs/micro/learn_subwords/en-de.log:" in shown
    assert "    error: vocab_size: 90000 is more than this text can give" in shown
    assert "\nfailed: learn_subwords en-de (logs/micro/learn_subwords/en-de.log)." in shown
    assert "run the same command again" in " ".join(shown.split())
    assert (
        "transformer.subwords.learn_subwords" not in run.stdout
    )  # the command, which is in Snakemake's own log
    assert len(lines) < 40
    (own_log,) = re.findall(r"Snakemake's own log: (\S+)", run.stdout)
    own = (project / own_log).read_text()
    assert "Error in rule learn_subwords:" in own
    assert "transformer.subwords.learn_subwords" in own


def test_without_the_logger_snakemake_speaks_for_itself(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_THE_LOGGER, "--dry-run", "results/plan.md"]
    environment = {name: value for name, value in os.environ.items() if name not in (VARIABLE, "PYTHONPATH")}
    run = subprocess.run(
        command, cwd=copy_project(tmp_path), env=environment, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    assert "Job stats:" in run.stdout
    assert "reason: Missing output files: results/plan.md" in run.stdout
