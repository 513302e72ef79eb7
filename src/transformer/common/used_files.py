"""Which files a script has read or written, so that it does not replace one of them by another of its outputs."""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

# A file's device and number → its path.  None where no script runs, as in a notebook, which may write what it has read.
_used: dict[tuple[int, int], str] | None = None


@contextlib.contextmanager
def noticed() -> Iterator[None]:
    """Notice which files are used in this block; that of standard input counts as read."""
    global _used
    _used = {}
    note_use("/dev/stdin")
    try:
        yield
    finally:
        _used = None


def note_use(path: Path | str) -> None:
    """Notice that a script has read or written the file ``path``; devices and pipes do not count."""
    if _used is not None:
        with contextlib.suppress(OSError):
            state = os.stat(path)
            if stat.S_ISREG(state.st_mode):
                _used[state.st_dev, state.st_ino] = os.path.realpath(path)


def is_used(path: Path | str) -> bool:
    """Return whether a script has read or written the file that is now at ``path``, by any name."""
    if not _used or not os.path.isfile(path):
        return False
    state = os.stat(path)
    known = _used.get((state.st_dev, state.st_ino), "")
    return os.path.exists(known) and os.path.samefile(known, path)
