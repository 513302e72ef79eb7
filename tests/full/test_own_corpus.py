"""A user's own corpora through the real DAG at the smallest scale: two scripts that are not Latin, and no treebank."""

import csv
import gzip
import itertools
import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from micro_project import EVERYTHING, copy_project, jobs, snakemake

from transformer.verification.verify import verify

# Subjects, verbs, objects; each sentence is three words in each language.
WORDS = {
    "en": "cats dogs birds women men children teachers doctors|see hear follow love draw find forget know|"
    "houses rivers stones letters songs roads gardens clocks",
    "el": "γάτες σκύλοι πουλιά γυναίκες άντρες παιδιά δάσκαλοι γιατροί|βλέπουν ακούν ακολουθούν αγαπούν ζωγραφίζουν "
    "βρίσκουν ξεχνούν ξέρουν|σπίτια ποτάμια πέτρες γράμματα τραγούδια δρόμους κήπους ρολόγια",
    "ka": "კატები ძაღლები ჩიტები ქალები კაცები ბავშვები მასწავლებლები ექიმები|ხედავენ ისმენენ მიჰყვებიან უყვართ "
    "ხატავენ პოულობენ ივიწყებენ იცნობენ|სახლებს მდინარეებს ქვებს წერილებს სიმღერებს გზებს ბაღებს საათებს",
}
LINES = random.Random(1).sample(list(itertools.product(range(8), range(8), range(8))), 500)


def text(language: str) -> list[str]:
    columns = [part.split() for part in WORDS[language].split("|")]
    return [" ".join(words[n] for words, n in zip(columns, numbers, strict=True)) for numbers in LINES]


def scale(**files: Any) -> dict[str, Any]:
    return {
        "inherits": "micro",
        "corpus": "Three words",
        "licence": "CC0",
        "translation": {pair: {"files": given} for pair, given in files.items()},
        "table2": ["base"],
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the scale `mine`, whose Table 2 has been made."""
    project = copy_project(tmp_path_factory.mktemp("own") / "project")
    folder = project / "my texts"
    folder.mkdir()
    rows = [
        f"{greek}\t{number}\t{english}\n"
        for number, (greek, english) in enumerate(zip(text("el"), text("en"), strict=True))
    ]
    (folder / "greek.tsv.gz").write_bytes(gzip.compress("".join(rows).encode()))
    parts = {"a": slice(0, 300), "b": slice(300, 460), "test": slice(460, 500)}
    for name, part in parts.items():
        for side in ("en", "ka"):
            (folder / f"{name}.{side}").write_text("\n".join(text(side)[part]) + "\n", encoding="utf-8")
    content = scale(
        **{
            "el-en": {"train": {"tsv": "my texts/*.tsv.gz", "columns": {"en": 3, "el": 1}}},
            "en-ka": {
                "train": {side: f"my texts/[ab].{side}" for side in ("en", "ka")},
                "dev": 30,
                "test": {side: f"my texts/test.{side}" for side in ("en", "ka")},
            },
        }
    )
    write(project, content)
    wanted = [
        "results/table2.csv",
        "results/metrics.json",
        "results/plan.md",
    ]
    run = snakemake(project, scale="mine", command=[*EVERYTHING, *wanted])
    assert run.returncode == 0, run.stdout + run.stderr
    return project


def write(project: Path, content: dict[str, Any]) -> None:
    (project / "config" / "mine.yaml").write_text(yaml.safe_dump(content, sort_keys=False))


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_table_2_has_a_block_for_each_pair(built: Path) -> None:
    base, sacrebleu = csv.DictReader((built / "results" / "table2.csv").open(encoding="utf-8"))
    assert (base["model"], base["origin"], base["scale"]) == ("Transformer (base model)", "ours", "mine")
    assert all(float(row[f"bleu_{pair}"]) >= 0 for row in (base, sacrebleu) for pair in ("el-en", "en-ka"))
    table = (built / "results" / "table2.md").read_text(encoding="utf-8")
    assert "For EN-KA, the tokens are sacreBLEU's (13a)" in table
    assert "Three words, dev and test cut from the training text (CC0)" in table
    assert set(json.loads((built / "results" / "metrics.json").read_text())["base"]) == {"el-en", "en-ka"}
    assert "| base, en-ka " in (built / "results" / "plan.md").read_text()


def test_the_text_is_what_the_files_hold(built: Path) -> None:
    raw = built / "data" / "mine" / "raw"
    assert lines(raw / "el-en" / "train.el") == text("el")
    assert lines(raw / "en-ka" / "train.ka") == text("ka")[:460]
    assert lines(built / "data" / "mine" / "clean" / "en-ka" / "test.ka") == text("ka")[460:]
    for pair, sizes in {"el-en": (25, 25), "en-ka": (30, 40)}.items():
        clean = built / "data" / "mine" / "clean" / pair
        source, target = pair.split("-")
        assert tuple(len(lines(clean / f"{split}.{target}")) for split in ("dev", "test")) == sizes
        held = {*lines(clean / f"dev.{source}"), *lines(clean / f"test.{source}")}
        assert not held & set(lines(clean / f"train.{source}"))
    assert not list((built / "data").rglob("*.tsv.gz"))  # the user's files are read where they are


def test_every_table_stands(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(built)
    verdict = verify("mine")
    assert verdict.differs == {}
    assert "results/mine/tables/table2.csv" in verdict.checked


def test_a_second_run_has_nothing_to_do_and_notices_what_has_changed(built: Path, tmp_path: Path) -> None:
    """Also what Snakemake does not see, which compares inputs without their order and by their dates."""
    project = shutil.copytree(built, tmp_path / "project")

    def planned() -> dict[str, int]:
        wanted = [*EVERYTHING, "results/table2.csv"]
        return jobs(snakemake(project, "--dry-run", scale="mine", command=wanted))

    assert planned() == {}
    text = project / "my texts" / "test.ka"
    text.write_text("წინადადება\n" * 40, encoding="utf-8")
    os.utime(text, (1, 1))
    changed = planned()
    assert changed["gather"] == 1
    assert "train" not in changed
    content = yaml.safe_load((project / "config" / "mine.yaml").read_text())
    content["translation"]["el-en"]["files"]["train"]["columns"] = {"en": 1, "el": 3}
    write(project, content)
    assert planned()["gather_whole"] == 1
