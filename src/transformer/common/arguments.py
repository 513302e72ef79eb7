"""Parse a script's command line; its docstring is the help text.

A script that would write over what it reads ends before it has done any work: an argument of type :class:`Output` names
what is written, and every other path what is read.
"""

import argparse
import os
import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path, PosixPath
from typing import Any

from transformer.common.errors import UserError
from transformer.common.project import PROJECT

# What scripts read without an argument that names it.
ALSO_READ = (Path("/dev/stdin"), PROJECT / "config", PROJECT / "resources")


class Output(PosixPath):
    """A file or folder that a script writes, as the type of an argument."""


class Parser(argparse.ArgumentParser):
    """A parser that also checks the paths among the arguments."""

    def parse_args(self, *given: Any) -> argparse.Namespace:  # type: ignore[override]
        arguments = super().parse_args(*given)
        values = [value if isinstance(value, list) else [value] for value in vars(arguments).values()]
        paths = [item for items in values for item in items if isinstance(item, Path)]
        outputs = [path for path in paths if isinstance(path, Output)]
        check_outputs([path for path in paths if not isinstance(path, Output)], outputs)
        return arguments


def argument_parser(docstring: str | None) -> Parser:
    """Return a parser whose help shows the script's docstring verbatim, examples included."""
    return Parser(description=docstring, formatter_class=argparse.RawDescriptionHelpFormatter)


def check_outputs(inputs: Collection[Path], outputs: Iterable[Path]) -> None:
    """Raise UserError when a script would replace a file that it reads, or another one of its outputs.

    Of a folder that is read, no file is replaced.  Of a folder that is written, a script checks the files that it
    writes there, if these can be among those that it reads.  Devices and pipes may be written twice.
    """
    written: set[str] = set()
    read = {os.path.realpath(_file_of(path)): path for path in (*inputs, *ALSO_READ)}
    for output in outputs:
        path = os.path.realpath(output)
        if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
            continue
        folders = map(str, Path(path).parents) if os.path.isfile(path) else ()
        if lost := next((read[place] for place in (path, *folders) if place in read), None):
            raise UserError(
                f"{output}: this command reads {lost}, so it would be lost; name another file to write"
            )
        if path in written:
            raise UserError(
                f"{output}: this command writes two files there; name another one for one of them"
            )
        written.add(path)


def _file_of(path: Path) -> Path:
    """Return the archive that a path leads into, as ``corpus.tgz/v7/train.de``; otherwise the path itself."""
    return next((part for part in (path, *path.parents) if part.is_file()), path)


def at_least(least: int) -> Callable[[str], int]:
    """Return the type of an argument that is a whole number, not below ``least``."""

    def count(text: str) -> int:
        if (value := int(text)) < least:
            raise argparse.ArgumentTypeError(f"{value}; it must be at least {least}")
        return value

    return count


def language_pair(text: str) -> tuple[str, str]:
    """Return the two languages of an argument such as ``de-en``.  Raises ArgumentTypeError for anything else."""
    source, _, target = text.partition("-")
    if source == target or not re.fullmatch("[a-z]{2,3}-[a-z]{2,3}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a pair of two languages; give one like de-en")
    return source, target
