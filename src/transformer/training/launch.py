"""Starting the processes of one training, on this machine and on others: torchrun, its errors in a line."""

import dataclasses
import os
import signal
import subprocess
import sys
from collections.abc import Sequence

from torch.distributed.elastic.multiprocessing.api import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.elastic.rendezvous.api import RendezvousError
from torch.distributed.run import parse_args, run

from transformer.common.errors import UserError

# Those that schedulers send before the time limit; torchrun passes them on, and each process saves and ends.
SIGNALS = "SIGTERM,SIGINT,SIGHUP,SIGQUIT,SIGUSR1"
RENDEZVOUS_TIMEOUT = 300  # seconds for the nodes to find each other


@dataclasses.dataclass(frozen=True)
class Layout:
    """How many processes train together, and where they meet."""

    nodes: int
    processes: int  # on each node, one a GPU
    rendezvous: str | None = None  # HOST:PORT of the first node; SLURM tells, and one node needs none

    def __post_init__(self) -> None:
        """Raises UserError when a number is not positive."""
        if self.nodes < 1 or self.processes < 1:
            raise UserError(f"{self.nodes} nodes of {self.processes} processes: both must be at least 1")

    @property
    def is_single(self) -> bool:
        """Whether one process trains alone."""
        return self.nodes * self.processes == 1


def meeting_place() -> tuple[str, str]:
    """Where the nodes of this SLURM job meet, HOST:PORT, and what the job is called.

    Raises UserError outside a job.
    """
    job, nodes = os.environ.get("SLURM_JOB_ID"), os.environ.get("SLURM_JOB_NODELIST")
    if not job or not nodes:
        raise UserError("several nodes need a place to meet: --rendezvous HOST:PORT of the first one")
    names = subprocess.run(
        ["scontrol", "show", "hostnames", nodes], capture_output=True, text=True, check=True
    )
    return f"{names.stdout.split()[0]}:{20_000 + int(job) % 20_000}", job


def requeue() -> None:
    """Ask SLURM to run this job again; outside a job, nothing."""
    if job := os.environ.get("SLURM_JOB_ID"):
        answer = subprocess.run(["scontrol", "requeue", job], capture_output=True, text=True)
        said = answer.stderr.strip() or "it will be run again"
        print(f"job {job}: {said}", file=sys.stderr)


def launch(layout: Layout, command: Sequence[str]) -> int:
    """Run ``command``, a Python script and its arguments, in every process of ``layout``; return its exit code.

    When one process ends badly, the others are ended too, within seconds.  Raises UserError when the nodes do not
    find each other.
    """
    place = "this machine"
    options = ["--nproc-per-node", str(layout.processes), "--signals-to-handle", SIGNALS]
    if layout.nodes == 1:
        options.append("--standalone")
    else:
        place, job = (layout.rendezvous, "training") if layout.rendezvous else meeting_place()
        options += ["--nnodes", str(layout.nodes), "--rdzv-backend", "c10d"]
        options += ["--rdzv-id", job, "--rdzv-endpoint", place]
        options += ["--rdzv-conf", f"join_timeout={RENDEZVOUS_TIMEOUT},read_timeout={RENDEZVOUS_TIMEOUT}"]
    # One thread a process unless its settings say otherwise; torchrun would say so itself, in five lines.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        run(parse_args([*options, *command]))
    except ChildFailedError as error:
        _, failure = error.get_first_failure()
        if failure.exitcode < 0:  # nobody was left to say why
            print(
                f"error: process {failure.local_rank} of this training was killed by signal {-failure.exitcode}"
                f"{_likely(-failure.exitcode)}; run again to go on from the last checkpoint",
                file=sys.stderr,
            )
            return 128 - failure.exitcode
        return failure.exitcode
    except SignalException as stop:
        return 128 + int(stop.sigval)
    except (RendezvousError, TimeoutError) as error:
        raise UserError(
            f"{layout.nodes} nodes did not find each other at {place} within {RENDEZVOUS_TIMEOUT} s "
            f"({error}); check that all of them run, that this name and port can be reached from each, and run again"
        ) from None
    return 0


def _likely(signal_number: int) -> str:
    reasons = {
        signal.SIGKILL: ", most likely because memory ran out",
        signal.SIGABRT: ", which is how NCCL ends one that has waited too long for another",
    }
    return reasons.get(signal.Signals(signal_number), "")
