"""Finding a size of micro-batches that fits into a GPU's memory, before the first step rather than after hours."""

import contextlib
import sys
from collections.abc import Callable

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from transformer.common.errors import UserError
from transformer.training.distributed import ProcessGroup
from transformer.training.micro_batches import Worklist


def fit_memory(
    objective: nn.Module,
    optimizer: torch.optim.Optimizer,
    worklist: Worklist,
    group: ProcessGroup,
    autocast: Callable[[], contextlib.AbstractContextManager[object]],
) -> None:
    """Double the number of ``worklist``'s micro-batches until the largest ones of an epoch fit into the GPU's memory.

    The trial changes neither weights nor moments.  Raises UserError when memory runs out even with one sentence pair in
    each micro-batch.
    """
    while True:
        fits = try_largest(objective, optimizer, worklist, group, autocast)
        if not group.all_reduce_max(int(not fits)):
            return
        torch.cuda.empty_cache()
        if worklist.count >= worklist.batch_tokens:
            raise UserError("the GPU's memory is too small for one sentence pair; lower max_length")
        worklist.count *= 2
        if group.is_main:
            print(
                f"The largest micro-batch does not fit into the GPU's memory; each batch is divided into "
                f"{worklist.count} micro-batches now.",
                file=sys.stderr,
                flush=True,
            )


def try_largest(
    objective: nn.Module,
    optimizer: torch.optim.Optimizer,
    worklist: Worklist,
    group: ProcessGroup,
    autocast: Callable[[], contextlib.AbstractContextManager[object]],
) -> bool:
    """Return whether the largest micro-batches go forward and backward through the model without lack of memory."""
    parameters = [parameter for parameters in optimizer.param_groups for parameter in parameters["params"]]
    alone = objective.no_sync if isinstance(objective, DistributedDataParallel) else contextlib.nullcontext
    try:
        # Adam's moments, which the first step will make.
        moments = [] if optimizer.state else [torch.empty_like(p) for p in parameters for _ in range(2)]
        for work in worklist.largest():
            for batch in work.micro_batches:
                with alone(), autocast():
                    (objective(batch.to(group.device)) * 0).backward()
        del moments
    except torch.OutOfMemoryError:
        return False
    finally:
        optimizer.zero_grad()
    return True
