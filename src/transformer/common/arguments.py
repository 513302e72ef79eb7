"""Parse a script's command line; its docstring is the help text."""

import argparse
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

WRITTEN = re.compile(
    "output.*|report|per_sentence|times|metrics|headline"
)  # options that name a file to write


class _Parser(argparse.ArgumentParser):
    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        given = super().parse_args(args, namespace)
        self._check_outputs(vars(given))
        return given

    def _check_outputs(self, given: dict[str, Any]) -> None:
        """Refuse a file to write that another option names, too: the user's file there would be lost."""
        options: dict[str, set[str]] = {}
        for name, value in given.items():
            for path in value if isinstance(value, list) else [value]:
                if isinstance(path, Path):
                    options.setdefault(os.path.realpath(path), set()).add(name)
        for path, names in options.items():
            # A folder may have both.
            if len(names) > 1 and any(map(WRITTEN.fullmatch, names)) and not os.path.isdir(path):
                shown = " and ".join(sorted(name.replace("_", "-") for name in names))
                self.error(f"{shown} are one file, {path}, which would be overwritten; name another")


def argument_parser(docstring: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help shows the script's docstring verbatim, examples included."""
    return _Parser(description=docstring, formatter_class=argparse.RawDescriptionHelpFormatter)


def at_least(least: int) -> Callable[[str], int]:
    """Return the type of an argument that is a whole number, not below ``least``."""

    def count(text: str) -> int:
        if (value := int(text)) < least:
            raise argparse.ArgumentTypeError(f"{value}; it must be at least {least}")
        return value

    return count


def language_pair(text: str) -> tuple[str, str]:
    """Return the two languages of an argument such as ``de-en``.  Raises ArgumentTypeError for anything else."""
    match = re.fullmatch("([a-z]{2,3})-([a-z]{2,3})", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a language pair; give one like de-en")
    if match[1] == match[2]:
        raise argparse.ArgumentTypeError(f"{text!r} is one language twice; give two, like de-en")
    return match[1], match[2]
