"""Run again after a kill: Snakemake's own locks outlive it, and it would then ask for --unlock."""

import fcntl
from pathlib import Path
from typing import IO


def drop_dead_locks(folder: Path | str = ".snakemake") -> IO[str]:
    """Remove the locks in ``folder`` that no living Snakemake can hold; return what says that this one lives.

    Each Snakemake holds ``folder/alive`` by flock, shared, until it ends however it ends.  The one that can have it
    for itself alone is alone, so that any other lock is a dead one's.  Where another lives, its locks stay, and
    Snakemake refuses to make the same files twice, as ever.  Keep the returned file open until the end.
    """
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    alive = open(folder / "alive", "w")  # noqa: SIM115
    try:
        fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pass
    else:
        for lock in folder.glob("locks/*.lock"):
            lock.unlink()
    fcntl.flock(alive, fcntl.LOCK_SH)
    return alive
