"""A lock lasts as long as its process, and a file system without locks ends nothing."""

import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from transformer.common.errors import UserError
from transformer.common.locks import held

HOLD = "import sys, time; from pathlib import Path; from transformer.common.locks import held\n"
HOLD += "with held(Path(sys.argv[1]), 'a test'): print('ready', flush=True); time.sleep(float(sys.argv[2]))"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}


def hold(lock: Path, seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOLD, str(lock), str(seconds)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=ENVIRONMENT, stdout=pipe, stderr=pipe, text=True)


def test_the_second_waits_until_the_first_has_ended_however_it_ends(tmp_path: Path) -> None:
    lock = tmp_path / "a lock"
    with hold(lock, 60) as first:
        assert first.stdout
        assert first.stdout.readline() == "ready\n"
        here = f"held by process {first.pid} on {os.uname().nodename}"
        with (
            pytest.raises(
                UserError, match=f"a lock: {here}, most likely a test; run again when that has ended"
            ),
            held(lock, "a test", waits=False),
        ):
            pytest.fail("two hold it")
        with hold(lock, 0) as second:
            assert second.stderr
            said = second.stderr.readline()
            assert second.poll() is None
            first.kill()
            assert second.communicate(timeout=30) == ("ready\n", "")
    assert said.startswith(f"note: waiting for {lock}, {here}, most likely a test: ")
    with held(lock, "a test"):  # and after the second
        pass


@pytest.mark.parametrize("number", [errno.ENOSYS, 524])
def test_a_file_system_without_locks_is_named_and_does_not_end_a_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    """As Lustre that is mounted without the option flock; 524 is a Cray's."""

    def missing(*_: object) -> None:
        raise OSError(number, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", missing)
    with held(tmp_path / ".lock", "a test"):
        pass
    said = (
        f"note: {tmp_path}/.lock: this file system has no locks (Function not implemented), so two programs"
    )
    assert capsys.readouterr().err.startswith(said)
