"""Start a program with what its job needs: GPUs of its own, and variables that libraries read at their start.

    python src/transformer/workflow/reserve.py --gpus 4 python …/train.py …

This command waits until 4 GPUs are free, and says so.  It then becomes the program, which sees no other GPUs, and none
at all after ``--gpus 0``.  After ``--gpus 1 --jobs-per-gpu 6``, it shares
its GPU with up to five other such programs.  A reservation is a flock on a file, which names the process that holds it;
it ends with the program, however it ends.
"""

import argparse
import fcntl
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from transformer.common.arguments import argument_parser, at_least
from transformer.common.errors import run_script
from transformer.common.locks import holder, lock
from transformer.model.portable import portable_environment
from transformer.workflow.malloc import training_environment

POLL = 0.2  # seconds


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument(
        "--gpus", type=int, help="how many GPUs to reserve (default: those of the job of SLURM)"
    )
    parser.add_argument(
        "--jobs-per-gpu", type=at_least(1), default=1, help="how many programs with one GPU may share it"
    )
    parser.add_argument("--fast-malloc", action="store_true", help="for training: allocate memory fast")
    parser.add_argument("--portable", action="store_true", help="limit libraries to what all processors have")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Ctrl-C while it waits ends it without a traceback.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if arguments.gpus == 0:
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    # Without GPUs, the program itself says whether it needs some.
    elif arguments.gpus and (gpus := visible_gpus()):
        os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(
            reserve(arguments.gpus, gpus, _place(), arguments.jobs_per_gpu)
        )
    if arguments.fast_malloc:
        os.environ.update(training_environment(arguments.portable))
    if arguments.portable:
        os.environ.update(portable_environment())
    try:
        os.execvp(arguments.command[0], arguments.command)
    except OSError as error:
        sys.exit(f"error: {arguments.command[0]}: {error.strerror}")


def visible_gpus() -> list[str]:
    """Return the names of the GPUs that programs started here may use: those in CUDA_VISIBLE_DEVICES, else all.

    torch is not asked, because loading it takes seconds.
    """
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    if chosen is not None:
        names = [name.strip() for name in chosen.split(",")]
        # CUDA stops reading at such a name.
        return list(itertools.takewhile(lambda name: name not in ("", "-1"), names))
    count = len(list(Path("/dev").glob("nvidia[0-9]*")))
    if count == 0 and shutil.which("nvidia-smi"):  # Windows' Linux has no such files
        found = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, errors="replace")
        count = sum(line.startswith("GPU ") for line in found.stdout.splitlines())
    return [str(number) for number in range(count)]


def reserve(count: int, gpus: Sequence[str], folder: Path, jobs_per_gpu: int = 1) -> list[str]:
    """Wait until ``count`` of the ``gpus`` are free, and return their names.

    They belong to this process, and to the program that replaces it, until it ends.  A job with one GPU shares it with
    others if ``jobs_per_gpu`` is greater than 1.  ``folder`` has a lock file for each GPU, which those that share it
    lock together, and one for each place on it.  Who waits first is served first: a job that needs all GPUs is not
    overtaken by those that need one.
    """
    if count > len(gpus):
        sys.exit(f"error: this job needs {count} GPUs, and this machine has {len(gpus)}: {', '.join(gpus)}")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    reserved: list[str] = []
    told = False
    # Most jobs hold the queue for a moment, so nobody is told of it.
    queue = lock(folder / "queue", waits=True)
    assert queue is not None
    try:
        while True:
            if count == 1 and jobs_per_gpu > 1:
                reserved = _share(gpus, folder, jobs_per_gpu)
            else:
                free = (gpu for gpu in gpus if gpu not in reserved and lock(_file(folder, gpu)) is not None)
                reserved += itertools.islice(free, count - len(reserved))
            if len(reserved) == count:
                return sorted(reserved, key=gpus.index)
            if not told:
                holders = [holder(_file(folder, gpu)) for gpu in gpus if gpu not in reserved]
                print(
                    f"note: waiting for {count} of the GPUs {', '.join(gpus)}, held by {', '.join(holders)}",
                    file=sys.stderr,
                    flush=True,
                )
                told = True
            time.sleep(POLL)
    finally:
        os.close(queue)


def _share(gpus: Sequence[str], folder: Path, jobs_per_gpu: int) -> list[str]:
    """Reserve a place on one of the GPUs, where the fewest jobs are; return its name, or nothing if all are full."""
    for place, gpu in itertools.product(range(jobs_per_gpu), gpus):
        descriptor = lock(_file(folder, f"{gpu}.{place}"))
        if descriptor is not None:
            if lock(_file(folder, gpu), fcntl.LOCK_SH, "jobs that share it") is not None:
                return [gpu]
            os.close(descriptor)
    return []


def _place() -> Path:
    """Return the folder of the GPUs' locks: in a job of SLURM, numbers count the GPUs of this job alone."""
    job = filter(None, [os.environ.get("SLURM_JOB_ID")])
    return Path(tempfile.gettempdir(), "-".join(["attention-gpus", str(os.getuid()), *job]))


def _file(folder: Path, gpu: str) -> Path:
    return folder / gpu.replace("/", "_")


if __name__ == "__main__":
    run_script(main)
