"""DVC around Snakemake: what was made is versioned, carried elsewhere, and neither of them makes it again."""

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from micro_project import ROOT, VERBOSE, jobs
from web import served

PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
ENVIRONMENT = {**os.environ, **VERBOSE, "PATH": PATH, "DVC_NO_ANALYTICS": "1"}
for person in ("AUTHOR", "COMMITTER"):
    ENVIRONMENT |= {f"GIT_{person}_NAME": "a", f"GIT_{person}_EMAIL": "a@example.org"}


TABLE = "results/micro/tables/table2.tex"


def tell(folder: Path, *command: str, fails: bool = False) -> subprocess.CompletedProcess[str]:
    run = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=900)
    assert (run.returncode != 0) == fails, f"{command}\n{run.stdout}{run.stderr}"
    return run


def commit(project: Path, message: str) -> None:
    tell(project, "git", "add", "--all")
    tell(project, "git", "commit", "--quiet", "--message", message)


def shorten(project: Path) -> None:
    """Let no translation be longer than its source, which most are; another beam would give the same text."""
    micro = project / "config" / "micro.yaml"
    micro.write_text(micro.read_text().replace("\nsettings:\n", "\nsettings:\n  max_extra_tokens: 0\n"))


@pytest.fixture(scope="module")
def origin(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A repository at the micro scale, reproduced, committed and pushed to a web server as remote.

    The data and the models are there already, and `dvc repro` makes the tables and metrics.
    """
    project = shutil.copytree(finished, tmp_path_factory.mktemp("origin") / "project")
    for file in project.glob("results/*.*"):
        if file.name != "README.md":
            file.unlink()
    for file in project.glob("results/micro/tables/table4.*"):  # which it does not make
        file.unlink()
    for name in ("dvc.yaml", ".dvcignore", ".gitignore"):
        shutil.copy(ROOT / name, project)
    shutil.copytree(ROOT / ".dvc", project / ".dvc", ignore=shutil.ignore_patterns("tmp", "cache"))
    stages = yaml.safe_load((project / "dvc.yaml").read_text())
    stage = stages["stages"]["reproduce"]["do"]
    assert stage["cmd"] == "snakemake"
    stage["cmd"] = "snakemake results/table2.tex results/metrics.json"  # without Table 3's twenty trainings
    (project / "dvc.yaml").write_text(yaml.safe_dump(stages))
    config = project / "config" / "config.yaml"
    config.write_text(config.read_text().replace("scale: demo", "scale: micro"))
    tell(project, "git", "init", "--quiet")
    with served(tmp_path_factory.mktemp("remote")) as address:
        tell(project, "dvc", "remote", "add", "--default", "store", address)
        tell(project, "dvc", "remote", "modify", "store", "method", "PUT")
        commit(project, "nothing made yet")
        tell(project, "dvc", "repro")
        commit(project, "made")
        tell(project, "dvc", "push")
        yield project


@pytest.fixture
def clone(origin: Path, tmp_path: Path) -> Path:
    """What a colleague gets with `git clone` and `dvc pull`."""
    tell(tmp_path, "git", "clone", "--quiet", str(origin), "clone")
    tell(tmp_path / "clone", "dvc", "pull")
    told = tell(tmp_path / "clone", "snakemake", "--dry-run", TABLE, fails=True).stderr
    assert " more: Snakemake has no record of how this was made" in told
    restore(tmp_path / "clone")
    return tmp_path / "clone"


MADE = (TABLE, "results/metrics.json")
TOUCH = ("snakemake", "--touch", "--forceall", "--cores", "1", *MADE)


def restore(project: Path) -> None:
    """Do what Snakemake says after `dvc pull`, or what the manual says after `dvc checkout`."""
    tell(project, *TOUCH)


def nothing_to_do(project: Path) -> bool:
    """Whether neither Snakemake nor DVC would do anything."""
    snakemake = tell(project, "snakemake", "--dry-run", *MADE)
    dvc = tell(project, "dvc", "status")
    return jobs(snakemake) == {} and "up to date" in dvc.stdout


def test_a_clone_that_pulls_has_nothing_to_do(origin: Path, clone: Path) -> None:
    assert nothing_to_do(clone)
    assert "didn't change, skipping" in tell(clone, "dvc", "repro").stdout
    assert set(jobs(tell(clone, "snakemake", "results/table2.tex"))) == {"copy_table"}
    for name in ("results/table2.tex", "results/metrics.json"):
        assert (clone / name).read_bytes() == (origin / name).read_bytes()
    assert list(origin.glob("results/micro/runs/*/*/checkpoints"))
    assert not list(clone.glob("results/micro/runs/*/*/checkpoints"))
    said = tell(
        clone,
        "env",
        "PYTHONPATH=src",
        sys.executable,
        "src/transformer/verification/verify.py",
        "--scale",
        "micro",
    ).stdout
    assert said.startswith("not checked ")
    assert said.endswith(" stand, 0 differ\n")


def test_a_clone_without_its_data_has_the_scores_and_can_be_checked(origin: Path, tmp_path: Path) -> None:
    tell(tmp_path, "git", "clone", "--quiet", str(origin), "bare")
    said = tell(tmp_path / "bare", "dvc", "repro", "--dry", "--allow-missing").stdout
    assert "didn't change, skipping" in said
    scores = [tell(folder, "dvc", "metrics", "show", "--md").stdout for folder in (origin, tmp_path / "bare")]
    assert "base.en-de.bleu" in scores[0]
    assert scores[0] == scores[1]


def test_who_pulls_and_edits_a_setting_before_touching_records_nothing_false(
    origin: Path, tmp_path: Path
) -> None:
    tell(tmp_path, "git", "clone", "--quiet", str(origin), "clone")
    clone = tmp_path / "clone"
    tell(clone, "dvc", "pull")
    micro = clone / "config" / "micro.yaml"
    before = micro.read_text()
    micro.write_text(before.replace("\nsettings:\n", "\nsettings:\n  adam_beta1: 0.8\n"))
    assert "was made with other settings" in tell(clone, *TOUCH, fails=True).stderr
    assert "has no record" in tell(clone, "dvc", "repro", fails=True).stderr
    micro.write_text(before)
    restore(clone)
    assert nothing_to_do(clone)
    micro.write_text(before.replace("\nsettings:\n", "\nsettings:\n  adam_beta1: 0.8\n"))
    assert "train" in jobs(tell(clone, "snakemake", "--dry-run", *MADE))


def test_one_model_is_downloaded_without_a_clone(origin: Path, tmp_path: Path) -> None:
    """It has a name, and versions by tags; with its vocabulary, it translates."""
    run, vocabulary = "results/micro/runs/base/en-de", "data/micro/subwords/en-de"
    tell(origin, "git", "tag", "--annotate", "--message", "Table 2", "base-en-de@v1.0.0")
    tell(tmp_path, "dvc", "artifacts", "get", str(origin), "base-en-de", "--rev", "v1.0.0", "--out", run)
    tell(tmp_path, "dvc", "get", str(origin), vocabulary, "--out", vocabulary)
    translate = f"from transformer import load; print(load({run!r}).translate(['The dog sees the cat.']))"
    assert tell(tmp_path, sys.executable, "-c", translate).stdout


def test_other_translations_then_back(clone: Path) -> None:
    """It decodes, scores and makes the tables; the old version comes back from the cache."""
    metrics, translation = clone / "results/metrics.json", clone / "results/micro/runs/base/en-de/test.de"
    before = metrics.read_bytes(), translation.read_bytes()
    shorten(clone)
    run = tell(clone, "dvc", "repro")
    assert set(jobs(run)) == {"translate", "score_bleu", "table2", "copy_table", "metrics"}
    assert len(translation.read_bytes()) < len(before[1])
    commit(clone, "shorter")
    scale = ("--targets", "config/micro.yaml")
    changed = json.loads(tell(clone, "dvc", "params", "diff", "HEAD~1", "--json", *scale).stdout)
    assert changed["config/micro.yaml"]["settings.max_extra_tokens"] == {"old": None, "new": 0}
    compared = json.loads(tell(clone, "dvc", "metrics", "diff", "HEAD~1", "--json").stdout)
    assert compared["results/metrics.json"]["base.en-de.bleu"]["diff"] < 0
    tell(clone, "git", "checkout", "--quiet", "HEAD~1")
    tell(clone, "dvc", "checkout", "--force")
    restore(clone)
    assert (metrics.read_bytes(), translation.read_bytes()) == before
    assert nothing_to_do(clone)


SCALE = "config/micro.yaml"


def table(project: Path, *options: str) -> list[dict[str, str]]:
    """The rows of ``dvc exp show``."""
    shown = tell(project, "dvc", "exp", "show", "--csv", *options)
    return list(csv.DictReader(shown.stdout.splitlines()))


def test_experiments_change_settings_that_the_scale_does_not_name(clone: Path) -> None:
    """Here and in the queue, Snakemake makes what the change concerns, and the table shows what matters."""
    run = tell(
        clone, "dvc", "exp", "run", "-n", "mine", "-S", f"{SCALE}:+runs.mine={{d_model: 24, dropout: 0.2}}"
    )
    assert jobs(run)["train"] == 1
    config = json.loads((clone / "results/micro/runs/mine/en-de/config.json").read_text())
    assert (config["model"]["d_model"], config["model"]["dropout"]) == (24, 0.2)
    assert nothing_to_do(clone)  # Snakemake reads what DVC wrote

    queued = ["-n", "short", "-S", f"{SCALE}:+settings.max_extra_tokens=0"]
    tell(clone, "dvc", "exp", "run", "--queue", "-C", ".snakemake/metadata", *queued)
    tell(clone, "dvc", "exp", "run", "--run-all")
    models = [f"{run}.{pair}.bleu" for run in ("base", "big") for pair in ("en-de", "en-fr")]
    changes = ["settings.max_extra_tokens", "runs.mine.d_model", "runs.mine.dropout"]
    rows = table(clone, "--drop", "config|resources|src")
    assert {*models, *changes, "mine.en-de.dev_bleu", "parser.f1", "scale", "seed"} <= set(rows[0])
    short, mine = (next(row for row in rows if row["Experiment"] == name) for name in ("short", "mine"))
    assert short["State"] == "Success"
    assert [short[key] for key in changes] == ["0", "24", "0.2"]  # it starts from the working folder
    assert float(short["base.en-de.bleu"]) < float(mine["base.en-de.bleu"])
    assert [mine[key] for key in changes] == ["", "24", "0.2"]
    assert 0 <= float(mine["mine.en-de.dev_bleu"]) <= 100

    tell(clone, "dvc", "exp", "apply", "short")
    restore(clone)
    assert nothing_to_do(clone)
