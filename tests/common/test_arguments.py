"""The command line of a script."""

import pytest

from transformer.common.arguments import argument_parser, at_least


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
