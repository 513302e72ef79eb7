"""One process or several: who this process is, and what the processes agree on."""

import dataclasses
import os
from datetime import timedelta

import torch
import torch.distributed as dist


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


def join_processes() -> Processes:
    """Join the others that torchrun started (it says so in the environment), or stand alone.

    NCCL between GPUs, gloo between CPUs.
    """
    world, rank = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("RANK", 0))
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
        torch.cuda.set_device(device)
    else:
        device = torch.device("cpu")
    if world > 1:
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo", timeout=timedelta(minutes=10))
    return Processes(rank, world, device)
