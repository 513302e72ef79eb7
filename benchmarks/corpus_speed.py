"""How long cleaning, encoding and planning an epoch take, and in how much memory, against the size of the corpus.

    python benchmarks/corpus_speed.py --text data/small/clean/en-de/train --languages en de --pairs 1 2 4 --processes 2

Pairs are made from those of ``--text`` by joining the beginning of one with the end of another, both sides alike, until
there are so many millions.  Each step runs as the pipeline runs it, in a process of its own; memory is the greatest
resident set of that process and of each that it starts, added up.
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
store = TokenizedDataset.open(sys.argv[1])
epoch_batches(store.source.lengths, store.target.lengths, batch_tokens=25_000, max_length=256, seed=1, epoch=0)
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--text", type=Path, required=True, help="a corpus, without the ending of a language")
    parser.add_argument("--languages", nargs=2, required=True)
    parser.add_argument("--pairs", type=float, nargs="+", default=[1, 2, 4], help="millions (1 2 4)")
    parser.add_argument("--kind", choices=["bpe", "wordpiece"], default="bpe")
    parser.add_argument("--vocab-size", type=int, default=8000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--learn", action="store_true", help="measure learning the subwords on each size too")
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
    """The commands of the pipeline, by name."""
    clean = [folder / f"clean.{side}" for side in arguments.languages]
    processes = ["--processes", arguments.processes]
    commands = {
        "clean": [
            "src/corpus/clean.py", "--source", sides[0], "--target", sides[1], "--output-source", clean[0],
            "--output-target", clean[1], "--report", folder / "report.json", "--max-length", 175, "--max-ratio", 1.5,
            *processes,
        ],
        **({"learn": learn(arguments, clean, folder / "learned")} if arguments.learn else {}),
        "encode": [
            "src/subwords/encode.py", "--subwords", folder / "subwords" / "subwords.model", "--source", clean[0],
            "--target", clean[1], "--output", folder / "train", *processes,
        ],
        "epoch": ["-c", EPOCH, folder / "train"],
    }  # fmt: skip
    return {title: list(map(str, command)) for title, command in commands.items()}


def learn(arguments: argparse.Namespace, files: list[Path], output: Path) -> list[str]:
    """The command that learns the subwords of ``files``."""
    size = str(arguments.vocab_size)
    return [
        "src/subwords/learn_subwords.py", "--kind", arguments.kind, "--vocab-size", size, "--output", str(output),
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
    """The first and the second half of a sentence."""
    middle = len(words) // 2
    return words[:middle], words[middle:]


def run(command: list[str]) -> tuple[float, float]:
    """Run Python with ``command``; seconds, and the greatest memory in megabytes."""
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
    """Looks ten times a second how much memory a process and those that it started take together."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.process = psutil.Process(pid)
        self.megabytes = 0.0

    def run(self) -> None:
        while self.process.is_running():
            try:
                family = [self.process, *self.process.children(recursive=True)]
                # What is mapped from files is shared, and given back when others need it.
                used = sum(one.memory_info().rss - one.memory_info().shared for one in family)
            except psutil.NoSuchProcess:
                continue
            self.megabytes = max(self.megabytes, used / 1e6)
            time.sleep(0.1)


if __name__ == "__main__":
    main()
