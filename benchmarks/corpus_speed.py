"""Measure the time and memory of cleaning, encoding and planning an epoch, as functions of the corpus size.

    python benchmarks/corpus_speed.py --text data/small/clean/en-de/train --languages en de --pairs 1 2 4 --processes 2

Each pair is made from two pairs of ``--text``: on both sides, the first half of one and the second half of the other.
Each step runs in a process of its own, as in the pipeline; memory is the peak of the resident sets of that process and
its children, summed.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[1]
EPOCH = """
import sys
from transformer.dataset.batching import epoch_batches
from transformer.dataset.tokenized import TokenizedDataset
dataset = TokenizedDataset.open(sys.argv[1])
epoch_batches(dataset.source.lengths, dataset.target.lengths, batch_tokens=25_000, max_length=256, seed=1, epoch=0)
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--text", type=Path, required=True, help="path of a corpus, without the language suffix"
    )
    parser.add_argument("--languages", nargs=2, required=True)
    parser.add_argument("--pairs", type=float, nargs="+", default=[1, 2, 4], help="millions of pairs (1 2 4)")
    parser.add_argument("--kind", choices=["bpe", "wordpiece"], default="bpe")
    parser.add_argument("--vocab-size", type=int, default=8000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--learn", action="store_true", help="also measure learning the subwords at each size"
    )
    arguments = parser.parse_args()
    originals = [arguments.text.with_name(f"{arguments.text.name}.{side}") for side in arguments.languages]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(learn(arguments, originals, folder / "subwords"))
        for millions in arguments.pairs:
            sides = [folder / f"raw.{side}" for side in arguments.languages]
            generate(originals, sides, round(millions * 1e6))
            for title, command in steps(arguments, folder, sides).items():
                seconds, megabytes = run(command)
                rate = 2 * millions * 1e6 / seconds
                figures = f"{seconds:7.1f} s {rate:9,.0f} sentences/s {megabytes:6,.0f} MB"
                print(f"{millions:g}M {title:<8} {figures}", flush=True)


def steps(arguments: argparse.Namespace, folder: Path, sides: list[Path]) -> dict[str, list[str]]:
    """Return the pipeline's commands, by name."""
    clean = [folder / f"clean.{side}" for side in arguments.languages]
    processes = ["--processes", arguments.processes]
    commands = {
        "clean": [
            "src/transformer/corpus/clean.py", "--source", sides[0], "--target", sides[1], "--output-source", clean[0],
            "--output-target", clean[1], "--report", folder / "report.json", "--max-length", 175, "--max-ratio", 1.5,
            *processes,
        ],
        **({"learn": learn(arguments, clean, folder / "learned")} if arguments.learn else {}),
        "encode": [
            "src/transformer/subwords/encode.py", "--subwords",
            folder / "subwords" / "subwords.model", "--source", clean[0],
            "--target", clean[1], "--output", folder / "train", *processes,
        ],
        "epoch": ["-c", EPOCH, folder / "train"],
    }  # fmt: skip
    return {title: list(map(str, command)) for title, command in commands.items()}


def learn(arguments: argparse.Namespace, files: list[Path], output: Path) -> list[str]:
    """Return the command that learns the subwords of ``files``."""
    size = str(arguments.vocab_size)
    return [
        "src/transformer/subwords/learn_subwords.py", "--kind", arguments.kind, "--vocab-size", size,
        "--output", str(output),
        *map(str, files),
    ]  # fmt: skip


def generate(originals: list[Path], outputs: list[Path], pairs: int) -> None:
    """Write ``pairs`` pairs: the first half of one original sentence and the second half of another."""
    texts = [path.read_text(encoding="utf-8").splitlines() for path in originals]
    halves = [[halve(line.split()) for line in text] for text in texts]
    rng = random.Random(1)
    chosen = [
        (rng.randrange(len(texts[0])), rng.randrange(len(texts[0]))) for _ in range(min(pairs, 500_000))
    ]
    for side, path in enumerate(outputs):
        lines = [" ".join(halves[side][a][0] + halves[side][b][1]) + "\n" for a, b in chosen]
        with open(path, "w", encoding="utf-8") as file:
            for start in range(0, pairs, len(lines)):
                file.writelines(lines[: pairs - start])


def halve(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the first and the second half of a sentence."""
    middle = len(words) // 2
    return words[:middle], words[middle:]


def run(command: list[str]) -> tuple[float, float]:
    """Run Python with ``command``; return seconds and the peak memory in megabytes."""
    started = time.monotonic()
    with subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, env={**os.environ, "PYTHONPATH": "src", "OMP_NUM_THREADS": "1"},
        stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        watcher = Watcher(process.pid)
        watcher.start()
        if process.wait():
            sys.exit(f"failed: {' '.join(command)}")
    return time.monotonic() - started, watcher.megabytes


class Watcher(threading.Thread):
    """Samples the memory of a process and its children ten times a second."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.process = psutil.Process(pid)
        self.megabytes = 0.0

    def run(self) -> None:
        while self.process.is_running():
            try:
                family = [self.process, *self.process.children(recursive=True)]
                # Pages mapped from files do not count: they are shared, and freed when other programs need memory.
                used = sum(one.memory_info().rss - one.memory_info().shared for one in family)
            except psutil.NoSuchProcess:
                continue
            self.megabytes = max(self.megabytes, used / 1e6)
            time.sleep(0.1)


if __name__ == "__main__":
    main()
