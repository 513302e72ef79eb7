"""The sha256 of the user's own files, which Snakemake compares to notice that a file is another one.

By itself it looks into an input only if that is newer than the output, which a file that was moved to its place, or
unpacked, often is not.
"""

import contextlib
import os
import time
from pathlib import Path

from transformer.common.artifacts import SETTLED
from transformer.common.errors import UserError
from transformer.common.files import read_json, sha256_of, write_json

KNOWN = Path(".snakemake", "own_files.json")  # the sums of files, each with the state in which it was read


def content_of(file: Path | str) -> str:
    """Return the sha256 of a file, which is read once in each of its states, since it may be large."""
    found = os.stat(file)
    # The time of the last change of the entry cannot be set, as that of the content can.
    state = [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]
    path, known = os.path.realpath(file), _known()
    if path in known and known[path][0] == state:
        return str(known[path][1])
    sha256 = sha256_of(file)
    # A younger file may change again without a change of its time.
    if abs(time.time() - found.st_ctime) > SETTLED:
        with contextlib.suppress(UserError, OSError):  # of a folder that cannot be written to
            write_json(KNOWN, known | {path: [state, sha256]})
    return sha256


def _known() -> dict[str, list[object]]:
    try:
        known = read_json(KNOWN) if KNOWN.exists() else {}
    except UserError:  # cut off, for example; the files are read again
        known = {}
    return known if isinstance(known, dict) else {}
