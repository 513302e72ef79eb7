"""How a script ends when its input is wrong: one clear line, a non-zero exit, no traceback."""

import errno
import os
import signal
import sys
import time
from collections.abc import Callable


class UserError(Exception):
    """Something the user can mend.  The message says what, where (file, line), and what to do."""


def run_script(main: Callable[[], int | None]) -> None:
    """Run a script's ``main`` and exit with its status.

    A :class:`UserError` becomes ``error: …`` on standard error and exit code 1; so do a full disk, a
    read-only disk, a missing file and too little memory, which no script can foresee.  Any other exception
    is a defect of ours and keeps its traceback.
    """
    try:
        status = main() or 0
        sys.stdout.flush()  # here, so that a closed pipe is met inside the try
    except UserError as error:
        _let_the_first_speak()
        print(f"error: {error}", file=sys.stderr)
        status = 1
    except BrokenPipeError:  # `… | head`: the reader has what it wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        status = 128 + signal.SIGINT
    except (MemoryError, RuntimeError) as error:
        # torch has an error of its own for a GPU's memory only.
        if isinstance(error, RuntimeError) and "can't allocate memory" not in str(error):
            raise
        print(
            "error: memory ran out; run fewer jobs at a time, or on a machine that has more", file=sys.stderr
        )
        status = 1
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0)
        if advice is None:
            raise
        place = error.filename2 or error.filename  # of a copy, the second is what could not be written
        where = f"{place}: " if place else ""
        print(f"error: {where}{error.strerror}; {advice}", file=sys.stderr)
        status = 1
    if is_launched():
        # As multiprocessing ends its processes.  The threads of gloo outlive its group: one that is late to give
        # back a tensor would wait for an interpreter that is being taken down, and abort the process.
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


def is_launched() -> bool:
    """Whether this process is one of several that a launcher started to train together."""
    return "RANK" in os.environ


def _let_the_first_speak() -> None:
    """Where several processes train together, what is wrong is mostly wrong for all of them.

    The first one says so and ends, and its launcher ends the others before these have waited.
    """
    if os.environ.get("RANK", "0") != "0":
        time.sleep(5)


_ADVICE = {
    errno.ENOSPC: "free some space and run the same command again",
    errno.EDQUOT: "free some of your quota and run the same command again",
    errno.EFBIG: "raise the file size limit (ulimit -f) and run the same command again",
    errno.EROFS: "choose a folder that can be written to",
    errno.EACCES: "check the permissions",
    errno.ENOENT: "check the path",
    errno.EISDIR: "name a file, not a folder",
    errno.ENOTDIR: "check the path",
}
