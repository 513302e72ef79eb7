"""The trainings of the small scale, several at a time on one GPU, with the project's own scripts.

Each run goes the way of the pipeline's rules: train, average, translate, score.  Its files lie in
``runs/<run>/<pair>/`` under the names that the tables read.  When the time is up, a training gets SIGTERM, writes a
checkpoint and ends; the next call of the campaign continues it.
"""

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import torch
from campaign_record import Record, finite
from packing import Run, read_packed_runs

from transformer.common.artifacts import write_artifact
from transformer.common.files import read_json

STAGE = "trainings"
SOURCE = Path(__file__).parents[2] / "src"
GRACE = 20  # seconds in which a training writes its checkpoint and ends
PATIENCE = 0.5  # seconds from one look at the time to the next
MEMORY = 3e9  # bytes of a GPU's memory for a training of the small scale, with CUDA's own share

Command = tuple[Path, list[object]]  # the file that is there when it is done, and its arguments


class Stopped(Exception):
    """The time is up, and a command was stopped or not begun."""


class Failed(Exception):
    """A command ended with an error."""


@dataclass
class Trainings:
    """The runs, and the processes that are at work on them."""

    runs: Sequence[Run]
    data: Path  # the unpacked archive
    output: Path
    record: Record
    until: float
    lock: threading.Lock = field(default_factory=threading.Lock)
    processes: set[subprocess.Popen[bytes]] = field(default_factory=set)
    stopping: bool = False

    def work(self, jobs: int) -> None:
        """Do all runs in their order, ``jobs`` at a time, until all are done or the time is up."""
        rest = [run for run in self.runs if not self.record.is_closed(STAGE, name_of(run))]
        threading.Thread(target=self.watch, args=(os.getppid(),), daemon=True).start()
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(self.work_on, rest))

    def watch(self, parent: int) -> None:
        """Stop when the time is up, or when the campaign itself has been killed."""
        while time.time() < self.until - GRACE and os.getppid() == parent:
            time.sleep(PATIENCE)
        self.stop()

    def stop(self, *_: object) -> None:
        """Ask everything that is at work to end; begin nothing more."""
        self.stopping = True
        for process in list(self.processes):
            process.terminate()

    def work_on(self, run: Run) -> None:
        """Do what is left of a run, and note its scores."""
        name = name_of(run)
        if self.stopping:
            return
        with self.lock:
            self.record.begin(STAGE, name)
        try:
            for done, command in self.commands(run):
                if not done.exists():
                    self.call(run, command)
            outcome: dict[str, object] = {"result": figures(run, self.folder(run))}
            print(f"{name}: {finite(outcome['result'])}", flush=True)
        except Stopped:
            with self.lock:
                self.record.forget_attempt(STAGE, name)
            return
        except Failed as error:
            outcome = {"error": str(error)}
            print(f"{name}: {error}", flush=True)
        with self.lock:
            self.record.end(STAGE, name, **outcome)

    def folder(self, run: Run) -> Path:
        return self.output / "runs" / run.run / run.pair

    def commands(self, run: Run) -> Iterator[Command]:
        """Yield the commands of a run, as the rules of training, decoding and scoring call them."""
        R, D = self.folder(run), self.data / run.pair
        write_artifact(R / "config.json", run.config)
        yield R / "training.json", [
            "training/train.py", "--config", R / "config.json", "--data", D / "tokenized", "--subwords",
            D / "subwords.model", "--output", R, "--max-tokens", run.max_tokens,
        ]  # fmt: skip
        if run.averaged:
            yield from self.scoring(run, R / "averaged", run.average, "test", ("dev", "test"), R)
        if run.last:
            yield from self.scoring(run, R / "last", 1, "dev", ("dev",), R / "last")

    def scoring(
        self, run: Run, model: Path, average: int, split: str, splits: Sequence[str], output: Path
    ) -> Iterator[Command]:
        """Yield the commands that average checkpoints, translate ``split`` and score the result into ``output``."""
        R, D = self.folder(run), self.data / run.pair
        source, target = run.pair.split("-")
        hypothesis, report = output / f"{split}.{target}", output / f"{split}.decoding.json"
        options = [
            part for key, value in run.decoding.items() for part in (f"--{key.replace('_', '-')}", value)
        ]
        yield model / "model.json", [
            "training/average_checkpoints.py", "--training", R / "training.json", "--last", average, "--output", model,
        ]  # fmt: skip
        yield report, [
            "decoding/translate.py", "--model", model, "--subwords", D / "subwords.model", *options,
            "--input", D / f"{split}.{source}", "--output", hypothesis, "--report", report,
        ]  # fmt: skip
        yield output / "perplexity.json", [
            "training/score_perplexity.py", "--model", model, "--data", D / "tokenized",
            *(part for one in splits for part in ("--split", one)), "--output", output / "perplexity.json",
        ]  # fmt: skip
        yield output / "scores.json", [
            "scoring/score_bleu.py", "--hypothesis", hypothesis, "--reference", D / f"{split}.{target}",
            "--language", target, "--checkpoint", model / "model.safetensors", "--config", R / "config.json",
            "--source", D / f"{split}.{source}", "--decoding", report, "--output", output / "scores.json",
            "--per-sentence", output / "scores.csv",
        ]  # fmt: skip

    @contextlib.contextmanager
    def alone(self, path: Path) -> Iterator[IO[str]]:
        """Wait until no process of an earlier call, which may outlive it, works on this run any more.

        A process that inherits the file holds the lock as long as it lives.  Raises Stopped when the time is up.
        """
        with open(path, "w") as lock:
            while not self.stopping:
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                time.sleep(PATIENCE)
            if self.stopping:
                raise Stopped
            yield lock

    def call(self, run: Run, command: list[object]) -> None:
        """Run a script of the project, with its output in the run's log.  Raises Stopped or Failed."""
        script, *arguments = command
        log = self.folder(run) / "log"
        paths = os.pathsep.join([str(SOURCE), str(self.data / "packages"), os.environ.get("PYTHONPATH", "")])
        with open(log, "ab") as file, self.alone(log.with_name(".lock")) as lock:
            process = subprocess.Popen(
                [sys.executable, SOURCE / "transformer" / str(script), *map(str, arguments)],
                stdout=file,
                stderr=subprocess.STDOUT,
                env=os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
                pass_fds=[lock.fileno()],
            )
            self.processes.add(process)
            if self.stopping:  # while it was started
                process.terminate()
            try:
                code = process.wait(None if not self.stopping else GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
            finally:
                self.processes.discard(process)
        if code and self.stopping:
            raise Stopped
        if code:
            last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            raise Failed(f"{script} ended with {code}: {' '.join(last)}")


def train(data: Path, output: Path, record: Record, until: float, jobs: int | None) -> None:
    """Work on the trainings of the unpacked archive ``data`` until they are done or the time is up."""
    trainings = Trainings(read_packed_runs(data), data, output, record, until)
    signal.signal(signal.SIGTERM, trainings.stop)
    trainings.work(jobs or default_jobs())


def default_jobs() -> int:
    """Return how many trainings fit side by side: three for four cores, as far as the GPU's memory allows."""
    jobs = max(1, 3 * len(os.sched_getaffinity(0)) // 4)
    if torch.cuda.is_available():
        jobs = min(jobs, int(torch.cuda.mem_get_info()[0] / MEMORY))
    return max(1, jobs)


def name_of(run: Run) -> str:
    return f"{run.run} {run.pair}"


def figures(run: Run, folder: Path) -> dict[str, object]:
    """Return the figures of a finished run for the report."""
    timing, training = read_json(folder / "timing.json"), read_json(folder / "training.json")
    found: dict[str, object] = {
        "steps": training["steps"],
        "parameters": training["parameters"],
        "wall_seconds": timing["wall_seconds"],
        "tokens_per_second": timing["tokens_per_second"],
        "precision": timing["precision"],
    }
    for part, place in (("test", folder), ("dev", folder / "last")):
        if (run.averaged if part == "test" else run.last) and (place / "scores.json").exists():
            scores = read_json(place / "scores.json")
            found[f"{part}_bleu"] = round(scores["measures"][scores["headline"]]["value"], 2)
            found[f"{part}_sacrebleu"] = round(scores["measures"]["sacrebleu"]["value"], 2)
            found[f"{part}_perplexity"] = round(read_json(place / "perplexity.json")[part]["perplexity"], 3)
    return found
