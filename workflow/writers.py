"""Refuse to make files that another Snakemake in the same folder reads or makes, in one line.

Snakemake has locks for this, but one that ends removes the locks of all others, too (9.27.1): after `snakemake
results/plan.md` beside a training, a third Snakemake could train the same model at the same time.  And two that start
in the same moment do not see each other's locks.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from transformer.common.errors import UserError


def claim(reads: Iterable[str], writes: Iterable[str], folder: Path | str = ".snakemake/writers") -> IO[str]:
    """Claim the files that this Snakemake reads and writes; return a file that must stay open until it ends.

    A claim is a file in ``folder`` that its process holds a flock on, so it ends with the process, however that ends.
    Raises UserError if another process that is running writes one of the files, or reads one that is to be written.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    own = {"reads": sorted({*map(str, reads)}), "writes": sorted({*map(str, writes)})}
    with open(folder / "mutex", "w") as mutex:
        fcntl.flock(mutex, fcntl.LOCK_EX)
        for path in sorted(folder.glob("*.json")):
            _check(path, own)
        since = {"process": os.getpid(), "since": time.strftime("%Y-%m-%d %H:%M:%S")}
        claimed = open(folder / f"{os.uname().nodename}-{os.getpid()}.json", "w")  # noqa: SIM115
        fcntl.flock(claimed, fcntl.LOCK_EX)
        json.dump(since | own, claimed)
        claimed.flush()
    return claimed


def _check(path: Path, own: dict[str, list[str]]) -> None:
    """Raise UserError if the claim of a running process excludes ``own``; remove that of one that has ended."""
    with open(path, "r+") as file:  # NFS gives an exclusive lock only on a file that can be written
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            other = json.load(file)
        else:
            path.unlink()
            return
    shared = {*own["writes"]} & {*other["reads"], *other["writes"]} | {*own["reads"]} & {*other["writes"]}
    if shared:
        raise UserError(
            f"another Snakemake (process {other['process']}, since {other['since']}) is at work on {min(shared)}; "
            "wait until it has ended, and run the same command again"
        )
