"""A pretend machine of 96 cores and 8 GPUs: the real rules of the paper scale, with scripts that only note the time.

The pretend cluster has programs that note what is asked of SLURM.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from configuration import edit
from micro_project import VERBOSE, copy_project

from transformer.planning.host_memory import training_mb
from transformer.settings.settings import load_settings

RUNS = "results/paper/runs"
MACHINE = "CUDA_VISIBLE_DEVICES"  # the GPUs that there are
PATH = "/usr/bin:/bin"
EIGHT = ",".join(map(str, range(8)))

# In place of each script: touches its outputs, and notes which GPUs it had and when.
SCRIPT = """
import json, os, sys, time
from pathlib import Path

name = Path(sys.argv[0]).stem
output, *report = (Path(sys.argv[n + 1]) for n, word in enumerate(sys.argv) if word in ("--output", "--report"))
started = time.time()
time.sleep(0.4)
made = {{
    "train": [output / file for file in ("training.json", "metrics.jsonl")],
    "average_checkpoints": [output / file for file in ("model.safetensors", "model.json")],
    "score_perplexity": [output, output.with_suffix(".csv")],
}}.get(name, [output, *report])
for path in made:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
gpus = os.environ["CUDA_VISIBLE_DEVICES"].split(",")
if os.environ.get("RANK", "0") != "0":  # torchrun starts a process for each GPU
    sys.exit()
with open("{notes}", "a") as notes:
    notes.write(json.dumps([name, gpus, started, time.time()]) + "\\n")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project with the data of EN-DE in place, which is empty."""
    copied = copy_project(tmp_path / "project")
    script = SCRIPT.format(notes=tmp_path / "notes")
    names = [
        f"training/{name}" for name in ("train", "average_checkpoints", "resolve_run", "score_perplexity")
    ]
    names += ["decoding/translate", "inspection/extract_attention"]
    for name in names:
        (copied / "src" / "transformer" / f"{name}.py").write_text(script)
    files = ["subwords/en-de/subwords.model", "subwords/en-de/subwords.vocab"]
    files += [f"clean/en-de/{split}.{side}" for split in ("dev", "test") for side in ("en", "de")]
    for split in ("train", "dev", "test"):
        sides = [f"{side}.{part}" for side in ("source", "target") for part in ("tokens", "offsets")]
        files += [f"tokenized/en-de/{split}.{end}" for end in ("json", "sha256", *sides)]
    for file in files:
        path = copied / "data" / "paper" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return copied


def snakemake(
    project: Path, *options: str, gpus: str = EIGHT, cores: str = "96", path: str = PATH, scale: str = "paper"
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "snakemake", "--cores", cores, "--config", f"scale={scale}", *options]
    environment = {"PATH": path, MACHINE: gpus, "TMPDIR": str(project.parent), "HOME": str(project)} | VERBOSE
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=300)


def most_at_once(jobs: list[tuple[list[str], float, float]]) -> Iterator[list[str]]:
    """The GPUs in use at each moment when a job started."""
    for _, moment, _ in jobs:
        yield [gpu for gpus, started, ended in jobs if started <= moment < ended for gpu in gpus]


def test_no_gpu_is_given_to_two_jobs_at_a_time(project: Path) -> None:
    trained = [f"{RUNS}/{run}/en-de" for run in ("base", "big", "A-h1", "A-h4")]
    ends = ("test.de", "perplexity.json", "last/dev.de", "last/perplexity.json")
    memory = ["--resources", "mem_mb=2000000"]
    run = snakemake(project, *memory, "--", *(f"{folder}/{end}" for folder in trained for end in ends))
    assert run.returncode == 0, run.stdout + run.stderr
    assert "On a GPU, no rebuild has the same bits" in " ".join((run.stdout + run.stderr).split())
    notes = [json.loads(line) for line in (project.parent / "notes").read_text().splitlines()]
    jobs = {
        name: [(gpus, started, ended) for other, gpus, started, ended in notes if other == name]
        for name in ("train", "translate", "score_perplexity")
    }
    # Base and big train on all GPUs, one after the other; the rows of Table 3 have one each, side by side.
    assert sorted(len(gpus) for gpus, _, _ in jobs["train"]) == [1, 1, 8, 8]
    assert 2 in map(len, most_at_once(jobs["train"]))
    assert {len(gpus) for name in ("translate", "score_perplexity") for gpus, _, _ in jobs[name]} == {1}
    used = list(most_at_once([job for some in jobs.values() for job in some]))
    assert all(len(gpus) == len(set(gpus)) for gpus in used)
    assert max(map(len, most_at_once([*jobs["translate"], *jobs["score_perplexity"]]))) > 1
    # Snakemake itself starts no more jobs than there are GPUs: none had to wait for a claim.
    logs = "".join(path.read_text() for path in project.glob("logs/**/*.log"))
    assert "waiting for" not in logs + run.stderr


def test_what_claims_no_gpu_sees_none_and_waits_for_memory(project: Path) -> None:
    """Figures 3 to 5 would fill the first GPU beside a training; there is memory for one training at a time."""
    edit(project, "paper.yaml", "settings", "device", value="auto")
    settings = load_settings({"scale": "paper", "seed": 1}, project)
    both = sum(training_mb(settings, run, "en-de", on_gpu=False) for run in ("base", "big"))
    asked = [
        *(f"{RUNS}/{run}/en-de/test.de" for run in ("base", "big")),
        "results/paper/figures/attention.json",
    ]
    run = snakemake(project, "--resources", "gpu=0", f"mem_mb={both - 1}", "--", *asked)
    assert run.returncode == 0, run.stdout + run.stderr
    notes = [json.loads(line) for line in (project.parent / "notes").read_text().splitlines()]
    (_, first_ends), (second_starts, _) = sorted(times for name, _, *times in notes if name == "train")
    assert first_ends < second_starts
    assert {"translate", "extract_attention"} <= {name for name, *_ in notes}
    assert {
        tuple(gpus) for name, gpus, *_ in notes if name not in ("resolve_run", "average_checkpoints")
    } == {("",)}


@pytest.fixture
def slurm(tmp_path: Path) -> Path:
    """A folder of programs in place of SLURM's; ``sbatch`` refuses every job and writes its options to ``asked``."""
    folder = tmp_path / "slurm"
    folder.mkdir()
    for name in ("sacctmgr", "sshare", "sinfo", "squeue", "scontrol", "sbatch"):
        told = f'echo "$@" >> {folder}/asked; exit 1' if name == "sbatch" else "echo none"
        (folder / name).write_text(f"#!/bin/sh\n{told}\n")
        (folder / name).chmod(0o755)
    return folder


def test_what_a_training_asks_slurm_for(project: Path, slurm: Path) -> None:
    """One task, which starts the processes, with four cores for each."""
    options = ["--profile", "profiles/slurm", "--slurm-status-command", "squeue", "--retries", "0"]
    options += ["--slurm-init-seconds-before-status-checks", "1"]
    options += ["--default-resources", "gpu_type=a100", "slurm_account=none"]
    run = snakemake(
        project, *options, "--", f"{RUNS}/base/en-de/training.json", cores="2", path=f"{slurm}:{PATH}"
    )
    assert (slurm / "asked").exists(), run.stdout + run.stderr
    asked = (slurm / "asked").read_text().splitlines()[0].partition("--wrap")[0].split()
    memory = training_mb(load_settings({"scale": "paper", "seed": 1}, project), "base", "en-de", on_gpu=True)
    assert {"--nodes=1", "--gres=gpu:a100:8", "--cpus-per-task=32"} <= set(asked)
    assert asked[asked.index("-p") + 1] == "gpu"
    assert asked[asked.index("--mem") + 1] == str(memory)
    tasks = [option for option in asked if option.startswith(("--ntasks", "--gpus"))]
    assert tasks == []


def test_jobs_of_a_cluster_may_have_more_threads_than_the_login_node(project: Path) -> None:
    """Without `_cores` in common.smk, Snakemake 9.27 gives them two."""
    tokens = "data/paper/tokenized/en-de/train.json"
    options = ["--profile", "profiles/slurm", "--dry-run", "--forcerun", "encode"]
    run = snakemake(project, *options, "--", tokens, cores="2")
    assert "threads: 8" in run.stdout, run.stdout + run.stderr
