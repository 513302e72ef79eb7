"""Scripts end with the right exit status and message."""

import errno
import json
import os
import signal
import subprocess
import sys
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

from transformer.common.errors import UserError, reading, run_script

SOURCE = Path(__file__).parents[2] / "src"


def end(error: BaseException | None = None, status: int | None = None) -> int:
    def main() -> int | None:
        if error is not None:
            raise error
        return status

    with pytest.raises(SystemExit) as exit:
        run_script(main)
    assert isinstance(exit.value.code, int)
    return exit.value.code


def test_success_and_other_codes() -> None:
    assert end() == 0
    assert end(status=143) == 143


@pytest.mark.parametrize(
    "quoted", ["x" * 10_000, "a\nb\r\nc\u2028d\x85e", "\x1b[31m\x00", "\ud800", "\n" * 10_000]
)
def test_a_message_is_one_short_line_whatever_it_quotes(
    quoted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert end(UserError(f"text.de, line 3: {quoted}: wrong; correct it")) == 1
    line = capsys.readouterr().err.removesuffix("\n")
    assert line.startswith("error: text.de, line 3: ")
    assert line.endswith(": wrong; correct it")
    assert line.isprintable()
    assert len(line) <= 400


def test_an_interruption(capsys: pytest.CaptureFixture[str]) -> None:
    assert end(KeyboardInterrupt()) == 130
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EISDIR])
def test_system_errors_name_the_file(capsys: pytest.CaptureFixture[str], number: int) -> None:
    assert end(OSError(number, os.strerror(number), "some/file")) == 1
    line = capsys.readouterr().err
    assert line.startswith(f"error: some/file: {os.strerror(number)}")
    assert line.count("\n") == 1


@pytest.mark.parametrize(
    "ask", [lambda: bytearray(2**60), lambda: np.empty(2**59), lambda: torch.empty(2**60)]
)
def test_too_little_memory(capsys: pytest.CaptureFixture[str], ask: Callable[[], Any]) -> None:
    with pytest.raises(SystemExit):
        run_script(ask)
    line = capsys.readouterr().err
    assert line.startswith("error: memory ran out; ")
    assert line.count("\n") == 1


@pytest.mark.parametrize("error", [ValueError("ours"), RuntimeError("ours"), OSError(errno.EBADF, "ours")])
def test_bugs_keep_their_traceback(error: Exception) -> None:
    with pytest.raises(type(error), match="ours"):
        run_script(raises(error))


PRINT = "from transformer.common.errors import run_script; run_script(lambda: print('line\\n' * 100_000))"


def test_a_reader_that_closes_the_pipe() -> None:
    command = f"'{sys.executable}' -c \"{PRINT}\" | head -n 1; exit ${{PIPESTATUS[0]}}"
    run = subprocess.run(["bash", "-c", command], cwd=SOURCE, capture_output=True, text=True)
    assert (run.stdout, run.stderr, run.returncode) == ("line\n", "", 128 + signal.SIGPIPE)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that Linux has")
def test_a_full_disk_behind_standard_output() -> None:
    with open("/dev/full", "w") as full:
        run = subprocess.run(
            [sys.executable, "-c", PRINT], cwd=SOURCE, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert run.returncode == 1
    assert run.stderr.startswith("error: No space left on device; free some space")
    assert run.stderr.count("\n") == 1


def raises(error: Exception) -> Callable[[], Any]:
    return lambda: (_ for _ in ()).throw(error)


@pytest.mark.parametrize(
    ("read", "line"),
    [
        (lambda: json.loads('{\n"a": ]'), "file, line 2: wrong (Expecting value); make it again"),
        (lambda: b"a\n\nb\xff".decode(), "file, line 3: wrong (not UTF-8); make it again"),
        (lambda: yaml.safe_load("a: 1\nb: ["), "file, line 2: wrong (expected the node content"),
        (lambda: dict[str, int]()["score"], "file: wrong (no 'score'); make it again"),
        (lambda: json.loads("[" * 100_000), "file: wrong (maximum recursion depth exceeded"),
        (lambda: int("x"), "file: wrong (invalid literal for int"),
        (lambda: zlib.decompress(b"x"), "file: wrong (Error -5 while decompressing"),
        (lambda: open("none").close(), "none: no such file"),
        (lambda: open(SOURCE).close(), f"{SOURCE}: Is a directory; name a file, not a folder"),
        (raises(EOFError()), "file: wrong (EOFError); make it again"),
        (raises(tarfile.ReadError("a\nb")), "file: wrong (a); make it again"),
        (raises(OSError("no gzip")), "file: wrong (no gzip); make it again"),
        (raises(OSError(errno.ENOSPC, "full", "out")), "out: full; free some space"),
        (raises(UserError("clear")), "clear"),
    ],
)
def test_what_reading_a_file_raises_is_one_line(
    read: Callable[[], Any], line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    named = (KeyError, ValueError, yaml.YAMLError, tarfile.TarError)
    with pytest.raises(UserError) as caught, reading("file", "make it again", "wrong", raises=named):
        read()
    assert str(caught.value).startswith(line)


@pytest.mark.parametrize("ours", [AttributeError("a"), KeyError("a"), TypeError("a"), ZeroDivisionError("a")])
def test_a_fault_of_ours_is_not_one_of_the_file(ours: Exception) -> None:
    with pytest.raises(type(ours)), reading("file", "delete it", "not a valid config"):
        raise ours
