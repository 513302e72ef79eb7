"""Locks on files, which end with the process that has them, however it ends."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from transformer.common.errors import UserError
from transformer.common.notes import say


def flock(path: Path, descriptor: int, kind: int) -> None:
    """Lock an open file; where its file system has no locks, as Lustre without `flock`, say so and go on without one.

    Raises BlockingIOError when another process has the lock, and ``kind`` says not to wait.
    """
    try:
        fcntl.flock(descriptor, kind)
    except BlockingIOError:
        raise
    except OSError as error:
        say(
            f"{path}: this file system has no locks ({error.strerror}), so two programs that write the same files "
            "would not notice each other; start one Snakemake at a time here, and none while an earlier one's jobs run"
        )


@contextlib.contextmanager
def held(path: Path, other: str, *, waits: bool = True) -> Iterator[None]:
    """Hold a lock in this block.  While another process holds it, wait, and say so; ``other`` is what that may be.

    Raises UserError instead if it ``waits`` for nobody.
    """
    descriptor = lock_now(path, fcntl.LOCK_EX)
    if descriptor is None and not waits:
        raise UserError(f"{path}: held by {holder(path)}, most likely {other}; run again when that has ended")
    if descriptor is None:
        say(
            f"waiting for {path}, held by {holder(path)}: most likely {other}. This job goes on by itself when that "
            "ends; `kill` ends it sooner, and it saves a checkpoint first."
        )
        descriptor = _lock(path, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(descriptor)


def lock_now(path: Path, kind: int, name: str = "") -> int | None:
    """Lock a file, and return its descriptor, or None if another process has locked it."""
    try:
        return _lock(path, kind | fcntl.LOCK_NB, name)
    except BlockingIOError:
        return None


def holder(path: Path) -> str:
    """Return the process that locked a file, by what :func:`_lock` wrote into it."""
    return path.read_text() or "another process"


def _lock(path: Path, kind: int, name: str = "") -> int:
    """Lock a file until the process ends, also as another program, and write into it who holds it: the process."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        flock(path, descriptor, kind)
    except BlockingIOError:
        os.close(descriptor)
        raise
    os.ftruncate(descriptor, 0)
    os.write(descriptor, (name or f"process {os.getpid()} on {os.uname().nodename}").encode())
    os.set_inheritable(descriptor, True)
    return descriptor
