"""The sha256 of the user's own files, which Snakemake compares to notice that a file is another one.

By itself it looks into an input only if that is newer than the output, which a file that was moved to its place, or
unpacked, often is not.
"""

import contextlib
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError
from transformer.common.files import read_json, sha256_of, write_json

SETTLED = 2.0  # seconds; a younger file may change again without a change of its time
KNOWN = Path(".snakemake", "own_files.json")  # the sums of files, each with the state in which it was read


def content_of(file: Path | str) -> str:
    """Return the sha256 of a file, see :func:`contents_of`."""
    return contents_of([file])[0]


def contents_of(files: Iterable[Path | str]) -> list[str]:
    """Return the sha256 of each file, which is read once in each of its states, since it may be large."""
    known, new, sums = _known(), {}, []
    for file in files:
        entry = os.stat(file)
        # The time of the last change of the entry cannot be set, as that of the content can.
        state = [entry.st_size, entry.st_mtime_ns, entry.st_ctime_ns, entry.st_ino]
        path = os.path.realpath(file)
        before, content = known.get(path, (None, ""))
        if before != state:
            content = sha256_of(file)
            if abs(time.time() - entry.st_ctime) > SETTLED:
                new[path] = [state, content]
        sums.append(content)
    if new:
        with contextlib.suppress(UserError, OSError):  # of a folder that cannot be written to
            write_json(KNOWN, known | new)
    return sums


def contents_below(folder: Path | str, pattern: str) -> list[tuple[str, str]]:
    """Return name and sha256 of each file below a folder whose name fits the pattern, sorted."""
    files = [*Path(folder).rglob(pattern)]
    return sorted(zip((file.name for file in files), contents_of(files), strict=True))


def _known() -> dict[str, Any]:
    try:
        return dict(read_json(KNOWN))
    except UserError:  # not there, or cut off: the files are read again
        return {}
