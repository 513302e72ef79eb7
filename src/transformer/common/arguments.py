"""Parse a script's command line; its docstring is the help text."""

import argparse


def argument_parser(docstring: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help shows the script's docstring verbatim, examples included."""
    return argparse.ArgumentParser(
        description=docstring, formatter_class=argparse.RawDescriptionHelpFormatter
    )
