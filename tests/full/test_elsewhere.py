"""The workflow in another folder than the project's, and as a module of another workflow."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from micro_project import ROOT, VERBOSE, copy_project, jobs

SCORES = "results/micro/runs/base/en-de/scores.json"
TRANSLATED = {"resolve_run", "train", "average_checkpoints", "translate", "score_bleu"}

MODULE = """
configfile: "config/own.yaml"

module attention:
    snakefile: {snakefile!r}
    config: config
    prefix: "attention"

use rule * from attention as attention_*

rule own:
    default_target: True
    input: "attention/results/plan.md"
    output: "own.txt"
    shell: "grep -c train {{input}} > {{output}}"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return copy_project(tmp_path / "Übung macht den Meister")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working folder with nothing in it."""
    there = tmp_path / "mein großer Ordner"
    there.mkdir()
    return there


def snakemake(
    folder: Path, *options: str | Path, config: Sequence[str] = ("scale=micro",), cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--directory", folder, *options]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | VERBOSE
    line = [*map(str, command), *(["--config", *config] if config else [])]
    place = cwd or folder.parent
    return subprocess.run(line, cwd=place, env=environment, capture_output=True, text=True, timeout=600)


def files_of(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if "__pycache__" not in path.parts}


def test_results_are_in_the_working_folder_and_do_not_depend_on_where_the_project_is(
    project: Path, folder: Path
) -> None:
    before = files_of(project)
    asked = [SCORES, "results/plan.md", "results/figures/learning_rate.svg"]
    run = snakemake(folder, "--snakefile", project / "Snakefile", *asked)
    assert run.returncode == 0, run.stdout + run.stderr
    assert jobs(run).keys() >= TRANSLATED
    assert all((folder / file).exists() for file in asked)
    assert files_of(project) == before
    again = snakemake(folder, "--snakefile", project / "Snakefile", "--dry-run", *asked)
    assert jobs(again) == {}
    moved = project.rename(project.with_name("moved"))
    again = snakemake(folder, "--snakefile", moved / "workflow" / "Snakefile", "--dry-run", SCORES)
    assert jobs(again) == {}, again.stdout


def test_a_working_folder_may_have_files_of_config(project: Path, folder: Path) -> None:
    """Here a scale and sources of its own; the other files are the project's."""
    mirror = folder.parent / "ein Spiegel für Dateien"
    (mirror / "news").mkdir(parents=True)
    (folder / "config").mkdir()
    sides = {"en": "A dog runs.\n", "de": "Ein Hund läuft.\n"}
    for side, text in sides.items():
        (mirror / "news" / f"test.{side}").write_text(text, encoding="utf-8")
    about = dict.fromkeys(("title", "licence", "citation"), "none") | {"homepage": "https://example.org/"}
    files = [{"path": f"news/test.{side}", "url": "https://example.org/"} for side in sides]
    splits = {"test": {side: f"news/test.{side}" for side in sides}}
    sources = folder / "config" / "sources.yaml"
    sources.write_text(yaml.safe_dump({"news": about | {"splits": splits, "files": files}}))
    shutil.copy(project / "config" / "micro.yaml", folder / "config" / "mine.yaml")
    config = {"scale": "mine", "mirror": str(mirror), "further_tests": ["news"]}
    (folder / "config" / "config.yaml").write_text(yaml.safe_dump(config))
    text = "data/mine/clean/en-de/tests/news.de"
    run = snakemake(folder, "--snakefile", project / "Snakefile", text, config=())
    assert run.returncode == 0, run.stdout + run.stderr
    assert (folder / text).read_text(encoding="utf-8") == sides["de"]
    assert (folder / "config" / "sources.lock.yaml").read_text().count("sha256:") == 2
    assert "sha256:" not in (project / "resources" / "sources.lock.yaml").read_text()


def module(folder: Path, snakefile: str) -> None:
    (folder / "Snakefile").write_text(MODULE.format(snakefile=snakefile), encoding="utf-8")
    (folder / "config").mkdir()
    (folder / "config" / "own.yaml").write_text("scale: micro\n")
    shutil.copy(ROOT / "tests" / "micro" / "micro.yaml", folder / "config")


def test_as_a_module_with_a_prefix(project: Path, folder: Path) -> None:
    module(folder, str(project / "workflow" / "Snakefile"))
    text = "attention/data/micro/clean/en-de/dev.en"
    run = snakemake(folder, "own.txt", text, config=(), cwd=folder)
    assert run.returncode == 0, run.stdout + run.stderr
    assert jobs(run) == {"attention_plan": 1, "own": 1, "attention_generate_demo": 1, "attention_clean": 1}
    assert "localrules" not in run.stderr  # a directive that names rules without the module's prefix
    assert (folder / text).exists()
    logs = folder / "attention" / "logs" / "micro"
    assert (logs / "attention_clean" / "en-de" / "dev.log").exists()
    assert {path.name for path in folder.iterdir()} == {
        ".snakemake",
        "Snakefile",
        "attention",
        "config",
        "own.txt",
    }
    (folder / "config" / "own.yaml").write_text("scale: micro\ntrack: dvclive\n")
    everything = [f"attention/results/{name}" for name in ("index.html", "report.html", "table4.csv")]
    planned = snakemake(folder, "--dry-run", "--printshellcmds", *everything, config=(), cwd=folder)
    assert planned.returncode == 0, planned.stdout + planned.stderr
    assert jobs(planned)["attention_train"] > 20
    curves = "--track dvclive attention/logs/micro/tracking/dvclive/base.en-de"
    assert curves in planned.stdout + planned.stderr


def test_as_a_module_from_a_git_repository(project: Path, folder: Path) -> None:
    """As `snakedeploy` writes it, but for the address: the project is cloned to where its programs can run."""
    plain = project.rename(project.with_name("repository"))
    git = ["git", "-C", str(plain), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (
        ["init", "--quiet"],
        ["add", "--all"],
        ["commit", "--quiet", "--message", "all"],
        ["tag", "v1"],
    ):
        subprocess.run([*git, *command], check=True)
    module(folder, f"git+file://{plain}/workflow/Snakefile@v1")
    shutil.rmtree(plain / "src")  # the tag has it
    run = snakemake(folder, config=(), cwd=folder)
    assert run.returncode == 0, run.stdout + run.stderr
    assert (folder / "own.txt").exists()


@pytest.mark.parametrize("content", ["scale: demo\nseed: !!int x\n", "seed: " + "[" * 5000, "- demo\n", ""])
def test_a_config_file_that_snakemake_cannot_read_ends_in_one_line(folder: Path, content: str) -> None:
    (folder / "config").mkdir()
    (folder / "config" / "config.yaml").write_text(content)
    run = snakemake(folder, "-s", ROOT / "workflow" / "Snakefile", "--dry-run", config=[])
    assert run.returncode == 1
    (line,) = [
        line for line in run.stderr.splitlines() if not line.startswith("Using workflow specific profile")
    ]
    assert line.startswith("error: config/config.yaml")
