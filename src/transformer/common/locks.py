"""Locks on files, which end with the process that has them, however it ends."""

import errno
import fcntl
from pathlib import Path

from transformer.common.notes import say

# Lustre that is mounted without `flock`, some kinds of NFS, and file systems of users' own programs.
MISSING = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP)


def flock(path: Path, descriptor: int, kind: int) -> None:
    """Lock an open file; where its file system has no locks, say so and go on without one.

    Raises BlockingIOError when another process has the lock, and ``kind`` says not to wait.
    """
    try:
        fcntl.flock(descriptor, kind)
    except OSError as error:
        if error.errno not in MISSING:
            raise
        say(
            f"{path}: this file system has no locks ({error.strerror}), so two programs that write the same files "
            "would not notice each other; start one Snakemake at a time here, and none while an earlier one's jobs run"
        )
