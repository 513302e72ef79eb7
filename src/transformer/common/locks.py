"""Locks on files, which end with the process that has them, however it ends."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from transformer.common.errors import UserError
from transformer.common.notes import say


def lock(path: Path, kind: int = fcntl.LOCK_EX, name: str = "", *, waits: bool = False) -> int | None:
    """Lock a file until the process ends, also as another program, and write into it who holds it: the process.

    Returns its descriptor, or None if another process has the lock and this one does not wait.  Where the file system
    has no locks, as Lustre without `flock`, a note says so, and the program goes on without one.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(descriptor, kind if waits else kind | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError as error:
        say(
            f"{path}: this file system has no locks ({error.strerror}), so two programs that write the same files "
            "would not notice each other; start one Snakemake at a time here, and none while an earlier one's jobs run"
        )
    os.ftruncate(descriptor, 0)
    os.write(descriptor, (name or f"process {os.getpid()} on {os.uname().nodename}").encode())
    os.set_inheritable(descriptor, True)
    return descriptor


def holder(path: Path) -> str:
    """Return the process that locked a file, by what :func:`lock` wrote into it."""
    return path.read_text() or "another process"


@contextlib.contextmanager
def held(path: Path, other: str, *, waits: bool = True) -> Iterator[None]:
    """Hold a lock in this block.  While another process holds it, wait, and say so; ``other`` is what that may be.

    Raises UserError instead if it ``waits`` for nobody.
    """
    descriptor = lock(path)
    if descriptor is None:
        by = f"held by {holder(path)}, most likely {other}"
        if not waits:
            raise UserError(f"{path}: {by}; run again when that has ended")
        say(f"waiting for {path}, {by}: this job goes on by itself when that has ended, or was killed")
        descriptor = lock(path, waits=True)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)
