"""Valid files of the pipeline, and what is done with them before they are read: see ``fuzz_artifacts.py``."""

import hashlib
import json
import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from fuzz_target import Input, Misaligned, Target

Files = dict[str, bytes]


def files_in(folder: Path) -> Files:
    """Return the content of each file below a folder by its relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def made(make: Callable[[Path], object]) -> Files:
    """Return the files that ``make`` writes into a folder."""
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder))
        return files_in(Path(folder))


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def whole(valid: Callable[[], Files], folder: Path) -> None:
    """Raise Misaligned when a file that was read says something else than the valid one.

    JSON may be laid out differently, and the lines of sums may have another order.
    """
    for name, content in valid().items():
        if name.endswith(".sha256"):
            continue
        found = (folder / name).read_bytes()
        same = json.loads(found) == json.loads(content) if name.endswith(".json") else found == content
        if not same:
            raise Misaligned(f"{name} was damaged, and read")


def intact(valid: Callable[[], Files], rng: random.Random) -> Input:
    """Return the valid files; the fuzzer then damages bytes of one of them."""
    return valid()


def read_whole(valid: Callable[[], Files], use: Callable[[Path], object], folder: Path) -> None:
    """Use the files, and check that they are whole if that ends without an error."""
    use(folder)
    whole(valid, folder)


def damaged(name: str, valid: Callable[[], Files], use: Callable[[Path], object]) -> Target:
    """Return the target of files whose bytes are damaged; one input in twenty is valid."""
    return Target(name, partial(intact, valid), partial(read_whole, valid, use), damaged=0.95)
