"""Passes through the model before the first step, which change nothing: they prepare torch, and try the memory."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from transformer.common.errors import UserError
from transformer.common.notes import say
from transformer.dataset.padding import Batch
from transformer.training.distributed import ProcessGroup, without_reduction
from transformer.training.micro_batches import Worklist


@dataclass(frozen=True)
class Trial:
    """The parts of a training that its trial passes need.  They leave weights and moments as they are."""

    objective: nn.Module
    optimizer: torch.optim.Optimizer
    worklist: Worklist
    group: ProcessGroup
    autocast: Callable[[], contextlib.AbstractContextManager[object]]

    def warm_up(self) -> None:
        """Take two synchronised passes on a sentence.

        After the first one, DistributedDataParallel arranges its buckets anew, and so adds in another order: the first
        step after a resume would differ.  NCCL makes its connections and buffers here, before the trial of memory.
        """
        batch = self.worklist.sentence()
        for _ in range(2):
            self._pass(batch.to(self.group.device))
        self.optimizer.zero_grad()

    def fit_memory(self) -> None:
        """Double the number of micro-batches until the largest ones of an epoch fit into the GPU's memory.

        Raises UserError when memory runs out even with one sentence pair in each micro-batch.
        """
        while True:
            fits = self._try_largest()
            torch.cuda.empty_cache()
            if not self.group.all_reduce_max(int(not fits)):
                return
            if self.worklist.count >= self.worklist.config.batch_tokens:
                raise UserError("the GPU's memory is too small for one sentence pair; lower max_length")
            self.worklist.count *= 2
            if self.group.is_main:
                say(
                    "the largest micro-batch does not fit into the GPU's memory; each batch is divided into "
                    f"{self.worklist.count} micro-batches now"
                )

    def _try_largest(self) -> bool:
        """Return whether the largest micro-batches go forward and backward through the model without lack of memory."""
        parameters = [] if self.optimizer.state else list(self.objective.parameters())
        try:
            # Adam's moments, which the first step will make.
            moments = [torch.empty_like(parameter) for parameter in parameters for _ in range(2)]
            for work in self.worklist.largest():
                for batch in work.micro_batches:
                    with without_reduction(self.objective):
                        self._pass(batch.to(self.group.device))
            del moments
        except torch.OutOfMemoryError:
            return False
        finally:
            self.optimizer.zero_grad()
        return True

    def _pass(self, batch: Batch) -> None:
        with self.autocast():
            loss = self.objective(batch) * 0
        loss.backward()
