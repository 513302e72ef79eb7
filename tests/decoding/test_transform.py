"""Lines that come in, a file or what is typed, and what is said of them."""

import io
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from transformer.decoding.transform import transform_lines


def upper(lines: list[str], first: int, progress: Callable[[int], None]) -> Iterable[str]:
    return [line.upper() for line in lines]


@pytest.mark.parametrize("is_file", [True, False])
def test_what_is_odd_in_standard_input_is_said(
    is_file: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where the output is no file."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\rb\nc\n")))
    transform_lines(upper, None, tmp_path / "out" if is_file else None)
    printed = capsys.readouterr()
    assert ((tmp_path / "out").read_bytes().decode() if is_file else printed.out) == "A\rB\nC\n"
    assert "note: 1 of 2 lines in standard input (lines: 1) have a carriage return (CR) inside" in printed.err
