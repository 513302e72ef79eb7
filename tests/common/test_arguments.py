"""The command line of a script."""

import os
from pathlib import Path

import pytest

from transformer.common.arguments import argument_parser, at_least


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        (["text", "--gold", "text", "--output", "other"], False),
        ([".", "--output", "."], False),
        (["other", "text", "--output", "text"], True),
        (["other", "--gold", "text", "--output", "./link"], True),
        (["text", "--output", "new", "--report", "new"], True),
    ],
)
def test_no_file_is_both_read_and_written(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    refused: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").touch()
    os.symlink("text", "link")
    parser = argument_parser("")
    parser.add_argument("files", nargs="*", type=Path)
    for option in ("--gold", "--output", "--report"):
        parser.add_argument(option, type=Path)
    if refused:
        with pytest.raises(SystemExit):
            parser.parse_args(words)
        assert "which would be overwritten; name another" in capsys.readouterr().err
    else:
        assert parser.parse_args(words).output == Path(words[-1])


@pytest.mark.parametrize(
    ("text", "said"), [("0", "0; it must be at least 1"), ("-1", "-1; it must be at least 1"), ("x", "'x'")]
)
def test_counts(capsys: pytest.CaptureFixture[str], text: str, said: str) -> None:
    parser = argument_parser("")
    parser.add_argument("--most", type=at_least(1))
    assert parser.parse_args(["--most", "1"]).most == 1
    with pytest.raises(SystemExit):
        parser.parse_args(["--most", text])
    assert said in capsys.readouterr().err
