"""Parse a script's command line; its docstring is the help text."""

import argparse
import re
from collections.abc import Callable


def argument_parser(docstring: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help shows the script's docstring verbatim, examples included."""
    return argparse.ArgumentParser(
        description=docstring, formatter_class=argparse.RawDescriptionHelpFormatter
    )


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
