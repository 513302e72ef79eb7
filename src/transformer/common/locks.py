"""Locks on files, which end with the process that has them, however it ends."""

import fcntl
from pathlib import Path

from transformer.common.notes import say


def flock(path: Path, descriptor: int, kind: int) -> None:
    """Lock an open file; where its file system cannot, say so and go on without a lock.

    So do Lustre that is mounted without `flock`, some kinds of NFS, and file systems of users' own programs, each with
    a number of its own: a Cray's says 524, for which Linux has no name.

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
