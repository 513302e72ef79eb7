"""The training loop (section 5), for one process or several.

The order of batches, their division into shards and the randomness of each shard follow from the settings
and the step alone.  That is why a run that was killed ends with the same bits as one that was not, and why
eight processes compute what one computes, up to the rounding of sums.
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

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from transformer.common.errors import UserError
from transformer.common.files import write_text
from transformer.common.progress import Progress
from transformer.dataset.batching import Indices, collate, epoch_batches, split_batch
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.flops import training_flops
from transformer.model.precision import Precision, autocast, resolve_precision
from transformer.model.transformer import Transformer
from transformer.training.checkpoints import Checkpoints
from transformer.training.distributed import Processes
from transformer.training.objective import Objective
from transformer.training.schedule import learning_rate

Validate = Callable[[Transformer], dict[str, float]]


@dataclasses.dataclass(frozen=True)
class TrainingConfig:
    """The settings of section 5.  Lengths and batch sizes are in subword tokens a side, EOS included."""

    steps: int
    warmup_steps: int
    learning_rate_scale: float  # times equation (3); the paper's is 1
    batch_tokens: int  # of one update, over all processes: about so many source and so many target tokens
    max_tokens: int  # of one pass on one device; a larger batch is accumulated over several passes
    max_length: int  # longer pairs are left out of training
    label_smoothing: float
    adam_beta1: float
    adam_beta2: float
    adam_epsilon: float
    checkpoint_every_steps: int | None  # one of these two is set
    checkpoint_every_minutes: float | None  # the paper's way; the steps averaged then depend on the machine
    keep_checkpoints: int
    validate_every_steps: int
    precision: Precision
    threads: int  # of each process on a CPU; fixed, because sums are rounded differently with another number
    seed: int

    def __post_init__(self) -> None:
        """Raises ValueError when a sentence may be longer than a batch."""
        if self.max_length > self.batch_tokens:
            raise ValueError(
                f"max_length is {self.max_length}; it must not be more than batch_tokens ({self.batch_tokens})"
            )


class Stopped(Exception):
    """Training was told to stop (SIGTERM, SIGUSR1) and has saved a checkpoint."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal.Signals(signal_number).name)
        self.exit_code = 128 + signal_number


class Trainer:
    """Trains one model to the last step, from wherever its newest checkpoint is."""

    def __init__(
        self,
        model: Transformer,
        store: TokenizedDataset,
        settings: TrainingConfig,
        processes: Processes,
        checkpoints: Checkpoints,
        validate: Validate,
    ) -> None:
        self.model = model.to(processes.device)
        self.settings = settings
        self.processes = processes
        self.checkpoints = checkpoints
        self.validate = validate
        self.store = store
        self.lengths = store.source.lengths, store.target.lengths
        self.precision = resolve_precision(settings.precision, processes.device)
        self.optimizer = torch.optim.Adam(
            self.model.parameters(),
            betas=(settings.adam_beta1, settings.adam_beta2),
            eps=settings.adam_epsilon,
            fused=True,
        )
        self.position = checkpoints.restore(self.model, self.optimizer)
        if self.position.step > settings.steps:
            raise UserError(
                f"{checkpoints.folder}: is at step {self.position.step} already, past the {settings.steps} that are "
                "asked for; raise steps, or delete that folder to start again"
            )
        self.metrics = MetricsFile(
            checkpoints.folder / "metrics.jsonl", self.position.step, processes.is_main
        )
        self.objective: nn.Module = Objective(self.model, settings.label_smoothing)
        if processes.world > 1:
            # The one buffer, the table of sinusoids, each process computes itself, as long as its sentences need.
            # Its gradients are summed while the backward pass goes on, in the buckets themselves.
            self.objective = DistributedDataParallel(
                self.objective, forward_sync_buffers=False, gradient_as_bucket_view=True
            )
        # As many shards as passes of max_tokens are needed, and equally many for each process.
        passes = math.ceil(settings.batch_tokens / (settings.max_tokens * processes.world))
        self.shards = passes * processes.world
        self.stop_signal = 0
        self.saved_at = time.monotonic()

    def train(self) -> None:
        """Run to the last step.  Raises Stopped after a signal, once a checkpoint is written."""
        position, settings = self.position, self.settings
        total = (
            Progress(settings.steps, "step", "training", initial=position.step)
            if self.processes.is_main
            else None
        )
        with self._signals_caught(), total or contextlib.nullcontext():
            for batch in self._batches():
                started = time.monotonic()
                loss = self._update(batch)
                position.seconds += time.monotonic() - started
                tokens = position.source_tokens + position.target_tokens
                if total is not None:
                    total.update(1, loss=f"{loss:.3f}", tokens_per_s=f"{tokens / position.seconds:,.0f}")
                if position.step % settings.validate_every_steps == 0 or position.step == settings.steps:
                    self._report(loss, total)
                self._save_if_due()

    def _batches(self) -> Iterator[Indices]:
        """The batches that are still to come, the position moved on past each before it is given."""
        position, settings = self.position, self.settings
        while position.step < settings.steps:
            batches = epoch_batches(
                *self.lengths,
                batch_tokens=settings.batch_tokens,
                max_length=settings.max_length,
                seed=settings.seed,
                epoch=position.epoch,
            )
            if not batches:
                raise UserError(
                    f"no sentence pair is within max_length ({settings.max_length} tokens a side)"
                )
            for batch in batches[position.batch :][: settings.steps - position.step]:
                position.step += 1
                position.batch += 1
                if position.batch == len(batches):
                    position.epoch, position.batch = position.epoch + 1, 0
                yield batch

    def _update(self, batch: Indices) -> float:
        """One step of Adam on a whole batch; returns its loss per target token."""
        settings, position = self.settings, self.position
        shards = split_batch(batch, *self.lengths, self.shards)
        tokens = int(self.lengths[1][batch].sum())
        loss = torch.zeros((), device=self.processes.device)
        for number in range(self.processes.rank, self.shards, self.processes.world):
            last = number + self.processes.world >= self.shards
            loss += self._accumulate(shards[number], number, tokens, reduce_gradients=last)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(
                position.step, self.model.config.d_model, settings.warmup_steps, settings.learning_rate_scale
            )
        self.optimizer.step()
        self.optimizer.zero_grad()
        position.source_tokens += int(self.lengths[0][batch].sum())
        position.target_tokens += tokens
        position.flops += sum(self._flops(shard) for shard in shards)
        mean = float(self.processes.total(loss)) / tokens
        if not math.isfinite(mean):
            raise UserError(
                f"the loss at step {position.step} is {mean}: training diverged; lower learning_rate_scale or "
                "raise warmup_steps"
            )
        return mean

    def _accumulate(self, shard: Indices, number: int, tokens: int, reduce_gradients: bool) -> Tensor:
        """Add a shard's gradients, divided by the batch's target ``tokens``; returns its summed loss."""
        # A batch of fewer sentences than shards leaves some shards empty.  Their process takes part with a
        # sentence that counts nothing, because the others wait for its gradients.
        weight = 1.0 if len(shard) else 0.0
        rows = shard if len(shard) else [0]
        source, target = (self._padded(side, rows) for side in (self.store.source, self.store.target))
        torch.manual_seed(_shard_seed(self.settings.seed, self.position.step, number))
        reducing = (
            self.objective.no_sync()
            if isinstance(self.objective, DistributedDataParallel) and not reduce_gradients
            else contextlib.nullcontext()
        )
        with reducing:
            with autocast(self.precision, self.processes.device):
                loss, _ = self.objective(source, target)
            # DistributedDataParallel takes the mean over processes; the sum is wanted.
            (loss * (weight * self.processes.world / tokens)).backward()
        return loss.detach() * weight

    def _padded(self, side: Any, rows: Any) -> Tensor:
        tokens = torch.from_numpy(collate([side[row] for row in rows]))
        return tokens.to(self.processes.device, non_blocking=True)

    def _flops(self, shard: Indices) -> int:
        if not len(shard):
            return 0
        longest = (int(lengths[shard].max()) for lengths in self.lengths)
        return training_flops(self.model.config, len(shard), *longest)

    def _report(self, loss: float, total: Progress | None) -> None:
        """Validate, and write down how it stands."""
        started = time.monotonic()
        position = self.position
        figures: dict[str, Any] = {
            "step": position.step,
            "epoch": position.epoch,
            "learning_rate": self.optimizer.param_groups[0]["lr"],
            "loss": round(loss, 6),
            "tokens": position.source_tokens + position.target_tokens,
        }
        if self.processes.is_main:
            self.model.eval()
            figures |= self.validate(self.model)
            self.model.train()
        self.processes.wait()
        position.seconds += time.monotonic() - started
        figures["seconds"] = round(position.seconds, 1)
        self.metrics.write(figures)
        if total is not None:
            total.note("  ".join(f"{name} {value:g}" for name, value in figures.items()))

    def _save_if_due(self) -> None:
        """Write a checkpoint when it is time, at the end, or when a signal asks to stop."""
        settings, step = self.settings, self.position.step
        every_steps, every_minutes = settings.checkpoint_every_steps, settings.checkpoint_every_minutes
        by_step = every_steps is not None and step % every_steps == 0
        by_time = every_minutes is not None and time.monotonic() - self.saved_at >= 60 * every_minutes
        # All processes must act alike, and clocks and signals are not the same in each.
        stop, due = divmod(self.processes.agree(self.stop_signal * 2 + (by_step or by_time)), 2)
        if due or stop or step == settings.steps:
            if self.processes.is_main:
                self.checkpoints.save(self.model, self.optimizer, self.position, on_schedule=bool(due))
            self.processes.wait()
            self.saved_at = time.monotonic()
        if stop and step < settings.steps:
            raise Stopped(stop)

    @contextlib.contextmanager
    def _signals_caught(self) -> Iterator[None]:
        """SIGTERM and SIGUSR1, which schedulers send before the time limit, end the step, save and stop."""

        def note(number: int, _: object) -> None:
            self.stop_signal = number

        before = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGUSR1)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class MetricsFile:
    """One JSON object a line; on resuming, the lines past the checkpoint are dropped and written again."""

    def __init__(self, path: Path, step: int, is_main: bool) -> None:
        self.path = path
        self._is_main = is_main
        if is_main:
            kept = []
            if path.exists():
                for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
                    if line.endswith("\n") and json.loads(line)["step"] <= step:
                        kept.append(line)
            write_text(path, "".join(kept))

    def write(self, figures: dict[str, Any]) -> None:
        """Add a line."""
        if self._is_main:
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(figures) + "\n")


def _shard_seed(seed: int, step: int, shard: int) -> int:
    """A 63-bit seed for the dropout of one shard of one step, different for each (splitmix64's mixing)."""
    x = (seed * 0x9E3779B97F4A7C15 + step * 0xBF58476D1CE4E5B9 + shard * 0x94D049BB133111EB) % 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return (x ^ (x >> 31)) >> 1
