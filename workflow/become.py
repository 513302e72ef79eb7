"""How the launchers of this folder end: the process becomes the program that they were asked to run."""

import os
import sys
from typing import NoReturn


def become(command: list[str]) -> NoReturn:
    """Replace this process by ``command``, or end in one line if there is no such program."""
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"error: {command[0]}: {error.strerror}")
