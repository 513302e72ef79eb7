"""The work of each step: its batch, divided among processes and into micro-batches, and made ready in advance."""

import math
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import torch

from transformer.common.errors import UserError
from transformer.dataset.batching import Indices, epoch_batches, split_into_micro_batches
from transformer.dataset.padding import Batch, make_batch
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.dropout import sentence_keys
from transformer.model.flops import training_flops
from transformer.settings.run_settings import TrainingConfig, TransformerConfig
from transformer.training.distributed import ProcessGroup

PREPARED = 3  # steps that are made ready in advance for a GPU


@dataclass(frozen=True)
class Position:
    """The place of a batch in training."""

    step: int  # the update that uses it, from 1
    epoch: int  # of the batch that follows it, from 0
    batch: int  # number of that batch in its epoch, from 0


@dataclass(frozen=True)
class Work:
    """What one process does in one step."""

    position: Position
    # This process's share of the batch, in the CPU's memory.  ``weights`` are 0 for a sentence that only makes the
    # number of micro-batches equal for all processes, otherwise 1.
    micro_batches: list[Batch]
    weights: list[float]
    source_tokens: int  # of the whole batch, as are the next two
    target_tokens: int
    flops: int


class Worklist:
    """Divides each batch of a training into ``count`` micro-batches, and gives this process every n-th of them.

    Neither ``count`` nor the number of processes in ``group`` changes the gradient of a batch, except for the rounding
    of sums.
    """

    def __init__(
        self,
        dataset: TokenizedDataset,
        model: TransformerConfig,
        config: TrainingConfig,
        group: ProcessGroup,
        count: int,
    ) -> None:
        self.dataset, self.model, self.config = dataset, model, config
        self.group, self.count = group, count
        self.lengths = dataset.source.lengths, dataset.target.lengths

    @property
    def tokens(self) -> int:
        """Limit on the tokens a side of a micro-batch."""
        return math.ceil(self.config.batch_tokens / self.count)

    def remaining(self, after: Position, steps: int) -> Iterator[Work]:
        """Yield the work of each step after the one at position ``after``, up to step ``steps``.

        For a GPU, a thread makes it ready in page-locked memory.
        """
        if self.group.device.type == "cpu":
            return (self._work(*item) for item in self.batches(after, steps))
        return self._in_advance(self._pinned(after, steps))

    def batches(self, after: Position, steps: int) -> Iterator[tuple[Position, Indices]]:
        """Yield the batch of each step after the one at position ``after``, up to step ``steps``."""
        step, epoch, number = after.step, after.epoch, after.batch
        while step < steps:
            batches = self._epoch(epoch)
            for batch in batches[number:][: steps - step]:
                step, number = step + 1, number + 1
                if number == len(batches):
                    epoch, number = epoch + 1, 0
                yield Position(step, epoch, number), batch

    def sentence(self) -> Batch:
        """Return the shortest sentence pair, with its key for dropout."""
        return self._batch(0, np.argmin(np.add(*self.lengths), keepdims=True))

    def _epoch(self, epoch: int) -> list[Indices]:
        """Return the batches of an epoch."""
        config = self.config
        batches = epoch_batches(
            *self.lengths,
            batch_tokens=config.batch_tokens,
            max_length=config.max_length,
            seed=config.seed,
            epoch=epoch,
            buckets_per_doubling=config.buckets_per_doubling,
        )
        if not batches:
            raise UserError(f"no sentence pair is within max_length ({config.max_length} tokens a side)")
        return batches

    def _batch(self, step: int, rows: Indices) -> Batch:
        keys = sentence_keys(self.config.seed, step, np.asarray(rows))
        return make_batch(self.dataset, rows, keys)

    def _work(self, position: Position, batch: Indices) -> Work:
        parts = self.group.share_of(split_into_micro_batches(batch, *self.lengths, self.count))
        S, T = (int(lengths[batch].max()) for lengths in self.lengths)
        # A batch with fewer sentences than micro-batches leaves some empty.  Their processes still take part, with a
        # sentence of weight 0, because the others wait for their gradients.
        return Work(
            position,
            [self._batch(position.step, part if len(part) else batch[:1]) for part in parts],
            [float(len(part) > 0) for part in parts],
            source_tokens=int(self.lengths[0][batch].sum()),
            target_tokens=int(self.lengths[1][batch].sum()),
            # Of a batch that is padded as a whole; the division into micro-batches saves some.
            flops=training_flops(self.model, len(batch), S, T),
        )

    def _in_advance(self, works: Iterator[Work]) -> Iterator[Work]:
        """Yield ``works``, while a thread makes up to ``PREPARED`` of them.  It ends with the iterator."""
        thread = ThreadPoolExecutor(max_workers=1)
        try:
            ahead = deque(thread.submit(next, works, None) for _ in range(PREPARED))
            while work := ahead.popleft().result():
                ahead.append(thread.submit(next, works, None))
                yield work
        finally:
            thread.shutdown(cancel_futures=True)

    def _pinned(self, after: Position, steps: int) -> Iterator[Work]:
        """Yield the remaining work in page-locked memory."""
        torch.cuda.set_device(self.group.device)  # a new thread begins with the first GPU
        for item in self.batches(after, steps):
            work = self._work(*item)
            yield replace(work, micro_batches=[batch.pin_memory() for batch in work.micro_batches])
