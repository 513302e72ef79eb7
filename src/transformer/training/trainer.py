"""The training loop (section 5), for one process or several.

The settings and the step alone determine the batches, their division into micro-batches, and the random numbers of
each micro-batch.  An interrupted run therefore ends with the same bits as an uninterrupted one, and eight processes
compute the same as one, up to the rounding of sums.
"""

import contextlib
import dataclasses
import json
import math
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from transformer.common.errors import UserError
from transformer.common.files import write_text
from transformer.common.progress import Progress
from transformer.dataset.batching import Indices, epoch_batches, split_into_micro_batches
from transformer.dataset.padding import padded_batch
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.flops import training_flops
from transformer.model.precision import Precision, autocast, resolve_precision
from transformer.model.transformer import Transformer
from transformer.training.checkpoints import Checkpoints
from transformer.training.distributed import ProcessGroup
from transformer.training.objective import Objective
from transformer.training.schedule import learning_rate

Validate = Callable[[Transformer], dict[str, float]]


@dataclasses.dataclass(frozen=True)
class TrainingConfig:
    """The settings of section 5.  Lengths and batch sizes count subword tokens a side, EOS included."""

    steps: int
    warmup_steps: int
    learning_rate_scale: float  # times equation (3); the paper's is 1
    batch_tokens: int  # most source tokens, and most target tokens, of one update over all processes
    max_tokens: int  # about the size of a micro-batch; larger batches need gradient accumulation
    max_length: int  # longer pairs are left out of training
    label_smoothing: float
    adam_beta1: float
    adam_beta2: float
    adam_epsilon: float
    checkpoint_every_steps: int | None  # either this or the next is set
    checkpoint_every_minutes: float | None  # as in the paper; the averaged steps then depend on the machine
    keep_checkpoints: int
    validate_every_steps: int
    precision: Precision
    threads: int  # of each process on a CPU; fixed, because their number changes how sums are rounded
    seed: int
    buckets_per_doubling: int | None = None  # as in the 2017 code; batch_tokens then counts padding too

    def __post_init__(self) -> None:
        """Raises ValueError when a sentence may be longer than a batch."""
        if self.max_length > self.batch_tokens:
            raise ValueError(
                f"max_length is {self.max_length}; it must not be more than batch_tokens ({self.batch_tokens})"
            )


class Stopped(Exception):
    """Raised after a signal (SIGTERM, SIGUSR1) has stopped training and a checkpoint is written."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal.Signals(signal_number).name)
        self.exit_code = 128 + signal_number


class Trainer:
    """Trains one model to the last step, starting from its newest checkpoint."""

    def __init__(
        self,
        model: Transformer,
        dataset: TokenizedDataset,
        config: TrainingConfig,
        group: ProcessGroup,
        checkpoints: Checkpoints,
        validate: Validate,
    ) -> None:
        self.model = model.to(group.device)
        self.dataset = dataset
        self.lengths = dataset.source.lengths, dataset.target.lengths
        self.config = config
        self.group = group
        self.checkpoints = checkpoints
        self.validate = validate
        self.precision = resolve_precision(config.precision, group.device)
        self.optimizer = torch.optim.Adam(
            self.model.parameters(),
            betas=(config.adam_beta1, config.adam_beta2),
            eps=config.adam_epsilon,
            fused=True,
        )
        self.state = checkpoints.restore(self.model, self.optimizer)
        if self.state.step > config.steps:
            raise UserError(
                f"{checkpoints.folder}: the newest checkpoint is of step {self.state.step}, past the last step "
                f"{config.steps}; raise steps, or delete that folder to train from the start"
            )
        self.metrics = MetricsFile(checkpoints.folder / "metrics.jsonl", self.state.step, group.is_main)
        self.objective: nn.Module = Objective(self.model, config.label_smoothing)
        if group.world_size > 1:
            # Buffers are not broadcast: each process's table of sinusoids is as long as its own sentences need.
            # Gradients are summed in the reduction buckets, during the backward pass.
            self.objective = DistributedDataParallel(
                self.objective, forward_sync_buffers=False, gradient_as_bucket_view=True
            )
        # As many micro-batches as max_tokens requires, the same number for each process.
        accumulation_steps = math.ceil(config.batch_tokens / (config.max_tokens * group.world_size))
        self.micro_batches = accumulation_steps * group.world_size
        self.stop_signal = 0
        self.saved_at = time.monotonic()

    def train(self) -> None:
        """Train to the last step.  Raises Stopped after a signal, once a checkpoint is written."""
        state, config = self.state, self.config
        progress = (
            Progress(config.steps, "step", "training", initial=state.step) if self.group.is_main else None
        )
        with self._signals_caught(), progress or contextlib.nullcontext():
            for batch in self.batches():
                started = time.monotonic()
                loss = self.train_step(batch)
                state.seconds += time.monotonic() - started
                if progress is not None:
                    speed = (state.source_tokens + state.target_tokens) / state.seconds
                    progress.update(1, loss=f"{loss:.3f}", tokens_per_s=f"{speed:,.0f}")
                if state.step % config.validate_every_steps == 0 or state.step == config.steps:
                    self._validate(loss, progress)
                self._save_if_due()

    def batches(self) -> Iterator[Indices]:
        """Yield the remaining batches.  The state moves past each batch before it is yielded."""
        state, config = self.state, self.config
        while state.step < config.steps:
            batches = epoch_batches(
                *self.lengths,
                batch_tokens=config.batch_tokens,
                max_length=config.max_length,
                seed=config.seed,
                epoch=state.epoch,
                buckets_per_doubling=config.buckets_per_doubling,
            )
            if not batches:
                raise UserError(f"no sentence pair is within max_length ({config.max_length} tokens a side)")
            for batch in batches[state.batch :][: config.steps - state.step]:
                state.step += 1
                state.batch += 1
                if state.batch == len(batches):
                    state.epoch, state.batch = state.epoch + 1, 0
                yield batch

    def train_step(self, batch: Indices) -> float:
        """Take one step of Adam on a whole batch and return its loss per target token."""
        config, state, group = self.config, self.state, self.group
        micro_batches = split_into_micro_batches(batch, *self.lengths, self.micro_batches)
        target_tokens = int(self.lengths[1][batch].sum())
        loss = torch.zeros((), device=group.device)
        for number in range(group.rank, self.micro_batches, group.world_size):
            last = number + group.world_size >= self.micro_batches
            loss += self._accumulate(micro_batches[number], number, target_tokens, reduce_gradients=last)
        rate = learning_rate(
            state.step, self.model.config.d_model, config.warmup_steps, config.learning_rate_scale
        )
        self.optimizer.param_groups[0]["lr"] = rate
        self.optimizer.step()
        self.optimizer.zero_grad()
        state.source_tokens += int(self.lengths[0][batch].sum())
        state.target_tokens += target_tokens
        state.flops += sum(map(self._flops, micro_batches))
        mean = float(group.all_reduce_sum(loss)) / target_tokens
        if not math.isfinite(mean):
            raise UserError(
                f"the loss at step {state.step} is {mean}: training diverged; lower learning_rate_scale or "
                "raise warmup_steps"
            )
        return mean

    def _accumulate(
        self, micro_batch: Indices, number: int, target_tokens: int, reduce_gradients: bool
    ) -> Tensor:
        """Add a micro-batch's gradients, divided by the batch's ``target_tokens``, and return its summed loss."""
        # A batch with fewer sentences than micro-batches leaves some empty.  Their processes still take part, with a
        # sentence of weight 0, because the others wait for their gradients.
        weight = 1.0 if len(micro_batch) else 0.0
        rows = micro_batch if len(micro_batch) else np.zeros(1, np.int64)
        source, target = padded_batch(self.dataset, rows, self.group.device)
        torch.manual_seed(_dropout_seed(self.config.seed, self.state.step, number))
        reduction = (
            self.objective.no_sync()
            if isinstance(self.objective, DistributedDataParallel) and not reduce_gradients
            else contextlib.nullcontext()
        )
        with reduction:
            with autocast(self.precision, self.group.device):
                loss, _ = self.objective(source, target)
            # DistributedDataParallel averages over processes; the factor world_size turns the mean into the sum.
            (loss * (weight * self.group.world_size / target_tokens)).backward()
        return loss.detach() * weight

    def _flops(self, micro_batch: Indices) -> int:
        if not len(micro_batch):
            return 0
        S, T = (int(lengths[micro_batch].max()) for lengths in self.lengths)
        return training_flops(self.model.config, len(micro_batch), S, T)

    def _validate(self, loss: float, progress: Progress | None) -> None:
        """Measure the model on the development set, and write a line of metrics."""
        started = time.monotonic()
        state = self.state
        figures: dict[str, Any] = {
            "step": state.step,
            "epoch": state.epoch,
            "learning_rate": self.optimizer.param_groups[0]["lr"],
            "loss": round(loss, 6),
            "tokens": state.source_tokens + state.target_tokens,
        }
        if self.group.is_main:
            self.model.eval()
            figures |= self.validate(self.model)
            self.model.train()
        self.group.barrier()
        state.seconds += time.monotonic() - started
        figures["seconds"] = round(state.seconds, 1)
        self.metrics.write(figures)
        if progress is not None:
            progress.note("  ".join(f"{name} {value:g}" for name, value in figures.items()))

    def _save_if_due(self) -> None:
        """Write a checkpoint if the schedule, the last step or a signal asks for one."""
        config, step = self.config, self.state.step
        every_steps, every_minutes = config.checkpoint_every_steps, config.checkpoint_every_minutes
        by_step = every_steps is not None and step % every_steps == 0
        by_time = every_minutes is not None and time.monotonic() - self.saved_at >= 60 * every_minutes
        # All processes must make the same decision, but each has its own clock and receives its own signals.
        stop, due = divmod(self.group.all_reduce_max(self.stop_signal * 2 + (by_step or by_time)), 2)
        if due or stop or step == config.steps:
            if self.group.is_main:
                self.checkpoints.save(self.model, self.optimizer, self.state, on_schedule=bool(due))
            self.group.barrier()
            self.saved_at = time.monotonic()
        if stop and step < config.steps:
            raise Stopped(stop)

    @contextlib.contextmanager
    def _signals_caught(self) -> Iterator[None]:
        """Let SIGTERM and SIGUSR1, which schedulers send before the time limit, end training after the step."""

        def note(number: int, _: object) -> None:
            self.stop_signal = number

        before = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGUSR1)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class MetricsFile:
    """A file with one JSON object per line.  A resumed run first drops the lines after its checkpoint."""

    def __init__(self, path: Path, step: int, is_main: bool) -> None:
        self.path = path
        self._is_main = is_main
        if is_main:
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
            # A line without a newline was cut off when training was killed.
            kept = [line for line in lines if line.endswith("\n") and json.loads(line)["step"] <= step]
            write_text(path, "".join(kept))

    def write(self, figures: dict[str, Any]) -> None:
        """Append a line."""
        if self._is_main:
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(figures) + "\n")


def _dropout_seed(seed: int, step: int, micro_batch: int) -> int:
    """Return a 63-bit seed, different for each micro-batch of each step (mixed as in splitmix64)."""
    x = (seed * 0x9E3779B97F4A7C15 + step * 0xBF58476D1CE4E5B9 + micro_batch * 0x94D049BB133111EB) % 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return (x ^ (x >> 31)) >> 1
