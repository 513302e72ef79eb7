"""Joining the sources of a split."""

import gzip
from pathlib import Path

import pytest

from transformer.common.errors import UserError
from transformer.corpus.extraction import Part, extract


def part(folder: Path, name: str, source: str, target: str, suffix: str = "") -> Part:
    paths = [folder / f"{name}.{side}{suffix}" for side in ("en", "de")]
    for path, text in zip(paths, (source, target), strict=True):
        content = text.encode()
        path.write_bytes(gzip.compress(content) if suffix.lower().endswith(".gz") else content)
    return Part(name, *paths)


def test_parts_are_joined_completely(tmp_path: Path) -> None:
    """Parts may be plain or gzip, with or without a final line end, and with empty lines."""
    parts = [
        part(tmp_path, "one", "a\n\nb", "A\nX\nB"),
        part(tmp_path, "two", "c\u2028d\n", "C\n", ".gz"),
    ]
    outputs = (tmp_path / "out.en", tmp_path / "out.de")
    assert extract(parts, outputs) == {"one": 3, "two": 1}
    assert outputs[0].read_text(encoding="utf-8") == "a\n\nb\nc\u2028d\n"
    assert outputs[1].read_text(encoding="utf-8") == "A\nX\nB\nC\n"


def test_byte_order_marks_stay_for_cleaning_to_count(tmp_path: Path) -> None:
    parts = [part(tmp_path, "one", "\ufeffa\n", "A\n"), part(tmp_path, "two", "\ufeffb\n", "\ufeffB\n")]
    outputs = (tmp_path / "out.en", tmp_path / "out.de")
    extract(parts, outputs)
    assert outputs[0].read_text(encoding="utf-8") == "\ufeffa\n\ufeffb\n"
    assert outputs[1].read_text(encoding="utf-8") == "A\n\ufeffB\n"


@pytest.mark.parametrize("suffix", [".sgm", ".sgm.gz", ".SGM.GZ"])
def test_an_sgm_part(tmp_path: Path, suffix: str) -> None:
    text = '<doc docid="d">\n<seg id="1">x & y</seg>\n</doc>'
    outputs = (tmp_path / "out.en", tmp_path / "out.de")
    assert extract([part(tmp_path, "set", text, text, suffix)], outputs) == {"set": 1}
    assert outputs[1].read_text() == "x & y\n"


def test_sides_of_different_length_in_one_part(tmp_path: Path) -> None:
    """The totals agree, since the second part has one line less where the first has one more."""
    parts = [part(tmp_path, "one", "a\nb\n", "A\n"), part(tmp_path, "two", "c\n", "C\nD\n")]
    outputs = (tmp_path / "out.en", tmp_path / "out.de")
    with pytest.raises(UserError, match=r"^one: .*one\.en has 2 lines but .*one\.de has 1"):
        extract(parts, outputs)
    assert not any(path.exists() for path in outputs)


def test_a_damaged_gzip_is_named(tmp_path: Path) -> None:
    damaged = part(tmp_path, "giga", "a\n" * 1000, "A\n" * 1000, ".gz")
    damaged.target.write_bytes(damaged.target.read_bytes()[:-9])
    with pytest.raises(UserError, match=r"^giga: .*giga\.de\.gz: damaged or truncated"):
        extract([damaged], (tmp_path / "out.en", tmp_path / "out.de"))
