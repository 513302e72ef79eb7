"""A program that holds a lock until it ends."""

import fcntl
import subprocess
import sys
import time
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "workflow" / "hold_lock.py"


def start(lock: Path, *command: str) -> subprocess.Popen[str]:
    line = [sys.executable, str(SCRIPT), str(lock), *command]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def is_held(lock: Path) -> bool:
    with lock.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def wait_until_held(lock: Path) -> None:
    deadline = time.monotonic() + 30
    while not (lock.exists() and is_held(lock)):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_second_waits_until_the_first_has_ended_however_it_ends(tmp_path: Path) -> None:
    lock = tmp_path / "a lock"
    with start(lock, "sleep", "60") as first:
        wait_until_held(lock)
        with start(lock, "echo", "done") as second:
            time.sleep(0.5)
            assert second.poll() is None
            first.kill()
            assert second.communicate(timeout=30)[0] == "done\n"
    assert not is_held(lock)


def test_signals_and_the_exit_status_are_those_of_the_program(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with start(lock, sys.executable, "-c", "import os; print(os.getpid())") as process:
        assert process.communicate(timeout=30)[0] == f"{process.pid}\n"
    with start(lock, "sh", "-c", "trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done") as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        process.terminate()
        assert process.wait(timeout=30) == 7


def test_a_missing_program_is_one_line(tmp_path: Path) -> None:
    with start(tmp_path / "lock", "no-such-program") as process:
        said = process.communicate(timeout=30)[1]
    assert said == "error: no-such-program: No such file or directory\n"
    assert process.returncode == 1
