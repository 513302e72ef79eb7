"""Parse a script's command line; its docstring is the help text."""

import argparse
import re


def argument_parser(docstring: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help shows the script's docstring verbatim, examples included."""
    return argparse.ArgumentParser(
        description=docstring, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def language_pair(text: str) -> tuple[str, str]:
    """Return the two languages of an argument such as ``de-en``.  Raises ArgumentTypeError for anything else."""
    match = re.fullmatch("([a-z]{2,3})-([a-z]{2,3})", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a language pair; give one like de-en")
    if match[1] == match[2]:
        raise argparse.ArgumentTypeError(f"{text!r} is one language twice; give two, like de-en")
    return match[1], match[2]
