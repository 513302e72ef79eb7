"""Give each job that runs on this machine GPUs of its own.

    python workflow/gpus.py 4 python src/transformer/training/train.py …

This command waits until 4 GPUs are free, claims them, and becomes the program after the number, which sees no others.
A claim is a flock on a file, which ends with the program, however it ends.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

POLL = 0.2  # seconds


def visible_gpus() -> list[str]:
    """Return the names of the GPUs that programs started here may use: those in CUDA_VISIBLE_DEVICES, else all.

    torch is not asked, because loading it takes seconds.
    """
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    if chosen is not None:
        names = [name.strip() for name in chosen.split(",")]
        end = next(
            (n for n, name in enumerate(names) if name in ("", "-1")), None
        )  # where CUDA stops reading
        return names[:end]
    count = len(list(Path("/dev").glob("nvidia[0-9]*")))
    if count == 0 and shutil.which("nvidia-smi"):  # Windows' Linux has no such files
        found = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, errors="replace")
        count = sum(line.startswith("GPU ") for line in found.stdout.splitlines())
    return [str(number) for number in range(count)]


def claim(count: int, gpus: Sequence[str], folder: Path) -> list[str]:
    """Wait until ``count`` of the ``gpus`` are free, and return their names.

    They belong to this process, and to the program that replaces it, until it ends.  ``folder`` has one lock file for
    each GPU.  Who waits first is served first: a job that needs all GPUs is not overtaken by those that need one.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    claimed: list[str] = []
    told = False
    with open(folder / "queue", "w") as queue:
        fcntl.flock(queue, fcntl.LOCK_EX)
        while True:
            for gpu in gpus:
                if len(claimed) < count and gpu not in claimed and _lock(folder / gpu.replace("/", "_")):
                    claimed.append(gpu)
            if len(claimed) == count:
                return sorted(claimed, key=gpus.index)
            if not told:
                print(f"waiting for {count} of the GPUs {', '.join(gpus)}", file=sys.stderr, flush=True)
                told = True
            time.sleep(POLL)


def _lock(path: Path) -> bool:
    """Try to lock a file until the end of the process; programs that this process becomes keep the lock."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return False
    os.set_inheritable(descriptor, True)
    return True


def main() -> None:
    count, command = int(sys.argv[1]), sys.argv[2:]
    gpus = visible_gpus()
    if count and gpus:  # without GPUs, the program itself says whether it needs some
        if count > len(gpus):
            sys.exit(
                f"error: this job needs {count} GPUs, and this machine has {len(gpus)}: {', '.join(gpus)}"
            )
        # In a job of SLURM, numbers count the GPUs of this job, so other jobs' numbers mean other GPUs.
        place = "-".join(
            ["attention-gpus", str(os.getuid()), *filter(None, [os.environ.get("SLURM_JOB_ID")])]
        )
        os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(claim(count, gpus, Path(tempfile.gettempdir(), place)))
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
