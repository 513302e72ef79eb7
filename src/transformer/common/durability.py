"""What survives a kill and a power cut: files are on the disk before they get their names, and nothing stays behind."""

import contextlib
import errno
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path


def temporary_beside(path: Path) -> Path:
    """Return a name for what will become ``path``, in the same folder, which is made.

    The name holds the id of this process.  What killed processes have left of ``path`` is removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(".*.tmp"):
        named = re.fullmatch(rf"\.{re.escape(path.name)}\.(\d{{1,9}})\.tmp", left.name)
        if named and not _is_running(int(named[1])):
            with contextlib.suppress(OSError):  # another process may remove it at the same time
                shutil.rmtree(left) if left.is_dir() else left.unlink()
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")


def sync(path: Path) -> None:
    """Wait until the disk has the content of a file, or the names in a folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network file systems cannot sync folders.
        if not (path.is_dir() and error.errno in (errno.EINVAL, errno.ENOTSUP)):
            raise
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder beside ``path``, and rename it to ``path`` when the block ends without an error.

    Everything in it is synced before, so that after a crash ``path`` is complete if it exists.  An existing folder is
    replaced.
    """
    parent = temporary_beside(path)
    folder = parent / "new"  # the old folder moves beside it
    try:
        folder.mkdir(parents=True)
        yield folder
        for inside, _, names in os.walk(folder):
            for place in (*(Path(inside, name) for name in names), Path(inside)):
                sync(place)
        if path.exists():
            os.replace(path, parent / "old")
        os.replace(folder, path)
        sync(path.parent)
    finally:
        shutil.rmtree(parent, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's
        pass
    return True
