"""Two Snakemakes in one folder: the second refuses to make what the first reads or makes, in one line."""

import fcntl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from transformer.common.errors import UserError
from writers import claim

HOLDER = "import sys, writers; claimed = writers.claim(['data'], ['table'], sys.argv[1]); print(flush=True); input()"


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process, which reads ``data`` and makes ``table``."""
    workflow = Path(__file__).parents[2] / "workflow"
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, cwd=workflow, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


@pytest.mark.parametrize(
    ("reads", "writes", "shared"),
    [([], ["a", "table"], "table"), (["table"], [], "table"), ([], ["data"], "data")],
)
def test_what_the_other_makes_or_reads_is_refused(
    tmp_path: Path, other: subprocess.Popen[bytes], reads: list[str], writes: list[str], shared: str
) -> None:
    message = rf"another Snakemake \(process {other.pid}, since .*\) is at work on {shared}; wait until it has ended"
    with pytest.raises(UserError, match=message):
        claim(reads, writes, tmp_path)
    other.kill()
    other.wait()
    claim(reads, writes, tmp_path).close()


def test_both_may_read_the_same_and_make_something_else(
    tmp_path: Path, other: subprocess.Popen[bytes]
) -> None:
    claim(["data"], ["figure"], tmp_path).close()
    other.kill()
    other.wait()
    claim(["data"], ["table"], tmp_path).close()
    assert len(list(tmp_path.glob("*.json"))) == 1  # claims of the dead are removed


def test_the_locks_are_such_as_nfs_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NFS makes a flock of lockf, which needs a file that is open for reading, writing, or both."""
    monkeypatch.setattr(fcntl, "flock", fcntl.lockf)
    (tmp_path / "elsewhere-1.json").write_text('{"reads": [], "writes": ["table"]}')  # its process has ended
    claim(["data"], ["table"], tmp_path).close()
    assert not (tmp_path / "elsewhere-1.json").exists()
