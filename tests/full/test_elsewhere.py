"""The workflow in another folder than the project's, from a wheel, and as a module of another workflow."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from micro_project import ROOT, VERBOSE, copy_project, jobs

SCORES = "results/micro/runs/base/en-de/scores.json"
TRANSLATED = {"resolve_run", "train", "average_checkpoints", "translate", "score_bleu"}

MODULE = """
configfile: "config/own.yaml"

rule all:
    input: "own.txt", "attention/data/micro/clean/en-de/dev.en"

module attention:
    snakefile: {snakefile!r}
    config: config
    prefix: "attention"

use rule * from attention as attention_*

use rule plan from attention as plan_of_demo with:
    output: "demo.md"
    log: "demo.log"
    params: scale="demo"

rule own:
    input: "attention/results/plan.md", "demo.md"
    output: "own.txt"
    shell: "grep -c train {{input}} > {{output}}"
"""


# As `snakedeploy deploy-workflow` writes it.
DEPLOYED = """
configfile: "config/config.yaml"

module attention:
    snakefile:
        github("owner/attention", path="workflow/Snakefile", tag="v1")
    config:
        config

use rule * from attention
"""

# A Snakemake without the packages of this project.
PLAIN = """
import sys
from snakemake.cli import main
sys.modules.update(dict.fromkeys("nltk numpy pandas regex sacrebleu scipy sentencepiece torch tqdm".split()))
main(sys.argv[1:])
"""

# Stands in for conda, whose channels the tests do not reach: its only environment is the folder `env`.
CONDA = """#!/bin/sh
case "$*" in
    "info --json") echo '{{"conda_prefix": "{base}", "platform": "linux-64"}}' ;;
    --version) echo conda 25.1.0 ;;
    config*) echo '{{"get": {{"channel_priority": "strict"}}}}' ;;
    *" create "*) for prefix; do :; done; cp -r {base}/env "$prefix" ;;
esac
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


def environment(folder: Path) -> Path:
    """Make an environment that has the packages of this one, but not the project, and return its programs."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "packages.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "bin"


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


def test_a_wheel_in_an_empty_folder(project: Path, folder: Path, tmp_path: Path) -> None:
    """Built from the source distribution, it carries the whole project.

    An ordinary user has it in a read-only folder, and no home to write to.
    """
    held = {path.relative_to(project) for path in files_of(project)}
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, project)
    packing = [sys.executable, "setup.py", "--quiet", "sdist", "--dist-dir", str(tmp_path)]
    subprocess.run(packing, cwd=project, check=True)
    (source,) = tmp_path.glob("*.tar.gz")
    pip = [sys.executable, "-m", "pip", "--quiet"]
    building = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path), str(source)]
    subprocess.run([*pip, *building], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    programs = environment(tmp_path / "installed for all")
    installing = ["--python", str(programs / "python"), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([*pip, *installing], check=True)
    (installed,) = programs.parent.glob("lib/*/site-packages/attention_is_all_you_need")
    assert {path.relative_to(installed) for path in files_of(installed)} == held
    home = tmp_path / "home"
    home.mkdir()
    subprocess.run(["chmod", "-R", "a-w", home, programs.parent], check=True)
    # Root without its capabilities can write only where permissions allow it, as anybody else.
    ordinary = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    assert subprocess.run([*ordinary, "touch", home / "x", installed / "x"], capture_output=True).returncode
    variables = {"PATH": os.environ["PATH"], "HOME": str(home)} | VERBOSE

    def attention(*options: str) -> subprocess.CompletedProcess[str]:
        line = [*ordinary, str(programs / "attention"), *options, "--config", "scale=micro"]
        return subprocess.run(line, cwd=folder, env=variables, capture_output=True, text=True, timeout=600)

    made = ["results/plan.md", "data/micro/tokenized/en-de/dev.json"]
    run = attention(*made)
    assert run.returncode == 0, run.stdout + run.stderr
    assert all((folder / file).exists() for file in made)
    assert jobs(attention("--dry-run", "results/table2.tex"))["train"] == 4


def module(folder: Path, snakefile: str) -> None:
    (folder / "Snakefile").write_text(MODULE.format(snakefile=snakefile), encoding="utf-8")
    (folder / "config").mkdir()
    (folder / "config" / "own.yaml").write_text("scale: micro\n")
    shutil.copy(ROOT / "tests" / "micro" / "micro.yaml", folder / "config")


def test_as_a_module_with_a_prefix(project: Path, folder: Path) -> None:
    module(folder, str(project / "workflow" / "Snakefile"))
    text = "attention/data/micro/clean/en-de/dev.en"
    run = snakemake(folder, config=(), cwd=folder)
    assert run.returncode == 0, run.stdout + run.stderr
    own, theirs = ("all", "own", "plan_of_demo"), ("plan", "generate_demo", "gather")
    assert jobs(run) == dict.fromkeys([*own, *(f"attention_{rule}" for rule in theirs)], 1)
    assert "localrules" not in run.stderr  # a directive that names rules without the module's prefix
    assert (folder / text).exists()
    logs = folder / "attention" / "logs" / "micro"
    assert (logs / "gather" / "en-de" / "dev.log").exists()
    assert {path.name for path in folder.iterdir()} == {
        ".snakemake",
        "Snakefile",
        "attention",
        "config",
        "demo.log",
        "demo.md",
        "own.txt",
    }
    everything = [f"attention/results/{name}" for name in ("index.html", "table4.csv")]
    planned = snakemake(folder, "--dry-run", *everything, config=(), cwd=folder)
    assert jobs(planned)["attention_train"] > 20


def test_deployed_from_a_repository_with_conda(
    project: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plain Snakemake runs it, and each job runs in conda's environment.  The repository and conda are stand-ins."""
    plain = project.rename(project.with_name("repository"))
    git = ["git", "-C", str(plain), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (
        ["init", "--quiet"],
        ["add", "--all"],
        ["commit", "--quiet", "--message", "all"],
        ["tag", "v1"],
    ):
        subprocess.run([*git, *command], check=True)
    shutil.rmtree(plain / "src")  # the tag has it
    shutil.copytree(plain / "config", folder / "config")
    (folder / "workflow").mkdir()
    (folder / "workflow" / "Snakefile").write_text(DEPLOYED)
    base = environment(tmp_path / "conda" / "env").parents[1]
    (base / "bin").mkdir()
    (base / "bin" / "activate").write_text('PATH="$1/bin:$PATH"\n')
    (base / "bin" / "conda").write_text(CONDA.format(base=base))
    (base / "bin" / "conda").chmod(0o755)
    for name, value in {
        "PATH": f"{base}/bin:{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),  # Snakemake's clones of GitHub's repositories
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{plain}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/owner/attention",
    }.items():
        monkeypatch.setenv(name, value)
    text = "data/micro/clean/en-de/dev.en"
    options = ["--cores", "1", "--software-deployment-method", "conda", "--config", "scale=micro", "--"]
    run = subprocess.run(
        [sys.executable, "-c", PLAIN, *options, text], cwd=folder, capture_output=True, text=True, timeout=600
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stderr.count("Activating conda environment") == 2
    assert (folder / text).exists()


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
