"""The readers of files that users bring, and the rules that make inputs for them (see ``fuzz.py``)."""

import gzip
import random
from pathlib import Path

import fuzz_settings
from fuzz_target import Input, Misaligned, Target

from transformer.corpus.pairs import read_pairs

WORDS = "a the dog Hund läuft schnell . , ; ( ) 日本 e\u0301 \u00a0 x\u2028y 12 AT&T".split(" ")


def sentence(rng: random.Random) -> str:
    """Return a few words, or none."""
    return " ".join(rng.choices(WORDS, k=rng.randrange(8)))


def corpus(rng: random.Random) -> Input:
    """Return two files of lines, which may be compressed, and which sometimes differ in their number of lines."""
    lines = rng.randrange(6)
    sides = {}
    for name in ("source", "target"):
        count = lines if rng.random() < 0.8 else rng.randrange(6)
        text = "".join(sentence(rng) + rng.choice(("\n", "\n", "\r\n")) for _ in range(count)).encode()
        text = text.removesuffix(b"\n") if rng.random() < 0.3 else text
        sides[f"{name}.txt"] = text
        if rng.random() < 0.3:
            sides[f"{name}.gz"] = gzip.compress(sides.pop(f"{name}.txt"), mtime=0)
    return sides


def read_corpus(folder: Path) -> None:
    """Read the pairs, and compare them with the lines of the files."""
    paths = [next(folder.glob(f"{name}.*")) for name in ("source", "target")]
    pairs = list(read_pairs(*paths))
    for side, path in enumerate(paths):
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        lines = [line.removesuffix(b"\r") for line in content.removesuffix(b"\n").split(b"\n")]
        if [pair[side].encode() for pair in pairs] != lines:
            raise Misaligned(f"{len(pairs)} pairs, but {path.name} has {len(lines)} lines, or other ones")


TARGETS = [*fuzz_settings.TARGETS, Target("corpus", corpus, read_corpus)]
