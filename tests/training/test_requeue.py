"""What SLURM answers when a job asks to be queued again."""

import os
from pathlib import Path

import pytest

from transformer.training.requeue import requeue


def test_a_job_is_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    requeue()
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("SLURM_JOB_ID", "45678")
    requeue()
    assert capsys.readouterr().err == "job 45678: scontrol: No such file or directory\n"
    program, asked = tmp_path / "scontrol", tmp_path / "asked"
    for error, said in (("", "it will be run again"), ("not allowed\\n", "not allowed")):
        program.write_text(f"#!/bin/sh\necho \"$@\" > {asked}\nprintf '{error}' >&2\n")
        program.chmod(0o755)
        requeue()
        assert capsys.readouterr().err == f"job 45678: {said}\n"
        assert asked.read_text() == f"requeue 45678{os.linesep}"
