"""The command line of a script: its help is the script's docstring."""

import argparse


def argument_parser(docstring: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help shows the script's docstring as it is written, examples included."""
    return argparse.ArgumentParser(
        description=docstring, formatter_class=argparse.RawDescriptionHelpFormatter
    )
