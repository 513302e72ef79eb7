"""Time and memory of letting in generated text with lengths as in WMT 2014.

    PYTHONPATH=src python benchmarks/gather.py --pairs 300000

It prints seconds of all processors, pairs a second, and the most memory of one process.  --commands measures an older
version of the project beside: `PYTHONPATH=OTHER/src python benchmarks/gather.py --commands extract clean`.
"""

import argparse
import gzip
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = 20_000  # different ones on each side
BLOCK = 100_000  # pairs, which are written again and again


def write_text(folder: Path, pairs: int) -> list[Path]:
    """Write two compressed sides with about 25 words a line, a few lines of which are to be dropped."""
    rng, files = random.Random(1), []
    for side, mark in (("en", ""), ("de", "ü")):
        words = [f"{mark}{rng.getrandbits(24 + rng.randrange(16)):x}" for _ in range(WORDS)]
        files.append(folder / f"train.{side}.gz")
        lengths = (0 if number % 1000 == 7 else 10 + number % 31 for number in range(min(pairs, BLOCK)))
        lines = [" ".join(rng.choices(words, k=length)) + "\n" for length in lengths]
        block = compressed(lines)
        with files[-1].open("wb") as file:
            for left in range(pairs, 0, -BLOCK):
                file.write(block if left >= BLOCK else compressed(lines[:left]))
    return files


def compressed(lines: list[str]) -> bytes:
    return gzip.compress("".join(lines).encode(), compresslevel=1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=300_000)
    parser.add_argument(
        "--commands", nargs="+", default=["gather"], help="scripts of transformer.corpus, in order"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sides = write_text(folder, arguments.pairs)
        start = time.perf_counter()
        for command in arguments.commands:
            outputs = [folder / f"{command}.{side}" / "train" for side in ("en", "de")]
            words = ["--source", sides[0], "--target", sides[1]]
            words += ["--output-source", outputs[0], "--output-target", outputs[1]]
            if command != "extract":
                words += ["--report", folder / "train.json", "--max-length", 175, "--max-ratio", 3]
            program = [sys.executable, "-m", f"transformer.corpus.{command}", *map(str, words)]
            subprocess.run(program, check=True, stderr=subprocess.DEVNULL)
            sides = outputs
        wall, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = used.ru_utime + used.ru_stime
        print(
            f"{' and '.join(arguments.commands)}: {seconds:.1f} s of processors ({wall:.1f} s), "
            f"{arguments.pairs / seconds:,.0f} pairs/s, {used.ru_maxrss / 1024:.0f} MB"
        )


if __name__ == "__main__":
    main()
