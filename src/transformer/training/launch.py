"""Starting the processes of one training with torchrun, on one machine or on the nodes of a SLURM job."""

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
from transformer.training.distributed import LAUNCHER

# torchrun passes these on to its processes.  SIGQUIT ends them at once; after the others they first write a checkpoint.
# SIGINT has a handler of its own (:func:`_interrupt`).
SIGNALS = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1")
RENDEZVOUS_TIMEOUT = 300  # seconds for the nodes to find each other
LIKELY_REASONS: dict[int, str] = {
    signal.SIGKILL: ", most likely because memory ran out",
    signal.SIGABRT: ", which is how NCCL ends a process that has waited too long for another",
}


def launch(nodes: int, processes: int, command: Sequence[str]) -> int:
    """Run ``command``, a Python script and its arguments, in ``processes`` processes on each of ``nodes`` nodes.

    Returns the exit code.  When one process fails, the others are ended.  Raises UserError when nodes do not meet.
    """
    endpoint, job = rendezvous_endpoint() if nodes > 1 else ("this machine", "")
    # torchrun would set the same with a five-line warning; training sets its own number of threads.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    # Schedulers send a signal ten minutes before they kill a job; torchrun would kill the processes after 30 seconds.
    os.environ.setdefault("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", "540")
    os.environ[LAUNCHER] = str(os.getpid())
    before = signal.getsignal(signal.SIGINT)
    if before != signal.SIG_IGN:
        signal.signal(signal.SIGINT, _interrupt)
    try:
        run(parse_args([*launch_options(nodes, processes, endpoint, job), *command]))
    except ChildFailedError as error:
        _, failure = error.get_first_failure()
        if failure.exitcode >= 0:
            return failure.exitcode
        print(
            f"error: process {failure.local_rank} of this training was killed by signal {-failure.exitcode}"
            f"{LIKELY_REASONS.get(-failure.exitcode, '')}; run again to continue from the last checkpoint",
            file=sys.stderr,
        )
        return 128 - failure.exitcode
    except SignalException as stop:
        return 128 + int(stop.sigval)
    except (RendezvousError, TimeoutError) as error:
        raise UserError(
            f"{nodes} nodes did not find each other at {endpoint} within {RENDEZVOUS_TIMEOUT} s ({error}); "
            "check that all of them run and can reach this name and port, and run again"
        ) from None
    finally:
        signal.signal(signal.SIGINT, before)
    return 0


def _interrupt(number: int, _: object) -> None:
    """Let torchrun pass Ctrl-C on; a second one ends this process at once, and the others with it.

    torchrun's own handler would wait once more for processes that write their checkpoint.
    """
    signal.signal(number, signal.SIG_DFL)
    raise SignalException("interrupted", signal.Signals(number))


def launch_options(nodes: int, processes: int, endpoint: str, job: str) -> list[str]:
    """Return the options of torchrun for ``processes`` on each of ``nodes``, which meet at ``endpoint``."""
    # What is ignored, as SIGHUP after nohup, stays so.
    handled = [name for name in SIGNALS if signal.getsignal(signal.Signals[name]) != signal.SIG_IGN]
    options = ["--nproc-per-node", str(processes), "--signals-to-handle", ",".join(handled)]
    if nodes == 1:
        return [*options, "--standalone", "--local-addr", "127.0.0.1"]
    options += ["--nnodes", str(nodes), "--rdzv-id", job]
    options += ["--rdzv-backend", "c10d", "--rdzv-endpoint", endpoint]
    return [*options, "--rdzv-conf", f"join_timeout={RENDEZVOUS_TIMEOUT},read_timeout={RENDEZVOUS_TIMEOUT}"]


def rendezvous_endpoint() -> tuple[str, str]:
    """Return the HOST:PORT on the first node at which the nodes of this SLURM job meet, and the job's id.

    Raises UserError outside a SLURM job, and when SLURM does not name the job's nodes.
    """
    job, nodes = os.environ.get("SLURM_JOB_ID"), os.environ.get("SLURM_JOB_NODELIST")
    if not job or not nodes:
        raise UserError("training on several nodes needs a SLURM job: use profiles/slurm, or set nodes to 1")
    done = _scontrol("show", "hostnames", nodes)
    names = done.stdout.split()
    if done.returncode or not names:
        raise UserError(
            f"scontrol does not name the nodes of job {job}: {done.stderr.strip() or 'it printed nothing'}"
        )
    return f"{names[0]}:{20_000 + int(job) % 20_000}", job


def requeue() -> None:
    """Ask SLURM to run this job again, and print its answer; outside a SLURM job, do nothing."""
    if job := os.environ.get("SLURM_JOB_ID"):
        answer = _scontrol("requeue", job).stderr.strip()
        print(f"job {job}: {answer or 'it will be run again'}", file=sys.stderr)


def _scontrol(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of SLURM; one that cannot be started counts as failed, with the reason as what it says."""
    command = ["scontrol", *arguments]
    try:
        return subprocess.run(command, capture_output=True, errors="replace")
    except OSError as error:
        return subprocess.CompletedProcess(command, 1, "", f"{command[0]}: {error.strerror}")
