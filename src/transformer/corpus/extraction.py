"""Joining the sources of a split, one after the other, into its two sides; each source is checked separately."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from transformer.common.errors import UserError
from transformer.common.files import atomic_writer
from transformer.corpus.pairs import read_pairs
from transformer.corpus.sgm import is_sgm, read_sgm_pairs


@dataclass(frozen=True)
class Part:
    """The two aligned files of one source in the registry: text or ``.sgm``, plain or ``.gz``."""

    name: str
    source: Path
    target: Path


def extract(parts: Sequence[Part], outputs: tuple[Path, Path]) -> dict[str, int]:
    """Write the pairs of all ``parts``, in their order, to ``outputs`` (source, target); return the count of each part.

    Each sentence is one line, and the last line is terminated, too.  A byte order mark at the beginning of a
    part stays, for cleaning to take off and count.  Memory does not grow with the corpus.

    Raises UserError that names the part, and writes no output, when its sides differ in their number of sentences or
    cannot be read.
    """
    counts = {part.name: 0 for part in parts}
    with ExitStack() as stack:
        files = [stack.enter_context(atomic_writer(path)) for path in outputs]
        for part in parts:
            try:
                read = read_sgm_pairs if is_sgm(part.source, part.target) else read_pairs
                for source, target in read(part.source, part.target):
                    files[0].write(source + "\n")
                    files[1].write(target + "\n")
                    counts[part.name] += 1
            except UserError as error:
                raise UserError(f"{part.name}: {error}") from None
    return counts
