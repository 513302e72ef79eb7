"""Files are made again by the commands that Snakemake recorded, and the first difference is named."""

import json
import re
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.errors import one_line
from transformer.verification.remake import difference, jobs_of, make_again
from transformer.verification.snakemake_records import record_of

TABLE = "row,bleu\nbase,27.3\nbig,28.4\n"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (TABLE.encode(), ""),
        (b"row,bleu\nbase,27.3\nbig,29.4\n", "line 3 is 'big,29.4', and made again 'big,28.4'"),
        (TABLE.replace("\n", "\r\n").encode(), r"line 1 is 'row,bleu\r', and made again 'row,bleu'"),
        (b"", "line 1 is '', and made again 'row,bleu'"),
        (b"row,bleu\nbase,27.\xff\n", r"line 2 is 'base,27.\xff', and made again 'base,27.3'"),
        (TABLE.encode() + b"\n", "line 5 is '', and made again nothing"),
        (b"row,bleu\n" + b"a" * 99 + b"\n", f"line 2 is '{'a' * 60}…', and made again 'base,27.3'"),
        (None, "missing; it can be made again"),
    ],
)
def test_the_first_line(tmp_path: Path, found: bytes | None, said: str) -> None:
    path, again = tmp_path / "table2.csv", tmp_path / "again.csv"
    again.write_text(TABLE)
    if found is not None:
        path.write_bytes(found)
    assert difference(path, again) == (said and f"{path}: {said}")


# What rows of tables look like, and what a cut or a strip would take away.
PIECES = st.sampled_from(
    ["a" * 70, "81.3", "91.3", ",", " ", "\t", "\r", "\n", "ü", r"\r", r"\\", "\xad", "…", "'"]
)
CONTENT = st.lists(PIECES, max_size=8).map(lambda pieces: "".join(pieces).encode()) | st.binary(max_size=8)


@given(CONTENT, CONTENT)
def test_both_sides_are_never_the_same(
    tmp_path_factory: pytest.TempPathFactory, found: bytes, made: bytes
) -> None:
    """However deep in a line a difference is, and whatever it is of, both sides show it, on a line of a terminal."""
    folder = tmp_path_factory.mktemp("sides")
    path, again = folder / "table2.csv", folder / "again.csv"
    path.write_bytes(found)
    again.write_bytes(made)
    said = difference(path, again).removeprefix(f"{path}: ")
    assert bool(said) == (found != made)
    assert said == one_line(said)
    if found != made and said != "not the bytes made again":
        sides = re.fullmatch(r"line \d+ is (.*), and made again (.*)", said)
        assert sides
        assert sides[1] != sides[2]


def test_of_weights_no_line_is_shown(tmp_path: Path) -> None:
    path, again = tmp_path / "model.safetensors", tmp_path / "again.safetensors"
    for file, content in ((path, b"a"), (again, b"b")):
        file.write_bytes(content)
    assert difference(path, again) == f"{path}: not the bytes made again"


SCALE = (Path("data/tiny"), Path("results/tiny"))
SOURCE, DRAWING = Path("resources/figures/a.svg"), Path("results/tiny/figures/a.svg")
COPY = Path("results/figures/a.svg")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A drawing, copied to the figures of a scale, and from there to ``results/``, beside one of another scale."""
    project = tmp_path / "project"
    other = Path("results/figures/b.svg")
    for path in (SOURCE, DRAWING, COPY, other):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text("<svg/>")
    monkeypatch.chdir(project)
    record(DRAWING, "copy_drawing", SOURCE)
    record(COPY, "copy_figure", DRAWING)
    record(other, "copy_figure", Path("results/small/figures/b.svg"))
    return project


def record(path: Path, rule: str, source: Path, command: str = "cp") -> None:
    """Write Snakemake's record of a file that was copied."""
    command = f"({command} {source} {path.parent} && sync {path}) 2> logs/copy.log"
    name = urlsafe_b64encode(str(path).encode()).decode()
    content = {"rule": rule, "input": [str(source)], "shellcmd": command}
    parts = [name[start : start + 254] for start in range(0, len(name), 254)]
    file = Path(".snakemake/metadata", *(f"@{part}" for part in parts[:-1]), parts[-1])
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content))


def again(copy: Path) -> tuple[list[str], dict[str, str]]:
    """Why files cannot be made again, and the files that were made."""
    problems = [*make_again(jobs_of(SCALE), SCALE, copy)]
    made = [path for path in sorted(copy.glob("results/**/*.svg")) if not path.is_symlink()]
    return problems, {str(path.relative_to(copy)): path.read_text() for path in made}


@pytest.mark.parametrize("missing", [False, True])
def test_a_file_is_made_again_although_it_was_edited_or_removed(
    project: Path, tmp_path: Path, missing: bool
) -> None:
    """What is missing is known from its copy, and no file of the project changes."""
    for path in (DRAWING, COPY):
        path.write_text("edited")
    if missing:
        DRAWING.unlink()
    assert again(tmp_path / "copy") == ([], {str(COPY): "<svg/>", str(DRAWING): "<svg/>"})
    assert COPY.read_text() == "edited"
    assert DRAWING.exists() != missing


def test_what_follows_from_a_file_that_cannot_be_made_is_made_from_the_one_there(
    project: Path, tmp_path: Path
) -> None:
    SOURCE.unlink()
    DRAWING.write_text("edited")
    (problem,), made = again(tmp_path / "copy")
    assert problem.startswith(f"{DRAWING}: cannot be made again: cp: ")
    assert made == {str(COPY): "edited"}


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("sh -c true", "Snakemake has recorded another command than this project's: sh"),
        ("cp --version", "its command does not make it"),
    ],
)
def test_a_record_runs_only_this_project_s_programs(
    project: Path, tmp_path: Path, command: str, problem: str
) -> None:
    record(COPY, "copy_figure", DRAWING, command)
    said, made = again(tmp_path / "copy")
    assert said == [f"{COPY}: cannot be made again: {problem}"]
    assert made == {str(DRAWING): "<svg/>"}


def test_records_of_long_names(project: Path) -> None:
    path = Path("results/figures", *(["a" * 200] * 3))
    record(path, "plot", SOURCE)
    assert (record_of(str(path)) or {})["rule"] == "plot"
