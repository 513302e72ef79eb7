"""`make verify` on a real project: everything stands, and whatever was edited is found, however well it was hidden."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from made_artifacts import change

from transformer.common.artifacts import read_sums, write_artifact, write_sums
from transformer.common.files import sha256_of

RESULTS = Path("results/micro")
BASE, BIG = RESULTS / "runs/base/en-de", RESULTS / "runs/big/en-de"


@pytest.fixture
def project(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = shutil.copytree(finished, tmp_path / "project")
    monkeypatch.chdir(project)
    return project


def verify(status: int) -> list[str]:
    """Run the script on the project in the working folder, as `make verify` does; return its lines."""
    command = [sys.executable, "src/transformer/verification/verify.py", "--scale", "micro"]
    environment = {**os.environ, "PYTHONPATH": "src"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900)
    assert run.returncode == status, run.stdout + run.stderr
    return run.stdout.splitlines()


def state() -> dict[Path, tuple[int, bytes]]:
    """The content and the date of every result."""
    files = [path for path in Path("results").rglob("*") if path.is_file()]
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def test_everything_stands_and_nothing_changes(project: Path) -> None:
    before = state()
    lines = verify(status=0)
    count, _, rest = lines[-1].partition(" files: ")
    assert rest == f"{count} stand, 0 differ"
    assert int(count) > 50
    assert not [line for line in lines if line.startswith("not checked")]
    assert state() == before
    assert not [*Path(".snakemake").glob("verify-*")]


def first_line(path: Path) -> None:
    text = path.read_text(encoding="utf-8").split("\n")
    path.write_text("\n".join(["Etwas anderes .", *text[1:]]), encoding="utf-8")


def edit(path: Path, *keys: str, by: float = 1) -> None:
    """Raise the number at ``keys`` of a JSON file, and correct its checksum."""
    content = json.loads(path.read_text())
    inner: Any = content
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] += by
    change(path, **{keys[0]: content[keys[0]]})


def seal(path: Path, file: Path, *keys: str) -> None:
    """Correct the sha256 of a file at ``keys`` of a JSON file."""
    content = json.loads(path.read_text())
    inner: Any = content
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = sha256_of(file)
    change(path, **{keys[0]: content[keys[0]]})


def test_ten_kinds_of_edits_are_found_with_dates_kept_and_seals_corrected(project: Path) -> None:
    dates = {path: path.stat().st_mtime_ns for path in RESULTS.rglob("*") if path.is_file()}
    headline = json.loads((BASE / "scores.json").read_text())["headline"]

    first_line(BASE / "test.de")
    seal(BASE / "scores.json", BASE / "test.de", "files", "hypothesis", "sha256")
    french = RESULTS / "runs/base/en-fr/scores.json"
    edit(french, "measures", headline, "value")
    weights = BIG / "averaged/model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(bytes(content))
    seal(BIG / "averaged/model.json", weights, "weights_sha256")
    seal(BIG / "scores.json", weights, "files", "checkpoint", "sha256")
    seal(BIG / "perplexity.json", weights, "model_sha256")
    parses = RESULTS / "runs/parser/en-trees/parses.json"
    edit(parses, "all", "f1")
    perplexity = BASE / "perplexity.json"
    edit(perplexity, "test", "nll", by=0.01)
    training = RESULTS / "runs/big/en-fr/training.json"
    edit(training, "target_tokens")
    table = RESULTS / "tables/table4.json"
    text = table.read_text()
    table.write_text(text.replace('"shown": "', '"shown": "1', 1))
    cells = json.loads(table.read_text())
    del cells["content_sha256"]
    write_artifact(table, cells)
    shutil.copy("results/table2.md", "results/table2.csv")  # a copy of the table, too
    removed = RESULTS / "tables/table2.md"
    removed.unlink()
    tokens = Path("data/micro/tokenized/en-de/dev.target.tokens")
    content = bytearray(tokens.read_bytes())
    content[0] ^= 1
    tokens.write_bytes(bytes(content))
    sums = tokens.parent / "dev.sha256"
    write_sums(sums, read_sums(sums) | {tokens.name: sha256_of(tokens)})
    for path in dates.keys() - {removed}:
        os.utime(path, ns=(dates[path], dates[path]))

    lines = verify(status=1)
    differs = {line.split()[1].rstrip(":") for line in lines if line.startswith("DIFFERS  ")}
    edited = {tokens, BASE / "scores.json", french, weights, parses, perplexity, training, table}
    assert {*map(str, edited), "results/table2.csv"} <= differs
    assert f"DIFFERS  {removed}: missing; it can be made again" in lines
    untouched = {RESULTS / "runs/parser-semi/en-silver/parses.json", BASE / "averaged/model.safetensors"}
    assert not {*map(str, untouched)} & differs
