"""Notes for the user: what a step found in the data that he should know, although it goes on."""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

NOTE = "note: "  # how such a line in a log begins; Snakemake's logger prints it (docs/terminal.md)
SHOWN = "shown: "  # how a line begins that is printed when its job has ended
MUCH = 5  # one in so many of the training pairs is worth a note


def say(text: str) -> None:
    """Write a note into the log of this step."""
    print(f"{NOTE}{text}", file=sys.stderr, flush=True)


def length_notes(counted: Mapping[str, Any], trainings: Mapping[int, str]) -> Iterator[str]:
    """Yield what is to be said of training pairs that are too long, from the content that ``check_text.py`` writes.

    ``trainings`` has the name of those trainings that left out pairs of more than so many subwords.
    """
    train = counted["train"]
    for most, training in sorted(trainings.items()):
        count = train["over_max_length"].get(str(most), 0)
        if MUCH * count > train["kept"]:
            yield (
                f"{counted['pair'].upper()}: {count:,} of {train['kept']:,} training pairs have more than {most} "
                f"subwords on a side (max_length) and were left out of {training}."
            )
