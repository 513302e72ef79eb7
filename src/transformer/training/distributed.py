"""The processes that train one model together, and the collective operations among them."""

import contextlib
import dataclasses
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Literal, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from transformer.common.errors import UserError, run_script
from transformer.common.notes import say
from transformer.model.device import prepare_gpu

Item = TypeVar("Item")

# The time that a process waits for the others to reach the same point.
TIMEOUT = timedelta(minutes=10)
GRACE = 3  # seconds
WAIT = 5  # seconds in which the launcher ends a process that reports no error
SETTLE = 0.2  # seconds
WATCH = 0.5  # seconds between two looks at the launcher
GLOO = re.compile(r"\bgloo/\S+\.(cc|h):\d+")  # as in [../third_party/gloo/gloo/transport/tcp/pair.cc:534]
# By which network the machines of a cluster reach each other, and torch's checks of what they say to each other, by
# which our processes crash (TORCH_DISTRIBUTED_DEBUG=DETAIL, torch 2.13).  One machine may need NCCL's other variables.
NETWORK = re.compile("(GLOO|TP|TORCH_GLOO|TORCH_DISTRIBUTED|NCCL_(SOCKET|NET|IB|COMM|OOB|CROSS))_")


@dataclasses.dataclass(frozen=True)
class ProcessGroup:
    """This process's rank among the ``world_size`` processes of a training, and its device."""

    rank: int
    world_size: int
    device: torch.device

    @property
    def is_main(self) -> bool:
        """Whether this process writes the files and prints the messages."""
        return self.rank == 0

    def all_reduce_max(self, value: int) -> int:
        """Return the largest ``value`` of any process.  Every process must call this at the same point."""
        if self.world_size == 1:
            return value
        shared = torch.tensor(value, device=self.device)
        dist.all_reduce(shared, dist.ReduceOp.MAX)
        return int(shared)

    def all_reduce_sum(self, values: Tensor) -> Tensor:
        """Sum ``values`` over all processes, in place, and return them."""
        if self.world_size > 1:
            dist.all_reduce(values)
        return values

    def share_of(self, items: Sequence[Item]) -> list[Item]:
        """Return this process's share of ``items``: every ``world_size``-th one."""
        return list(items[self.rank :: self.world_size])

    def gather(self, items: list[Item]) -> list[Item]:
        """Return the items of all processes.  Every process must call this at the same point."""
        if self.world_size == 1:
            return items
        parts: list[list[Item]] = [[] for _ in range(self.world_size)]
        dist.all_gather_object(parts, items)
        return [item for part in parts for item in part]

    def barrier(self) -> None:
        """Wait until every process has reached this point."""
        if self.world_size > 1:
            dist.barrier()

    def close(self) -> None:
        """Leave the group, once all processes are done.

        After an error the group must not be left: NCCL would wait for the others, which wait for this process.
        """
        if self.world_size > 1:
            # gloo's threads give back the tensors of the last operations a little later than these end, and need
            # Python's lock for that.  destroy_process_group holds the lock until they have ended: a deadlock.
            time.sleep(SETTLE)
            dist.destroy_process_group()


def is_launched() -> bool:
    """Return whether this process is one of several that torchrun started to train together."""
    return dist.is_torchelastic_launched() and int(os.environ["WORLD_SIZE"]) > 1


def is_first() -> bool:
    """Return whether this process is the first, or the only one, of its training."""
    return not is_launched() or os.environ["RANK"] == "0"


def run_process(main: Callable[[], int]) -> None:
    """Run ``main`` as :func:`run_script` does, in one of several processes, too.

    Most user errors occur in all of them, so the first alone reports one: while the others wait here, the launcher ends
    them.
    """

    def run() -> int:
        try:
            return main()
        except UserError:
            if not is_first():
                time.sleep(WAIT)
            raise

    try:
        run_script(run)
    except SystemExit as end:
        if not is_launched():
            raise
        # Exit as multiprocessing's processes do.  Threads of gloo may still run: one that releases a tensor while the
        # interpreter shuts down would abort the process.
        sys.stderr.flush()
        os._exit(int(end.code or 0))


def join_process_group(device: Literal["auto", "cuda", "cpu"] = "auto") -> ProcessGroup:
    """Join the group that torchrun describes in the environment, or make a group of this process alone.

    GPUs communicate by NCCL, CPUs by gloo.  ``auto`` uses GPUs if there are any; ``cuda`` needs one for each process.
    """
    names = ("RANK", "WORLD_SIZE", "LOCAL_RANK")
    rank, world_size, local = (int(os.environ[name]) for name in names) if is_launched() else (0, 1, 0)
    if check_devices(device, world_size) == "cuda":
        own, backend = torch.device("cuda", local), "nccl"
        torch.cuda.set_device(own)
        prepare_gpu()
    else:
        own, backend = torch.device("cpu"), "gloo"
    if world_size > 1:
        _end_with_launcher()
        _talk_by_loopback(say if rank == 0 else lambda text: None)
        with lost_processes():
            dist.init_process_group(backend, timeout=TIMEOUT)
    return ProcessGroup(rank, world_size, own)


def _talk_by_loopback(tell: Callable[[str], None]) -> None:
    """Let the processes reach each other by the loopback of their machine, whatever network a cluster's variables name.

    A machine may not know the address of its own name, nor have that network.  ``tell`` is called with what is ignored.
    """
    if ignored := ", ".join(
        f"{name}={os.environ.pop(name)}" for name in filter(NETWORK.match, [*os.environ])
    ):
        tell(f"{ignored} in the environment: ignored, since processes of one machine talk by its loopback")
    os.environ.update(GLOO_SOCKET_IFNAME="lo", NCCL_SOCKET_IFNAME="lo")
    dist.set_debug_level_from_env()


def _end_with_launcher() -> None:
    """Kill this process as soon as the one that launched it has ended without ending this one, e.g. by SIGKILL.

    torchrun starts each process in a session of its own, so no signal to the launcher's group reaches it.
    """
    launcher = os.getppid()

    def watch() -> None:
        while os.getppid() == launcher:
            time.sleep(WATCH)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, name="launcher", daemon=True).start()


def check_devices(device: Literal["auto", "cuda", "cpu"], processes: int) -> Literal["cpu", "cuda"]:
    """Return the device type for this many ``processes``.  Raises UserError when the machine has too few GPUs."""
    gpus = torch.cuda.device_count()
    if device == "cpu" or (gpus == 0 and device == "auto"):
        return "cpu"
    if gpus == 0:
        raise UserError(
            "this training needs a GPU, and torch can use none here; check the driver (nvidia-smi), and that torch is "
            "a build for CUDA (docs/environment.md)"
        )
    if gpus < processes:
        raise UserError(
            f"{processes} processes of this training need a GPU each, and this machine has {gpus}; set "
            "`processes: auto` in the scale's file (batches stay as large, training takes longer), or use a machine "
            "with enough GPUs"
        )
    return "cuda"


def distribute(objective: nn.Module) -> nn.Module:
    """Return a module whose gradients are summed over all processes during the backward pass, in its own buckets.

    Buffers are not broadcast: each process's table of sinusoids is as long as its own sentences need.
    """
    return DistributedDataParallel(objective, gradient_as_bucket_view=True, forward_sync_buffers=False)


def without_reduction(objective: nn.Module) -> contextlib.AbstractContextManager[None]:
    """Return a context in which backward passes keep their gradients to this process."""
    if isinstance(objective, DistributedDataParallel):
        return objective.no_sync()
    return contextlib.nullcontext()


@contextlib.contextmanager
def lost_processes() -> Iterator[None]:
    """Turn torch's errors about another process that ended or does not answer into a UserError."""
    try:
        yield
    except RuntimeError as error:
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        # gloo raises the base class, and names the place in its code.
        if not (isinstance(error, dist.DistError) or GLOO.search(text)):
            raise
        # The launcher blames the first process that it sees end, and a killed one may take a moment to disappear.
        time.sleep(GRACE)
        raise UserError(
            f"another process of this training ended or did not answer within {TIMEOUT.seconds} s "
            f"({text}); see its message above, if it has one, and run again to continue from the last checkpoint"
        ) from None
