"""Joining the parts of a split, those of the registry and the user's own."""

import gzip
from pathlib import Path

import pytest

from transformer.common.errors import UserError
from transformer.corpus.extract import Part, extract


def part(folder: Path, name: str, source: bytes | str, target: bytes | str, suffix: str = "") -> Part:
    source_path, target_path = paths = [folder / f"{name}.{side}{suffix}" for side in ("el", "en")]
    for path, text in zip(paths, (source, target), strict=True):
        content = text.encode() if isinstance(text, str) else text
        path.write_bytes(gzip.compress(content) if suffix.lower().endswith(".gz") else content)
    return Part(source_path, target_path)


def table(folder: Path, content: bytes | str, columns: tuple[int, int] = (2, 1), name: str = "a.tsv") -> Part:
    path = folder / name
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return Part(path, path, columns)


def extracted(folder: Path, *parts: Part) -> tuple[str, str]:
    outputs = (folder / "out" / "train.el", folder / "out" / "train.en")
    counts = extract(parts, outputs)
    source, target = (path.read_text(encoding="utf-8") for path in outputs)
    assert sum(counts) == source.count("\n") == target.count("\n")
    return source, target


def test_files_and_columns_are_joined(tmp_path: Path) -> None:
    """Files may be plain or gzip, with or without a final line end, and with empty lines."""
    parts = [
        part(tmp_path, "one", "α\n\nβ", "a\nx\nb\n"),
        table(tmp_path, "c\tγ\textra\nd\tδ\n", name="a.tsv.gz"),
        part(tmp_path, "two", "ε\u2028ζ\n", "e", ".gz"),
    ]
    assert extracted(tmp_path, *parts) == ("α\n\nβ\nγ\nδ\nε\u2028ζ\n", "a\nx\nb\nc\nd\ne\n")
    assert extract(parts, (tmp_path / "source", tmp_path / "target")) == [3, 2, 1]


def test_odd_lines_of_a_table_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A stray tab, and the quoting of spreadsheets; a quotation is neither."""
    table_of = 'a\tα\n"b"\t"β" "γ"\n"He said ""hi"""\t"δ ""ε"""\nc\t\tζ\n'
    extracted(tmp_path, table(tmp_path, table_of))
    notes = [line.partition("a.tsv: ")[2] for line in capsys.readouterr().err.splitlines()]
    assert notes[0].startswith("1 of 4 lines, line 3 first, have a cell in quotes with doubled quotes inside")
    assert notes[1].startswith(
        "1 of 4 lines, line 4 first, do not have 2 columns, as line 1 has; a stray tab"
    )
    assert len(notes) == 2


def test_a_table_whose_cells_are_all_in_quotes_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    extracted(tmp_path, table(tmp_path, '"a"\t"α"\n"b"\t"β"\n'))
    assert (
        "a.tsv: 2 of 2 lines have their cells in quotes, as spreadsheets write them"
        in capsys.readouterr().err
    )


def test_windows_writes_a_mark_and_other_line_ends(tmp_path: Path) -> None:
    """Marks stay, for cleaning to take off and count."""
    first = table(tmp_path, "\ufeffa\tα\r\nb\tβ\r\n")
    assert extracted(tmp_path, first) == ("α\nβ\n", "\ufeffa\nb\n")
    second = part(tmp_path, "b", "\ufeffα\r\n\ufeffβ", "a\r\nb")
    assert extracted(tmp_path, second) == ("\ufeffα\n\ufeffβ\n", "a\nb\n")
    assert extracted(tmp_path, first, second) == ("α\nβ\n\ufeffα\n\ufeffβ\n", "\ufeffa\nb\na\nb\n")


@pytest.mark.parametrize("suffix", [".sgm", ".sgm.gz", ".SGM.GZ"])
def test_an_sgm_part(tmp_path: Path, suffix: str) -> None:
    text = '<doc docid="d">\n<seg id="1">x & y</seg>\n</doc>'
    assert extracted(tmp_path, part(tmp_path, "set", text, text, suffix)) == ("x & y\n", "x & y\n")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("a\tα\nb\n", r"a\.tsv, line 2: it has 1 tab-separated columns"),
        ("a\tα\n".encode() + "b\tά\n".encode("iso8859-7"), r"a\.tsv, line 2: invalid UTF-8 \(byte 0xdc"),
        ("", r"a\.tsv: the file is empty"),
    ],
)
def test_columns_that_cannot_be_read(tmp_path: Path, content: bytes | str, line: str) -> None:
    with pytest.raises(UserError, match=line):
        extracted(tmp_path, table(tmp_path, content))
    assert not any((tmp_path / "out").iterdir())


def test_files_that_do_not_fit(tmp_path: Path) -> None:
    """The part after the bad one has one line more where that has one less."""
    parts = [part(tmp_path, "good", "a\n", "a\n"), part(tmp_path, "a", "a\nb\n", "a\n")]
    line = r"a\.el has 2 lines but .*a\.en has 1: they are not sentence-aligned"
    with pytest.raises(UserError, match=line):
        extracted(tmp_path, *parts, part(tmp_path, "b", "a\n", "a\nb\n"))
    assert not any((tmp_path / "out").iterdir())
