"""The program that starts another one with a fast memory allocator."""

import os
import subprocess
import sys
from pathlib import Path

from transformer.common.malloc import training_environment

SCRIPT = Path(__file__).parents[2] / "workflow" / "fast_malloc.py"


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, *command], capture_output=True, text=True, env=os.environ)


def test_the_program_sees_the_variables_and_its_exit_status_counts() -> None:
    names = list(training_environment())
    code = "import os, sys; print(*map(os.environ.get, sys.argv[1:])); sys.exit(3)"
    ended = run(sys.executable, "-c", code, *names)
    assert (ended.returncode, ended.stdout.strip(), ended.stderr) == (
        3,
        " ".join(training_environment().values()),
        "",
    )


def test_a_missing_program_is_named_in_one_line() -> None:
    ended = run("no such program")
    assert (ended.returncode, ended.stderr) == (1, "error: no such program: No such file or directory\n")
