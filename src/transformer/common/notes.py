"""Notes for the user: what a step found in the data that he should know, although it goes on."""

import sys

NOTE = "note: "  # how such a line in a log begins; Snakemake's logger prints it (docs/terminal.md)
SHOWN = "shown: "  # how a line begins that is printed when its job has ended
MUCH = 5  # one in so many of the training pairs is worth a note


def say(text: str) -> None:
    """Write a note into the log of this step."""
    print(f"{NOTE}{text}", file=sys.stderr, flush=True)
