"""Reading YAML: every mistake ends in one line that names the place."""

import math
from pathlib import Path

import pytest

from transformer.common.errors import UserError
from transformer.common.yaml_files import read_yaml


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"corpus: [", "line 1: not valid YAML"),
        (b"a: b\nc: [\n", "line 3: not valid YAML"),
        (b"corpus: a\ncorpus: b\n", "line 2: not valid YAML (the key 'corpus' occurs twice)"),
        (b"{{a}}: b\n", "line 1: not valid YAML (found unhashable key)"),
        (b"a: \x01\n", "not valid YAML (unacceptable character #x0001: special characters are not allowed)"),
        (b"a: \xff\n", "line 1: not valid YAML (not UTF-8)"),
    ],
)
def test_a_file_that_is_not_yaml(tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "file.yaml"
    path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        read_yaml(path)
    assert str(caught.value).startswith(str(path))
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_numbers_are_those_that_stand_there_or_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "file.yaml"
    file.write_text("[1e-9, 2.5E3, -1e+2, .5, -.inf, 1e, e3, 7, -8, 0, true, null]\n")
    assert read_yaml(file) == [1e-9, 2500.0, -100.0, 0.5, -math.inf, "1e", "e3", 7, -8, 0, True, None]
    for text, taken in (("0600", 384), ("1:30", 90), ("1:30.5", 90.5), ("1_000", 1000), ("0x1F", 31)):
        file.write_text(f"seed: {text}\n")
        with pytest.raises(
            UserError, match=f"line 1: not valid YAML .{text} would be {taken}; write {taken}"
        ):
            read_yaml(file)


def test_an_alias_is_no_duplicate(tmp_path: Path) -> None:
    (tmp_path / "file.yaml").write_text("a: &a {x: 1, y: 2}\nb: {<<: *a, x: 3}\n")
    assert read_yaml(tmp_path / "file.yaml")["b"] == {"x": 3, "y": 2}
