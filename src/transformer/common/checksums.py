"""The sha256 that a producer records of each file that it writes, and its check before a reader believes the file.

A JSON file has it inside (``json_artifacts.py``).  That of another file stands in a JSON file beside it or, if there is
none, in a file of sums, which ``sha256sum --check`` reads, too.
"""

import os
import re
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from transformer.common.errors import UserError, reading
from transformer.common.files import sha256_of, write_text

AGAIN = "delete it and run Snakemake again"
SETTLED = 2.0  # seconds; a younger file may change again without a change of its time
_LINE = re.compile(r"([0-9a-f]{64})  ([^/\0]+)")


def cached_sha256(path: Path | str) -> str:
    """Return the sha256 of a file, which may be large: the same file in the same state is read once in a process.

    Raises UserError when it is missing.
    """
    with reading(path):
        state = os.stat(path)
    if abs(time.time() - max(state.st_mtime, state.st_ctime)) < SETTLED:
        return sha256_of(path)
    identity = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
    return _sha256_in_state(os.path.realpath(path), identity)


@lru_cache(maxsize=10_000)
def _sha256_in_state(path: str, identity: tuple[int, ...]) -> str:
    return sha256_of(path)


def check_sha256(path: Path | str, recorded: str, where: Path | str, advice: str = AGAIN) -> None:
    """Raise UserError when a file is missing, or is not the one whose sha256 was ``recorded`` in the file ``where``."""
    if not os.path.exists(path):
        raise UserError(f"{path}: no such file, though {where} has its sha256; {advice}")
    if cached_sha256(path) != recorded:
        raise UserError(f"{path}: not the file that was written: {where} has another sha256 of it; {advice}")


def sums_text(sums: Mapping[str, str]) -> str:
    """Return name → sha256 as ``sha256sum`` writes it."""
    return "".join(f"{sha256}  {name}\n" for name, sha256 in sums.items())


def write_sums(path: Path, sums: Mapping[str, str]) -> None:
    """Write the sha256 of files, by their names, to a file beside them, atomically."""
    write_text(path, sums_text(sums))


def read_sums(path: Path) -> dict[str, str]:
    """Return name → sha256.  Raises UserError when the file is missing or something else."""
    with reading(path, AGAIN, "no list of sha256 sums"):
        *lines, end = path.read_bytes().decode("utf-8").split("\n")
    found = [_LINE.fullmatch(line) for line in lines]
    sums = {line[2]: line[1] for line in found if line}
    if end or not sums or len(sums) < len(lines):
        raise UserError(f"{path}: the list of sha256 sums is damaged or cut off; {AGAIN}")
    return sums


def check_sums(path: Path, *files: Path) -> None:
    """Check ``files`` against the sums in ``path``, beside them.

    Raises UserError when the sums are missing, when they have none of a file, or when a file is another one.
    """
    sums = read_sums(path)
    for file in files:
        if file.name not in sums:
            raise UserError(f"{path}: no sha256 of {file.name}; {AGAIN}")
        check_sha256(file, sums[file.name], path)
