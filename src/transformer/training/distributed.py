"""One process or several: who this process is, and what the processes agree on."""

import contextlib
import dataclasses
import os
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Literal

import torch
import torch.distributed as dist

from transformer.common.errors import UserError


@dataclasses.dataclass(frozen=True)
class Processes:
    """This process's place among the ``world`` processes that train one model together."""

    rank: int
    world: int
    device: torch.device

    @property
    def is_main(self) -> bool:
        """Whether this process writes the files and speaks to the user."""
        return self.rank == 0

    def agree(self, value: int) -> int:
        """The largest ``value`` of any process; every process must call this at the same point."""
        if self.world == 1:
            return value
        shared = torch.tensor(value, device=self.device)
        dist.all_reduce(shared, dist.ReduceOp.MAX)
        return int(shared)

    def total(self, values: torch.Tensor) -> torch.Tensor:
        """The sum of ``values`` over all processes."""
        if self.world > 1:
            dist.all_reduce(values)
        return values

    def wait(self) -> None:
        """Return when every process has come here."""
        if self.world > 1:
            dist.barrier()

    def close(self) -> None:
        """Leave the group."""
        if self.world > 1:
            dist.destroy_process_group()


TIMEOUT = timedelta(minutes=10)  # for the others to come to the same point; the first validates meanwhile
GRACE = 3  # seconds


def join_processes(device: Literal["auto", "cuda"] = "auto") -> Processes:
    """Join the others that a launcher started (it says so in the environment), or stand alone.

    NCCL between GPUs, gloo between CPUs.  ``auto`` takes GPUs where there are any, ``cuda`` needs one for each process.

    Raises UserError when there are fewer GPUs than processes.
    """
    world, rank = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("RANK", 0))
    here = check_devices(device, int(os.environ.get("LOCAL_WORLD_SIZE", 1)))
    if here == "cuda":
        place = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
        torch.cuda.set_device(place)
    else:
        place = torch.device("cpu")
    if world > 1:
        with lost_processes():
            dist.init_process_group("nccl" if here == "cuda" else "gloo", timeout=TIMEOUT)
    return Processes(rank, world, place)


def check_devices(device: Literal["auto", "cuda"], processes: int) -> Literal["cpu", "cuda"]:
    """What ``processes`` processes of this machine run on.  Raises UserError when it has too few GPUs for them."""
    gpus = torch.cuda.device_count()
    if gpus == 0 and device == "auto":
        return "cpu"
    if gpus < processes:
        there = f"{gpus} GPU{'s' if gpus != 1 else ''}" if gpus else "no GPU that torch can use"
        raise UserError(
            f"{processes} processes of this training need a GPU each, and this machine has {there}; set `processes` in "
            "the scale's file to what there is (batches stay as large, training takes longer), or run where there are "
            "enough"
        )
    return "cuda"


@contextlib.contextmanager
def lost_processes() -> Iterator[None]:
    """Turn what torch raises when another process is gone, silent or not to be found into one line."""
    try:
        yield
    except RuntimeError as error:  # torch's DistError is one; gloo raises it bare
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        if not isinstance(error, dist.DistError) and "gloo" not in text and "onnection" not in text:
            raise
        # The launcher names the process that it sees end first.  One that is killed may take a moment to be gone.
        time.sleep(GRACE)
        raise UserError(
            f"another process of this training ended or did not answer within {TIMEOUT.seconds} s "
            f"({text}); what it said stands above; run again to go on from the last checkpoint"
        ) from None
