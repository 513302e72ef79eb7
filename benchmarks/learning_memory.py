"""Measure the time and memory of learning the subwords, as functions of the number of sentences.

    python benchmarks/learning_memory.py --text europarl.en europarl.de newstest.en newstest.de --sentences 1 2 4

The sentences of ``--text`` are repeated, with one word in sixty replaced by two words joined into one.  This is the
rate of new words in WMT14 (1.75 million among a hundred million words; Sennrich et al. 2016, table 1), and the learner
keeps each new word.
"""

import argparse
import itertools
import random
import tempfile
from pathlib import Path

from corpus_speed import run

NEW_WORDS = 1 / 60


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--text", type=Path, nargs="+", required=True, help="plain text, one sentence per line"
    )
    parser.add_argument(
        "--sentences", type=float, nargs="+", default=[1, 2, 4], help="millions of sentences (1 2 4)"
    )
    parser.add_argument("--kinds", choices=["bpe", "wordpiece"], nargs="+", default=["bpe", "wordpiece"])
    parser.add_argument("--vocab-size", type=int, default=37_000)
    arguments = parser.parse_args()
    for millions in arguments.sentences:
        with tempfile.TemporaryDirectory() as name:
            text = Path(name, "text")
            words = generate(arguments.text, text, round(millions * 1e6))
            print(
                f"{millions:g}M sentences, {words / 1e6:.1f}M words, {text.stat().st_size / 1e6:,.0f} MB",
                flush=True,
            )
            for kind in arguments.kinds:
                options = [
                    "--kind",
                    kind,
                    "--vocab-size",
                    str(arguments.vocab_size),
                    "--output",
                    f"{name}/{kind}",
                ]
                seconds, megabytes = run(["src/transformer/subwords/learn_subwords.py", *options, str(text)])
                print(f"  {kind:<9} {seconds:7.1f} s {megabytes:6,.0f} MB", flush=True)


def generate(originals: list[Path], output: Path, sentences: int) -> int:
    """Write ``sentences`` sentences; return their number of words."""
    lines = [line.split() for path in originals for line in path.read_text(encoding="utf-8").splitlines()]
    known = sorted({word for line in lines for word in line})
    rng = random.Random(1)
    words = 0
    with open(output, "w", encoding="utf-8") as file:
        for line in itertools.islice(itertools.cycle(lines), sentences):
            changed = [
                rng.choice(known) + rng.choice(known) if rng.random() < NEW_WORDS else word for word in line
            ]
            file.write(" ".join(changed) + "\n")
            words += len(line)
    return words


if __name__ == "__main__":
    main()
