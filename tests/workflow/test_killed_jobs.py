"""The advice for killed jobs, from logs in the words of Snakemake 9 and SLURM 22.05."""

from pathlib import Path

import pytest

from killed_jobs import killed_jobs

START = """
[Sat Nov 21 07:30:12 2026]
rule {rule}:
    input: data/a
    output: data/b
    jobid: 1
    resources: tmpdir=/tmp, mem_mb={memory}, mem_mib=1908
"""
FAILED = """[Sat Nov 21 07:30:12 2026]
Error in rule {rule}:
    message: {message}
    jobid: 1
    log: logs/{rule}.log (check log file(s) for error details)
    shell:
        python src/{rule}.py
        (command exited with non-zero exit code)
Logfile logs/{rule}.log:
================================
{log}
================================
"""
RAISED = """RuleException:
CalledProcessError in file "rules.smk", line 8:
Command 'set -euo pipefail;  python src/x.py' {how}.
"""


def story(
    rule: str = "clean", memory: int = 2000, how: str = "", message: str = "None", log: str = ""
) -> str:
    """Snakemake's log of one job that failed."""
    raised = RAISED.format(how=how) if how else ""
    return (
        START.format(rule=rule, memory=memory) + raised + FAILED.format(rule=rule, message=message, log=log)
    )


def lines(tmp_path: Path, *stories: str) -> list[str]:
    (tmp_path / "log").write_text("".join(stories))
    return list(killed_jobs([tmp_path / "log"]))


@pytest.mark.parametrize(
    "ending",
    [
        {"how": "returned non-zero exit status 137"},
        {"how": "died with <Signals.SIGKILL: 9>"},
        {
            "message": "SLURM-job '7' failed, SLURM status is: 'OUT_OF_MEMORY'. Detailed failure reason unavailable"
        },
        {"log": "srun: error: n1: task 0: Out Of Memory"},
        {
            "log": "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=2.0. Some of your processes may have"
        },
        {
            "log": "slurmstepd-n1: error: StepId=2.0 exceeded memory limit (155975680 > 104857600), being killed"
        },
    ],
)
def test_one_line_with_twice_the_memory(tmp_path: Path, ending: dict[str, str]) -> None:
    others = story("encode", how="returned non-zero exit status 1"), story("train", log="error: no such file")
    assert lines(tmp_path, others[0], story("clean", 2000, **ending), others[1]) == [
        "error: clean was killed, most likely because memory ran out; on a cluster give it more, e.g. "
        "--set-resources clean:mem_mb=4000; on one machine run fewer jobs at a time, e.g. --cores 1"
    ]


def test_a_retry_is_told_once(tmp_path: Path) -> None:
    assert len(lines(tmp_path, *2 * [story("train", how="died with <Signals.SIGKILL: 9>")])) == 1


def test_other_failures_are_not_memory(tmp_path: Path) -> None:
    for how in ("returned non-zero exit status 1", "died with <Signals.SIGTERM: 15>"):
        assert lines(tmp_path, story(how=how, log="error: line 3: invalid UTF-8")) == []
    assert lines(tmp_path, story(message="SLURM-job '7' failed, SLURM status is: 'TIMEOUT'.")) == []
