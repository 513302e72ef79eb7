"""Further test sets: downloaded, translated and scored one by one, with the models that are there."""

import csv
import shutil
from pathlib import Path

import yaml
from micro_project import EVERYTHING, jobs, plan, snakemake


def register(project: Path, mirror: Path, name: str, texts: dict[str, str]) -> None:
    """Add a source with a test split to the registry of a project, and its file of each side to a mirror."""
    paths = {side: f"{name}/test.{side}" for side in texts}
    for side, path in paths.items():
        (mirror / path).parent.mkdir(parents=True, exist_ok=True)
        (mirror / path).write_text(texts[side])
    about = dict.fromkeys(("title", "licence", "citation"), "none") | {"homepage": "https://example.org/"}
    files = [{"path": path, "url": "https://example.org/"} for path in paths.values()]
    with (project / "resources" / "sources.yaml").open("a") as sources:
        sources.write(f"\n{yaml.safe_dump({name: about | {'splits': {'test': paths}, 'files': files}})}")


def test_each_set_is_translated_and_scored_by_itself(finished: Path, tmp_path: Path) -> None:
    project, mirror = shutil.copytree(finished, tmp_path / "project"), tmp_path / "mirror"
    clean = project / "data/micro/clean/en-de"
    lines = {side: (clean / f"test.{side}").read_text().splitlines(keepends=True) for side in ("en", "de")}
    sizes = {"first": 4, "second": 3}
    for name, size in sizes.items():
        register(project, mirror, name, {side: "".join(text[:size]) for side, text in lines.items()})
    config = [f"mirror={mirror}", "further_tests=[first,second]"]
    run = snakemake(
        project, config=config, command=[*EVERYTHING, "results/test_sets.csv", "results/test_sets.tex"]
    )
    assert run.returncode == 0, run.stdout + run.stderr
    made = {"download": 4, "extract": 2, "clean": 2, "check_text": 1, "table": 1, "copy_table": 1}
    assert jobs(run) == made | {"translate": 4, "score_bleu": 4}
    rows = list(csv.DictReader((project / "results/test_sets.csv").open()))
    assert len(rows) == (4 + 2 + 2) * 6  # the scale's own set in two languages, the others in one
    for name, size in sizes.items():
        of_set = [row for row in rows if row["test_set"] == name]
        assert {(row["run"], row["pair"], row["sentences"]) for row in of_set} == {
            (run, "en-de", str(size)) for run in ("base", "big")
        }
        folder = project / "results/micro/runs/base/en-de"
        hypotheses = (folder / "tests" / name / "test.de").read_text().splitlines()
        assert hypotheses == (folder / "test.de").read_text().splitlines()[:size]
        assert len(set(hypotheses)) == size
    assert (project / "resources/sources.lock.yaml").read_text().count("sha256:") == 4
    planned = plan(project, "all", config=config)
    assert "results/micro/runs/big/en-de/tests/second/scores.json" in planned["results/scores.csv"].input
    for given, listed in ((config, True), ([], False)):
        page = plan(project, "results/index.html", config=given)["results/index.html"]
        assert ("results/test_sets.md" in page.input) == listed
