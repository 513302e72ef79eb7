"""What the pipeline wrote is read, and nothing else: JSON files, files with their sha256 beside them, metrics."""

import hashlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_artifacts import DECODING, write_metrics

from transformer.common.artifacts import (
    artifact_text,
    check_sha256,
    check_sums,
    read_artifact,
    read_metrics,
    read_sums,
    write_artifact,
    write_sums,
)
from transformer.common.errors import UserError
from transformer.common.files import sha256_of

COUNTS = DECODING | {"constrained": False, "sentences": 20, "malformed": 3}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_artifact(tmp_path / "x.json", COUNTS)
    return tmp_path / "x.json"


def message(file: Path) -> str:
    with pytest.raises(UserError) as caught:
        read_artifact(file, "decoding")
    text = str(caught.value)
    assert text.startswith(str(file))
    assert text.endswith("; delete it and run Snakemake again")
    assert len(text.splitlines()) == 1
    return text


@given(st.dictionaries(st.text(), VALUES))
def test_any_content_comes_back(tmp_path_factory: pytest.TempPathFactory, content: dict[str, object]) -> None:
    file = tmp_path_factory.mktemp("files") / "x.json"
    write_artifact(file, COUNTS | {"more": content}, indent=None)
    assert read_artifact(file, "decoding") == COUNTS | {"more": content}


def test_a_stranger_can_check_it(file: Path) -> None:
    """As docs/formats.md says."""
    content = json.loads(file.read_text())
    recorded = content.pop("content_sha256")
    assert hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest() == recorded


def test_every_other_bit_is_noticed(file: Path) -> None:
    whole = file.read_bytes()
    for place in range(len(whole)):
        for bit in range(8):
            damaged = whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1 :]
            file.write_bytes(damaged)
            try:
                assert read_artifact(file, "decoding") == COUNTS  # another white space
            except UserError:
                continue
            assert json.loads(damaged) == json.loads(whole)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "line 1: not valid JSON (Expecting value)"),
        ("[]", "not a JSON object, but a list"),
        ("{}", "has no content_sha256, so it was made by hand or by an earlier version"),
        (artifact_text(COUNTS).replace("20", "21", 1), "edited or damaged"),
    ],
)
def test_anything_else_is_refused_in_one_line(file: Path, text: str, problem: str) -> None:
    file.write_text(text)
    assert problem in message(file)


def test_a_key_that_is_missing_and_another_format(file: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"x\.json: no 'seconds'; delete it"):
        read_artifact(file, "decoding")["seconds"]
    write_artifact(tmp_path / "x.json", {"format": 1, "rules": {}, "words": {}})
    with pytest.raises(UserError, match=r"x\.json: format: 1 \(must be 2\); delete it"):
        read_artifact(tmp_path / "x.json", "grammar")


@pytest.fixture
def sums(tmp_path: Path) -> Path:
    for name in ("a", "b c"):
        (tmp_path / name).write_text(name)
    path = tmp_path / "x.sha256"
    write_sums(path, {name: sha256_of(tmp_path / name) for name in ("a", "b c")})
    return path


def test_sha256sum_reads_them(sums: Path) -> None:
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", sums.name], cwd=sums.parent, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "a: OK\nb c: OK\n")


def test_a_file_that_is_another_one(sums: Path) -> None:
    a = sums.with_name("a")
    check_sums(sums, a, sums.with_name("b c"))
    a.write_text("b")
    expected = f"{a}: not the file that was written: {sums} has another sha256 of it; delete"
    with pytest.raises(UserError, match=expected):
        check_sums(sums, a)
    a.unlink()
    with pytest.raises(UserError, match=f"{a}: no such file, though {sums} has its sha256; train again"):
        check_sha256(a, "0" * 64, sums, "train again")
    with pytest.raises(UserError, match=f"{sums}: no sha256 of other; delete it"):
        check_sums(sums, sums.with_name("other"))


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.upper(),
        lambda text: text.replace("  a", "  ../a"),
        lambda text: text + text[:67] + "\n",  # of a file that it has already
        lambda text: text[:-1],
        lambda text: "",
    ],
)
def test_sums_that_are_none(sums: Path, edit: Callable[[str], str]) -> None:
    sums.write_text(edit(sums.read_text()))
    with pytest.raises(UserError, match=r"x.sha256: the list of sha256 sums is damaged or cut off; delete"):
        read_sums(sums)


METRICS = [{"step": step, "loss": 1.5, "dev_perplexity": 3.0} for step in (1, 2)]


def test_metrics(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    write_metrics(file, *METRICS)
    assert read_metrics(file) == METRICS
    file.write_text(file.read_text().replace("1.5", "0.5", 1))
    expected = r"metrics\.jsonl: not the file that was written: .*training\.json has"
    with pytest.raises(UserError, match=expected):
        read_metrics(file)
