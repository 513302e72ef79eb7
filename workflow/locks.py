"""Clear up after a Snakemake that was killed; the next one would otherwise ask for --unlock."""

import fcntl
from pathlib import Path
from typing import IO

from torn_records import mark_torn_records
from transformer.common.errors import UserError


def drop_dead_locks(folder: Path | str = ".snakemake") -> IO[str]:
    """Remove the locks in ``folder`` that no running Snakemake holds; return a file to keep open until the end.

    If none is running, the records that a power cut has torn are marked, too.

    Each Snakemake, but not that of a job, holds a shared flock on ``folder/alive`` until it ends, in whatever way.  If
    this one gets an exclusive flock, no other is running, so all locks belong to killed ones.  If another is running,
    all locks stay, and Snakemake itself refuses to write the same files at the same time.

    Raises UserError if the file system has no flock, as Lustre unless it is mounted with the option ``flock``.
    """
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    # NFS gives a shared lock only on a file that can be read, and an exclusive one on a file that can be written.
    alive = open(folder / "alive", "w+")  # noqa: SIM115
    try:
        fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pass
    except OSError as error:
        raise UserError(
            f"{alive.name}: the file system cannot lock files ({error.strerror}); work in a folder of another one, "
            "or have this one mounted with the option flock"
        ) from None
    else:
        for lock in folder.glob("locks/*.lock"):
            lock.unlink()
        mark_torn_records(folder)
    fcntl.flock(alive, fcntl.LOCK_SH)
    return alive
