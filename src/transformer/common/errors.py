"""How a script ends when its input is wrong: one clear line, a non-zero exit, no traceback."""

import contextlib
import difflib
import errno
import io
import json
import lzma
import os
import signal
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

LONGEST = 390  # characters of a message; with "error: " before it, a line stays below 400


class UserError(Exception):
    """An error that the user can fix.  The message, one line, says what is wrong, where, and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


def one_line(message: str) -> str:
    """Return ``message`` with line breaks and control characters escaped, and cut in its middle if it is too long.

    What is quoted, such as a value of 10,000 characters, stands between the file's name and the advice.
    """
    half, message = LONGEST // 2, visible(message)
    is_short = len(message) <= LONGEST
    return message if is_short else f"{message[:half].rstrip()} … {message[3 - half :].lstrip()}"


def visible(text: str) -> str:
    """Return ``text`` with line breaks and control characters written by their codes."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def run_script(main: Callable[[], int | None]) -> None:
    """Run a script's ``main`` and exit with its status.

    An error that :func:`explanation` knows becomes ``error: …`` on standard error and exit status 1.  Any other
    exception is a bug of ours and keeps its traceback.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A locale may lack a character that is printed.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = main() or 0
        sys.stdout.flush()  # so that a closed pipe raises its error inside the try
    except BrokenPipeError:  # the reader has ended, as in `… | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        status = 128 + signal.SIGINT
    except Exception as error:
        message = explanation(error)
        if message is None:
            raise
        print(f"error: {message}", file=sys.stderr)
        status = 1
    sys.exit(status)


def explanation(error: Exception) -> str | None:
    """Return what a user is told about an error, in one line; None when it is a bug of ours.

    Besides :class:`UserError`, these are errors that a script cannot check for in advance: a full or read-only disk, a
    missing file, lack of memory.
    """
    if isinstance(error, UserError):
        return str(error)
    if memory := lack_of_memory(error):
        # Decoding has divided its batches itself, down to one sentence.
        return f"{memory} ran out; run fewer jobs at a time, or use a machine with more"
    if isinstance(error, OSError) and (error.filename or error.errno in _ADVICE):
        # A failed copy names two files; the second is its output.
        parts = (error.filename2 or error.filename, error.strerror)
        return one_line(": ".join(map(str, filter(None, parts))) + _ADVICE.get(error.errno, ""))
    return None


def lack_of_memory(error: Exception) -> str:
    """Return which memory an error says is too small; an empty text for other errors."""
    # Of torch, both are RuntimeErrors.
    text = str(error) if isinstance(error, RuntimeError) else ""
    if isinstance(error, MemoryError) or "can't allocate memory" in text:
        return "memory"
    return "the GPU's memory" if "out of memory" in text else ""


@contextlib.contextmanager
def reading(
    path: Path | str,
    advice: str = "",
    problem: str = "damaged or truncated",
    raises: tuple[type[Exception], ...] = (),
) -> Iterator[None]:
    """Turn what reading the file ``path`` raises into a UserError of one line: file, line, reason and ``advice``.

        with reading(path, "delete it and run Snakemake again", "not valid JSON", raises=(KeyError,)):
            scores = json.loads(Path(path).read_bytes())["scores"]

    ends in ``scores.json, line 3: not valid JSON (Expecting value); delete it and run Snakemake again``, or in
    ``scores.json: no such file``.  The errors are those of the system, of text, of JSON and of compressed data, and
    those that ``raises`` names; any other is a fault of ours and passes, as a UserError does.
    """
    try:
        yield
    except FileNotFoundError as error:
        raise UserError(f"{error.filename or path}: no such file") from None
    except _OF_FILES + raises as error:
        line, reason = _line_and_reason(error)
        where = f"{path}, line {line}" if line else path
        told = f"{where}: {problem} ({reason}){advice and '; ' + advice}"
        raise UserError(explanation(error) or told) from None


def _line_and_reason(error: Exception) -> tuple[int | None, str]:
    """Return the line of a file where an error occurred, if it says so, and the error in a few words."""
    if isinstance(error, UnicodeDecodeError):
        return 1 + error.object.count(b"\n", 0, error.start), "not UTF-8"
    # JSON's errors have a line and a message, and PyYAML's a mark and a problem.
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 1 if mark else getattr(error, "lineno", None)
    reason = getattr(error, "msg", None) or getattr(error, "problem", None) or str(error).partition("\n")[0]
    return line, f"no {reason}" if isinstance(error, KeyError) else reason or type(error).__name__


def unknown(kind: str, wrong: Any, valid: Iterable[Any]) -> str:
    """Return a message that names the wrong value, the valid one closest to it, and all valid ones."""
    names = ["null" if name is None else str(name) for name in valid]
    return f"unknown {kind} '{wrong}';{similar(wrong, names)} valid: {', '.join(names)}"


def similar(wrong: Any, valid: Iterable[Any]) -> str:
    """Return a question that names the valid value closest to a wrong one, after a blank; or an empty text."""
    close = difflib.get_close_matches(str(wrong), map(str, valid), n=1)
    return f" did you mean '{close[0]}'?" if close else ""


_OF_FILES: tuple[type[Exception], ...] = (OSError, EOFError, UnicodeDecodeError, json.JSONDecodeError)
_OF_FILES += (RecursionError, zlib.error, lzma.LZMAError)
# What else a message of the system does not say.
_ADVICE: dict[int | None, str] = {
    errno.ENOSPC: "; free some space and run the same command again",
    errno.EDQUOT: "; free some of your quota and run the same command again",
    errno.EISDIR: "; name a file, not a folder",
}
