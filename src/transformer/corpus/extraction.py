"""From what downloads hold to the two sides of a split: the parts one after the other, each checked by itself."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from transformer.common.errors import UserError
from transformer.common.files import atomic_writer
from transformer.corpus.pairs import read_pairs
from transformer.corpus.sgm import read_sgm_pairs


@dataclass(frozen=True)
class Part:
    """What one source (a name of the registry) gives to a split: two aligned files, plain, ``.gz`` or ``.sgm``."""

    name: str
    source: Path
    target: Path


def extract(parts: Sequence[Part], outputs: tuple[Path, Path]) -> dict[str, int]:
    """Write the pairs of all ``parts``, in their order, to ``outputs`` (source, target); return each part's count.

    One sentence a line, every line ended, whatever the parts do; memory does not grow with the corpus.

    Raises UserError, which names the part, when its sides differ in their number of sentences, and whatever else
    reading them finds; then no output appears.
    """
    counts = {part.name: 0 for part in parts}
    with ExitStack() as stack:
        files = [stack.enter_context(atomic_writer(path)) for path in outputs]
        for part in parts:
            read = read_sgm_pairs if part.source.suffix == ".sgm" else read_pairs
            try:
                for source, target in read(part.source, part.target):
                    files[0].write(source + "\n")
                    files[1].write(target + "\n")
                    counts[part.name] += 1
            except UserError as error:
                raise UserError(f"{part.name}: {error}") from None
    return counts
