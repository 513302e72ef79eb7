"""The training loop (section 5), for one process or several.

The settings and the step alone determine the batches and the random numbers of each sentence.  On a CPU, an interrupted
run therefore ends with the same bits as an uninterrupted one.  Any number of processes, and micro-batches of any size,
compute the same as one process with whole batches, up to the rounding of sums.
"""

import contextlib
import dataclasses
import json
import math
import os
import platform
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from transformer.common.artifacts import metrics_line
from transformer.common.errors import UserError
from transformer.common.files import sync, write_text
from transformer.common.progress import Progress
from transformer.dataset.padding import Batch
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.device import device_name
from transformer.model.trained_by import code_here, software
from transformer.model.transformer import Transformer
from transformer.settings.run_settings import TrainingConfig
from transformer.training.checkpoints import Checkpoints
from transformer.training.distributed import ProcessGroup, distribute, without_reduction
from transformer.training.loss import Objective
from transformer.training.micro_batches import Position, Work, Worklist
from transformer.training.schedule import learning_rate

Validate = Callable[[Transformer, ProcessGroup], dict[str, float]]

# Every so many steps, the program waits for its GPU or its processes, to report the loss and to obey signals.
READ_EVERY = 10

# What ends a training after its step: a scheduler before the time limit, Ctrl-C, and a terminal that is closed.
# SIGQUIT, from Ctrl and a backslash, is not among them: it ends a training at once.
SIGNALS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT, signal.SIGHUP)


class Stopped(Exception):
    """Raised after one of the ``SIGNALS`` has stopped training and a checkpoint is written."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal.Signals(signal_number).name)
        self.exit_code = 128 + signal_number


class Trainer:
    """Trains one model to the last step, starting from its newest checkpoint.

    A micro-batch, which goes through the model at once, has about ``max_tokens`` tokens a side.
    """

    def __init__(
        self,
        model: Transformer,
        dataset: TokenizedDataset,
        config: TrainingConfig,
        group: ProcessGroup,
        checkpoints: Checkpoints,
        validate: Validate,
        max_tokens: int,
    ) -> None:
        self.model = model.to(group.device)
        self.config = config
        self.group = group
        self.checkpoints = checkpoints
        self.validate = validate
        model.compute_with(config.numerics)
        self.optimizer = torch.optim.Adam(
            self.model.parameters(),
            betas=(config.adam_beta1, config.adam_beta2),
            eps=config.adam_epsilon,
            fused=True,
        )
        checkpoints.check(config.steps)
        self.state = checkpoints.restore(self.model, self.optimizer)
        self.metrics = MetricsFile(checkpoints.folder / "metrics.jsonl", self.state.step, group.is_main)
        self.objective: nn.Module = Objective(self.model, config.label_smoothing)
        if group.world_size > 1:
            self.objective = distribute(self.objective)
        # As many micro-batches as max_tokens requires, the same number for each process.
        count = math.ceil(config.batch_tokens / (max_tokens * group.world_size)) * group.world_size
        self.worklist = Worklist(dataset, model.config, config, group, count)
        self.waits_are_cheap = group.world_size == 1 and group.device.type == "cpu"
        self.here = {
            "devices": group.world_size,
            "device_name": device_name(group.device),
            "hardware": f"{platform.machine()} {platform.system()}, torch {torch.__version__}",
            "precision": model.arithmetic.precision,
            "threads": config.threads,
            "software": software(),
            "code": code_here(),
        }
        self.state.began = self.state.began or self.here
        self.stop_signal = 0
        self.progress: Progress | None = None  # of the main process, while it trains
        self.started = time.monotonic()

    def train(self) -> None:
        """Train to the last step.  Raises Stopped after a signal, once a checkpoint is written."""
        state, config = self.state, self.config
        if self.group.world_size > 1:
            self.warm_up()
        if self.group.is_main:
            self.progress = Progress(config.steps, "steps", initial=state.step)
        self.started = time.monotonic() - state.seconds  # as if training had never been interrupted
        with self._signals_caught(), self.progress or contextlib.nullcontext():
            for work in self.work():
                loss = self.train_step(work)
                last = state.step == config.steps
                save = state.step % config.checkpoint_every_steps == 0 or last
                validate = state.step % config.validate_every_steps == 0 or last
                # To look at the loss and at signals is to wait for the device, and for the other processes.
                look = self.waits_are_cheap or validate or save or state.step % READ_EVERY == 0
                figures = {}
                if look:
                    mean = self.read_loss(loss, work.target_tokens)
                    speed = (state.source_tokens + state.target_tokens) / (time.monotonic() - self.started)
                    figures = {"loss": f"{mean:.3f}", "tokens_per_s": f"{speed:,.0f}"}
                if self.progress is not None:
                    self.progress.update(1, **figures)
                if validate:
                    self._validate(mean)
                state.seconds = time.monotonic() - self.started
                self._save_if_due(save, look)
        self.checkpoints.wait()
        self.group.barrier()

    def work(self) -> Iterator[Work]:
        """Yield the work of the remaining steps.  The state moves past each batch before it is yielded."""
        state = self.state
        here = Position(state.step, state.epoch, state.batch)
        for work in self.worklist.remaining(here, self.config.steps):
            state.step, state.epoch, state.batch = dataclasses.astuple(work.position)
            yield work

    def warm_up(self) -> None:
        """Take two synchronised passes on a sentence, which change nothing.

        After the first one, DistributedDataParallel arranges its buckets anew, and so adds in another order: the first
        step after a resume would differ.
        """
        batch = self.worklist.sentence().to(self.group.device)
        for _ in range(2):
            with self.autocast():
                loss = self.objective(batch) * 0
            loss.backward()
        self.optimizer.zero_grad()

    def train_step(self, work: Work) -> Tensor:
        """Take one step of Adam on a whole batch; return the loss summed over this process's part, a scalar."""
        state = self.state
        loss = torch.zeros((), device=self.group.device)
        # Inside one context, autocast casts each weight once, for all micro-batches.
        with self.autocast():
            for micro_batch, weight in zip(work.micro_batches, work.weights, strict=True):
                batch, last = micro_batch.to(self.group.device), micro_batch is work.micro_batches[-1]
                loss += self._accumulate(batch, weight, work.target_tokens, reduce_gradients=last)
        self._set_learning_rate()
        self.optimizer.step()
        self.optimizer.zero_grad()
        state.source_tokens += work.source_tokens
        state.target_tokens += work.target_tokens
        state.flops += work.flops
        return loss

    def read_loss(self, loss: Tensor, target_tokens: int) -> float:
        """Return the mean loss per target token of all processes.  Raises UserError when training has diverged."""
        # Once weights are not finite they stay so, and the loss with them: a later call finds what this one does not.
        mean = float(self.group.all_reduce_sum(loss)) / target_tokens
        self._check_finite("the loss", mean)
        return mean

    def _check_finite(self, name: str, value: float) -> None:
        """Raise UserError, which says that training has diverged, when a figure of this step is not finite."""
        if not math.isfinite(value):
            raise UserError(
                f"{name} at step {self.state.step} is {value}: training diverged; lower learning_rate_scale or "
                "raise warmup_steps"
            )

    def autocast(self) -> contextlib.AbstractContextManager[object]:
        """Return a context in which matrix products run in the precision of this training."""
        return self.model.arithmetic.autocast(self.group.device)

    def _accumulate(self, batch: Batch, weight: float, target_tokens: int, reduce_gradients: bool) -> Tensor:
        """Add a micro-batch's gradients, divided by the batch's ``target_tokens``, and return its summed loss."""
        with contextlib.nullcontext() if reduce_gradients else without_reduction(self.objective):
            loss: Tensor = self.objective(batch)
            # DistributedDataParallel averages over processes; the factor world_size turns the mean into the sum.
            share = loss * (weight * self.group.world_size / target_tokens)
            # The forward pass has chosen the types.
            with torch.autocast(self.group.device.type, enabled=False):
                share.backward()
        return loss.detach() * weight

    def _set_learning_rate(self) -> None:
        """Give the optimizer the learning rate of this step."""
        d_model, config = self.model.config.d_model, self.config
        rate = learning_rate(self.state.step, d_model, config.warmup_steps, config.learning_rate_scale)
        self.optimizer.param_groups[0]["lr"] = rate

    def _validate(self, loss: float) -> None:
        """Measure the model on the development set, and write a line of metrics.

        Raises UserError when a figure is not finite: no later loss would tell that the last update has diverged.
        """
        state = self.state
        measured = self.validate(self.model, self.group)
        for name, value in measured.items():
            self._check_finite(name, value)
        figures: dict[str, Any] = {
            "step": state.step,
            "epoch": state.epoch,
            "learning_rate": self.optimizer.param_groups[0]["lr"],
            "loss": round(loss, 6),
            "tokens": state.source_tokens + state.target_tokens,
            **measured,
        }
        if self.group.is_main:
            self.metrics.write(figures)
        if self.progress is not None:
            self.progress.note("  ".join(f"{name} {value:g}" for name, value in figures.items()))

    def _save_if_due(self, due: bool, look: bool) -> None:
        """Write a checkpoint if it is due, or if this is a step at which to look at signals and there is one."""
        # All processes must make the same decision, but each receives its own signals.
        stop = self.group.all_reduce_max(self.stop_signal) if look else 0
        if (due or stop) and self.group.is_main:
            self.checkpoints.save(self.model, self.optimizer, self.state)
        if stop and self.state.step < self.config.steps:
            self.checkpoints.wait()
            self.group.barrier()
            raise Stopped(stop)

    @contextlib.contextmanager
    def _signals_caught(self) -> Iterator[None]:
        """Let the ``SIGNALS`` end training after the step, except those that are ignored, as SIGHUP after nohup."""
        terminals = [stream for stream in (1, 2) if os.isatty(stream)]

        def note(number: int, _: object) -> None:
            self.stop_signal = number
            if number == signal.SIGINT:  # a second Ctrl-C ends at once
                signal.signal(number, before[signal.SIGINT])
            if number == signal.SIGHUP:  # the terminal is gone, and writing to it would be an error
                for stream in terminals:
                    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)

        caught = [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
        before = {number: signal.signal(number, note) for number in caught}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class MetricsFile:
    """A file of JSON objects, one a line; a resumed run drops those after its checkpoint.  ``show`` gets new ones."""

    def __init__(self, path: Path, step: int, is_main: bool) -> None:
        self.path = path
        self.show: Callable[[dict[str, Any]], None] = lambda figures: None
        if is_main:
            lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
            # A line without a newline was cut off when training was killed.
            whole = [line for line in lines if line.endswith(b"\n")]
            numbered = enumerate(whole, start=1)
            steps = [
                metrics_line(line, path, n, "delete this line of the file")["step"] for n, line in numbered
            ]
            kept = [line for line, found in zip(whole, steps, strict=True) if found <= step]
            write_text(path, b"".join(kept).decode("utf-8"))

    def write(self, figures: dict[str, Any]) -> None:
        """Append a line, which is on the disk before a later checkpoint is."""
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(figures, allow_nan=False) + "\n")
        sync(self.path)
        self.show(figures)
