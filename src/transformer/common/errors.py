"""How a script ends when its input is wrong: one clear line, a non-zero exit, no traceback."""

import errno
import io
import os
import signal
import sys
import time
from collections.abc import Callable


class UserError(Exception):
    """An error that the user can fix.  The message says what is wrong, where (file, line), and what to do."""


def run_script(main: Callable[[], int | None]) -> None:
    """Run a script's ``main`` and exit with its status.

    A :class:`UserError` becomes ``error: …`` on standard error and exit status 1.  So do errors that a script cannot
    check for in advance: a full or read-only disk, a missing file, lack of memory.  Any other exception is a bug of
    ours and keeps its traceback.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(
            errors="backslashreplace"
        )  # a locale may lack a character that is printed, as on stderr
    try:
        status = main() or 0
        sys.stdout.flush()  # so that a closed pipe raises its error inside the try
    except UserError as error:
        _wait_for_first_process()
        print(f"error: {error}", file=sys.stderr)
        status = 1
    except BrokenPipeError:  # the reader has ended, as in `… | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        status = 128 + signal.SIGINT
    except (MemoryError, RuntimeError) as error:
        # torch raises a plain RuntimeError when CPU memory runs out.
        if isinstance(error, RuntimeError) and "can't allocate memory" not in str(error):
            raise
        print("error: memory ran out; run fewer jobs at a time, or use a machine with more", file=sys.stderr)
        status = 1
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0)
        if advice is None:
            raise
        place = error.filename2 or error.filename  # a failed copy names both; the second is its output
        where = f"{place}: " if place else ""
        print(f"error: {where}{error.strerror}; {advice}", file=sys.stderr)
        status = 1
    if is_launched():
        # Exit as multiprocessing's processes do.  Threads of gloo may still run: one that releases a tensor while the
        # interpreter shuts down would abort the process.
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


def is_launched() -> bool:
    """Return whether this process is one of several that a launcher started to train together."""
    return "RANK" in os.environ


def _wait_for_first_process() -> None:
    """Let only the first of several training processes report an error, since most errors occur in all of them.

    The first one exits, and the launcher ends the others while they wait here.
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
