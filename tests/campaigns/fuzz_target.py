"""What the fuzzer tries: a reader, and a function that makes inputs for it.  See ``fuzz.py``."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

# The content of one file, or of each file of a folder by its relative path.
Input = bytes | Mapping[str, bytes]


class Misaligned(Exception):
    """The reader took an input and returned something else than the input says."""


@dataclass(frozen=True)
class Target:
    """One reader and its inputs.

    ``generate`` makes an input: a valid one, or one whose structure is damaged.  Equal states of the generator must
    give equal inputs.  ``read`` is called with the path of the file, which is then named ``file``, or of the folder; it
    may write beside it.  It raises what the reader raises, and :class:`Misaligned` when the result is wrong.
    """

    name: str
    generate: Callable[[random.Random], Input]
    read: Callable[[Path], object]
    file: str = "input"
    # Each refusal must contain one of these texts; by default, the name of one of the input's files.
    names: tuple[str, ...] = ()
    damaged: float = 0.5  # the share of inputs in which the fuzzer damages a few bytes of one file
