"""The key `track`, with a module in place of DVCLive, which is optional."""

import json
import os
from pathlib import Path

from micro_project import EVERYTHING, ROOT, copy_project, snakemake

TRAINED = "results/micro/runs/base/en-de"
# It notes what the project tells DVCLive.
DVCLIVE = """
from pathlib import Path


class Live:
    def __init__(self, folder, save_dvc_exp, dvcyaml):
        Path(folder).mkdir(parents=True)
        self.file = open(f"{folder}/points", "w")

    def log_metric(self, name, value):
        print(self.step, name, value, file=self.file)

    def make_summary(self):
        self.file.flush()
"""
# Whether or not it is installed.
WITHOUT_TENSORBOARD = """
import importlib.util

find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *package: None if name == "tensorboard" else find(name, *package)
"""


def test_trainings_draw_curves_and_none_is_repeated_without_them(tmp_path: Path) -> None:
    project = copy_project(tmp_path / "mein Projekt")
    scale = project / "config" / "my micro.yaml"
    scale.write_text("inherits: micro\nsettings: {steps: 30, validate_every_steps: 10}\n")
    (project / "src" / "dvclive.py").write_text(DVCLIVE)
    trained = TRAINED.replace("micro", "my micro")
    target = f"{trained}/training.json"
    run = snakemake(project, scale="my micro", config=["track=dvclive"], command=[*EVERYTHING, target])
    assert run.returncode == 0, run.stdout + run.stderr
    folder = project / "logs" / "my micro" / "tracking"
    drawn = (folder / "dvclive" / "base.en-de" / "points").read_text().splitlines()
    metrics = [json.loads(line) for line in (project / trained / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in metrics] == [10, 20, 30]
    expected = [
        f"{line['step']} {name} {value}" for line in metrics for name, value in line.items() if name != "step"
    ]
    assert drawn == expected
    again = snakemake(project, "--dry-run", scale="my micro", command=[*EVERYTHING, target])
    assert "Nothing to be done" in again.stdout + again.stderr


def test_a_missing_package_is_one_line_before_anything_runs(tmp_path: Path) -> None:
    project = copy_project(tmp_path / "project")
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "sitecustomize.py").write_text(WITHOUT_TENSORBOARD)
    paths = os.pathsep.join([str(tmp_path / "packages"), os.environ.get("PYTHONPATH", "")])
    command = [*EVERYTHING, f"{TRAINED}/training.json"]
    run = snakemake(project, config=["track=tensorboard"], command=command, PYTHONPATH=paths)
    assert run.returncode == 1
    lock = "requirements-extras.lock"
    assert run.stderr.splitlines()[-1] == (
        f"error: the package tensorboard is not installed; install it with: pip install -r {lock}"
    )
    assert (ROOT / lock).exists()
    assert not (project / "data").exists()
