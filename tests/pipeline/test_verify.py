"""`make verify` on a real project: everything stands, and whatever was edited is found, however well it was hidden."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from made_artifacts import change

from transformer.common.artifacts import write_artifact
from transformer.common.files import sha256_of
from transformer.verification.verify import seeds_of

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


def test_eight_kinds_of_edits_are_found_with_dates_kept_and_seals_corrected(project: Path) -> None:
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
    for path, date in dates.items():
        os.utime(path, ns=(date, date))

    lines = verify(status=1)
    differs = {line.split()[1].rstrip(":") for line in lines if line.startswith("DIFFERS  ")}
    edited = {BASE / "scores.json", french, weights, parses, perplexity, training, table}
    assert {*map(str, edited), "results/table2.csv"} <= differs
    untouched = {RESULTS / "runs/parser-semi/en-silver/parses.json", BASE / "averaged/model.safetensors"}
    assert not {*map(str, untouched)} & differs


def test_a_table_that_was_edited_is_made_again_although_it_is_the_only_one(project: Path) -> None:
    """Its file does not say what it is of, and to make it anew would destroy what shows the edit."""
    for path in [*RESULTS.glob("tables/*"), *Path("results").glob("table4.*")]:
        if path.name != "table2.json":
            path.unlink()
    table = RESULTS / "tables/table2.json"
    date = table.stat().st_mtime_ns
    table.write_text(table.read_text().replace('"shown": "', '"shown": "9', 1))
    os.utime(table, ns=(date, date))
    lines = verify(status=1)
    assert any(line.startswith(f"DIFFERS  {table}: ") and ", and made again '" in line for line in lines)
    stand = re.search(r"(\d+) stand", lines[-1])
    assert stand
    assert int(stand[1]) > 20
    shutil.rmtree(RESULTS / "tables")
    assert f"DIFFERS  {table}: missing; it can be made again" in verify(status=1)


def test_the_seeds_of_runs(tmp_path: Path) -> None:
    for run, seed in (("base", 7), ("base-seed2", 2), ("mine-seed10", 10)):
        content = {"run": run, "pair": "en-de", "scale": "demo", "seed": seed, "model": {}}
        write_artifact(tmp_path / run / "en-de/config.json", content)
    folders = {path.parent for path in tmp_path.glob("*/*/config.json")}
    assert seeds_of(folders) == ("seed=7", "seeds=[2,7,10]")
    assert seeds_of([tmp_path / "base-seed2/en-de"]) == ("seeds=[2]",)
    assert seeds_of([]) == ()
