"""Give readers millions of damaged inputs, and see whether each is read, or refused in one clear line.

    python tests/campaigns/fuzz.py                            # 1000 inputs for each reader
    python tests/campaigns/fuzz.py --inputs 100000 --only sgm # in total, those of earlier runs included
    python tests/campaigns/fuzz.py --again sgm 1234           # one input once more, with its traceback

The readers of files that users bring, and the rules that make their inputs, stand in ``fuzz_settings.py``,
``fuzz_corpora.py`` and ``fuzz_trees.py``.  An input is valid, or its structure is damaged; in half of all inputs a few
bytes are damaged as well.  Each input ends in one of these ways:

    read         the reader returned
    refused      it raised an error that the user sees as one line of at most 400 characters, with the file's name
    unclear      the user sees an error that is longer, has several lines or does not name the file
    traceback    it raised anything else, or the process died
    hang         it took more than 10 s of processor time, or 60 s in all
    misaligned   it returned something else than the input says

The last four are failures.  ``--results`` keeps the counts of each reader in a file, so that a campaign goes on where
it was interrupted; delete the folder when the code has changed.  Of each kind of failure it keeps a few inputs, in
folders named by their numbers.  Several commands can run at the same time if they have different readers (``--only``).
"""

import argparse
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import fuzz_corpora
import fuzz_settings
import fuzz_trees
from fuzz_damage import damaged_bytes
from fuzz_target import Misaligned, Target

from transformer.common.errors import explanation

TARGETS = [*fuzz_settings.TARGETS, *fuzz_corpora.TARGETS, *fuzz_trees.TARGETS]
OUTCOMES = ("read", "refused", "unclear", "traceback", "hang", "misaligned")
FAILURES = OUTCOMES[2:]
SECONDS, WALL_SECONDS = 10, 60
MEMORY = 4 << 30  # bytes that a reader may take
LONGEST = 400  # characters of a message
KEPT = 3  # inputs of each kind of failure


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--inputs", type=int, default=1000, help="inputs for each reader, in total (1000)")
    parser.add_argument("--only", nargs="+", help="names of readers, or their beginnings")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--again", nargs=2, metavar=("READER", "NUMBER"), help="try one input again")
    arguments = parser.parse_args()
    targets = {target.name: target for target in TARGETS}
    if arguments.again:
        name, number = arguments.again
        return again(targets[name], arguments.seed, int(number))
    chosen = [
        target
        for name, target in targets.items()
        if not arguments.only or name.startswith(tuple(arguments.only))
    ]
    total = Counter[str]()
    print(f"{'reader':24} {'tried':>9} " + " ".join(f"{outcome:>10}" for outcome in OUTCOMES))
    for target in chosen:
        campaign = Campaign(target, arguments.seed, arguments.results)
        campaign.run(arguments.inputs)
        print(row(target.name, campaign.counts), flush=True)
        total += campaign.counts
    print(row("in all", total))
    return int(any(total[outcome] for outcome in FAILURES))


def row(name: str, counts: Counter[str]) -> str:
    """Return a line of the table of counts."""
    return f"{name:24} {counts.total():>9,} " + " ".join(f"{counts[outcome]:>10,}" for outcome in OUTCOMES)


class Campaign:
    """The inputs of one target that were tried, kept in a file."""

    def __init__(self, target: Target, seed: int, folder: Path) -> None:
        self.target, self.seed = target, seed
        self.folder = folder / target.name
        self.file = folder / f"{target.name}.json"
        state = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.counts = Counter[str](state.get("counts", {}))
        self.kinds = Counter[str](state.get("kinds", {}))  # of failures, by outcome and place
        self.next = int(state.get("next", 0))

    def run(self, inputs: int) -> None:
        """Try inputs until there were so many."""
        with tempfile.TemporaryDirectory(prefix="fuzz-", dir=fast_folder()) as folder:
            while self.next < inputs:
                self._run_worker(Path(folder), inputs)
                self._save()

    def _run_worker(self, folder: Path, inputs: int) -> None:
        """Let one process try inputs.  It dies of an input that takes too long, or that kills the interpreter."""
        context = multiprocessing.get_context("fork")
        receiver, sender = context.Pipe(duplex=False)
        worker = context.Process(
            target=work, args=(self.target, self.seed, self.next, inputs, folder, sender)
        )
        worker.start()
        sender.close()
        saved = time.monotonic()
        try:
            while True:
                number, outcome, kind = receiver.recv()
                self._record(number, outcome, kind)
                if time.monotonic() > saved + 5:
                    self._save()
                    saved = time.monotonic()
        except EOFError:
            pass
        worker.join()
        if self.next < inputs and worker.exitcode in (-signal.SIGPROF, -signal.SIGALRM):
            self._record(self.next, "hang", "hang")
        elif self.next < inputs and worker.exitcode:
            self._record(self.next, "traceback", f"the process died ({worker.exitcode})")

    def _record(self, number: int, outcome: str, kind: str) -> None:
        self.next = number + 1
        self.counts[outcome] += 1
        if outcome not in FAILURES:
            return
        kind = f"{outcome}: {kind}"
        self.kinds[kind] += 1
        if self.kinds[kind] <= KEPT:
            kept = self.folder / str(number)
            shutil.rmtree(kept, ignore_errors=True)
            kept.mkdir(parents=True)
            put(self.target, self.seed, number, kept)
            print(f"  {self.target.name} {number}: {kind}", file=sys.stderr, flush=True)

    def _save(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        state = {"next": self.next, "seed": self.seed, "counts": self.counts, "kinds": self.kinds}
        temporary = self.file.with_suffix(".tmp")
        temporary.write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")
        os.replace(temporary, self.file)


def fast_folder() -> str | None:
    """Return a folder in memory for the files that are written once and read once, if there is one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def work(target: Target, seed: int, first: int, inputs: int, folder: Path, results: Connection) -> None:
    """Try inputs and send the number, the outcome and the kind of failure of each; runs in a process of its own."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # That of pytest-timeout, which a fork inherits, would raise an error.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)  # libraries print warnings
    for number in range(first, inputs):
        path = put(target, seed, number, emptied(folder))
        results.send((number, *judged(target, path)))


def emptied(folder: Path) -> Path:
    """Return the folder without what is in it."""
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry)
        else:
            os.unlink(entry)
    return folder


def put(target: Target, seed: int, number: int, folder: Path) -> Path:
    """Write input ``number`` into ``folder``, and return the path that the reader gets."""
    rng = random.Random(f"{target.name} {seed} {number}")
    made = target.generate(rng)
    files = {target.file: made} if isinstance(made, bytes) else dict(made)
    if files and rng.random() < target.damaged:
        name = rng.choice(sorted(files))
        files[name] = damaged_bytes(rng, files[name])
    root = folder if isinstance(made, bytes) else folder / "input"
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root / target.file if isinstance(made, bytes) else root


def judged(target: Target, path: Path) -> tuple[str, str]:
    """Return how the reader ended, and for a failure its kind: the place in the code, or what is wrong."""
    try:
        within_time(target.read, path)
    except Misaligned as error:
        return "misaligned", str(error)[:100]
    except Exception as error:  # whatever it is, it is what this campaign looks for
        message = explanation(error)
        if message is None:
            return "traceback", f"{type(error).__name__} at {place_of(error)}"
        return judged_message(message, target, path)
    return "read", ""


def within_time(read: Callable[[Path], object], path: Path) -> None:
    """Call ``read``; the system kills this process when that takes too long."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WALL_SECONDS)
    try:
        read(path)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def judged_message(message: str, target: Target, path: Path) -> tuple[str, str]:
    """Return whether a message is one line of at most ``LONGEST`` characters that names a file of the input."""
    if len(message) > LONGEST:
        return "unclear", f"long: {message[:60]}"
    if len(message.splitlines()) != 1 or not message.isprintable():
        return "unclear", f"several lines or control characters: {message[:60]!r}"
    names = target.names or (
        [path.name] if path.is_file() else [file.name for file in path.rglob("*") if file.is_file()]
    )
    if not any(name in message for name in names):
        return "unclear", f"no name of a file: {message[:60]}"
    return "refused", ""


def place_of(error: BaseException) -> str:
    """Return the innermost line of the project at which an error was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/src/" in frame.filename or "/workflow/" in frame.filename]
    frame = (own or frames)[-1]
    return f"{Path(frame.filename).name}:{frame.lineno} {frame.name}"


def again(target: Target, seed: int, number: int) -> int:
    """Try one input, print what the user would see, and keep its files."""
    folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{target.name}-{number}-"))
    path = put(target, seed, number, folder)
    print(path)
    outcome: Any = "read"
    try:
        target.read(path)
    except Misaligned as error:
        outcome = f"misaligned: {error}"
    except Exception as error:  # as above
        message = explanation(error)
        if message is None:
            raise
        outcome = f"{judged_message(message, target, path)}: {message}"
    print(outcome)
    return 0


if __name__ == "__main__":
    sys.exit(main())
