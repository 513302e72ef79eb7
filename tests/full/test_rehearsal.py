"""The whole campaign in small, as on a machine that lacks some of the project's packages, killed and continued."""

import dataclasses
import json
import os
import subprocess
import sys
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import small_trainings
import training_speeds
from campaign import STAGES
from campaign_record import Record
from packing import read_packed_runs, tiny_pack, unpack
from small_trainings import Trainings
from workload import FULL

from transformer.tables.runs import LAST, read_runs

ROOT = Path(__file__).parents[2]
CAMPAIGN = [sys.executable, str(ROOT / "benchmarks" / "gpu" / "campaign.py")]
# Python imports this file when it starts.  sacremoses may come from the campaign's archive only.
WITHOUT_PACKAGES = """
import sys
from importlib.machinery import PathFinder

class Absent:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in ("dvc", "jsonschema", "nltk", "requests", "snakemake"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        spec = PathFinder.find_spec(name, path) if name == "sacremoses" else None
        if spec is not None and "prepared data" not in spec.origin:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent)
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "absent").mkdir()
    (tmp_path / "absent" / "sitecustomize.py").write_text(WITHOUT_PACKAGES)
    return os.environ | {"PYTHONPATH": f"{tmp_path / 'absent'}:{ROOT / 'src'}", "OMP_NUM_THREADS": "1"}


def results(output: Path, stage: str) -> dict[str, dict[str, Any]]:
    path = output / "campaign.json"
    return Record(path).results(stage) if path.exists() else {}


def test_training_and_decoding_do_not_load_what_the_machine_lacks(environment: dict[str, str]) -> None:
    paths = os.pathsep.join([environment["PYTHONPATH"], str(ROOT / "benchmarks" / "gpu")])
    names = [
        "training.train",
        "training.average_checkpoints",
        "decoding.translate",
        "training.score_perplexity",
    ]
    code = f"import {', '.join(f'transformer.{name}' for name in names)}, campaign"
    subprocess.run([sys.executable, "-c", code], env=environment | {"PYTHONPATH": paths}, check=True)
    blocked = subprocess.run(
        [sys.executable, "-c", "import nltk"], env=environment, capture_output=True, text=True
    )
    assert "No module named 'nltk'" in blocked.stderr


def test_a_killed_rehearsal_continues_to_its_end(tmp_path: Path, environment: dict[str, str]) -> None:
    output, deadline = tmp_path / "out", time.monotonic() + 120
    command = [*CAMPAIGN, "--rehearse", "--output", str(output)]
    first = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    while len(before := results(output, "device tests")) < 3:
        assert time.monotonic() < deadline
        assert first.poll() is None
        time.sleep(0.1)
    first.kill()
    first.wait()

    second = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert second.returncode == 0, second.stdout + second.stderr
    record = Record(output / "campaign.json")
    assert record.content["calls"] == 2
    assert before.items() <= record.results("device tests").items()
    for stage in STAGES:
        items = record.stage(stage)["items"]
        assert items, (output / "logs" / f"{stage.replace(' ', '-')}.log").read_text()
        assert {name: item for name, item in items.items() if "result" not in item} == {}
    assert [name for name, test in record.results("device tests").items() if not test["passed"]] == []
    check_files(output)


def check_files(output: Path) -> None:
    """The report has a part for each stage; what comes home is light, and the tables can read it."""
    report = (output / "results.md").read_text()
    for text in (
        "| fp32 equals the CPU | passed |",
        "### big",
        "Eight GPUs",
        "translate.py",
        "| base en-de | 8 |",
    ):
        assert text in report
    assert "Not measured" not in report
    with tarfile.open(output / "results.tar.gz") as archive:
        archive.extractall(output / "home", filter="data")
    assert not list((output / "home").rglob("*.safetensors"))
    read_runs([output / "home" / "runs" / "base" / "en-de"])
    read_runs([output / "home" / "runs" / "C-N2" / "en-de"], LAST)


def test_trainings_stop_when_the_time_is_up_and_continue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small_trainings, "PATIENCE", 0.05)
    tiny_pack(tmp_path / "tiny.tar.gz", tmp_path / "made")
    unpack(tmp_path / "tiny.tar.gz", tmp_path / "pack")
    run = read_packed_runs(tmp_path / "pack")[0]
    work = tmp_path / "runs" / "base" / "en-de"

    def trainings(steps: int) -> Trainings:
        config = run.config | {"training": run.config["training"] | {"steps": steps}}
        runs = [dataclasses.replace(run, config=config)]
        record = Record(tmp_path / "campaign.json")
        return Trainings(runs, tmp_path / "pack", tmp_path, record, time.time() + 1000)

    first = trainings(10**6)
    with ThreadPoolExecutor(1) as thread:
        ended = thread.submit(first.work, jobs=2)
        while not list(work.glob("checkpoints/*/step-*")):
            assert not ended.done()
            time.sleep(0.05)
        first.until = time.time()
    ended.result()
    endless = Record(tmp_path / "campaign.json")
    assert not endless.is_closed("trainings", "base en-de")
    assert endless.stage("trainings")["items"]["base en-de"] == {"attempts": 0}
    assert not (work / "training.json").exists()
    step = max(
        json.loads(path.read_text())["step"] for path in work.glob("checkpoints/*/*/training_state.json")
    )

    second = trainings(step + 4)
    second.work(jobs=2)
    assert second.record.results("trainings")["base en-de"]["steps"] == step + 4
    assert (work / "log").read_text().count("run again to continue") == 1


def test_a_call_without_time_still_reports(tmp_path: Path, environment: dict[str, str]) -> None:
    command = [*CAMPAIGN, "--rehearse", "--output", str(tmp_path / "out"), "--minutes", "0"]
    call = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert call.returncode == 0, call.stderr
    assert call.stdout.count("no time left in this call") == len(STAGES)
    assert "# Measured on" in (tmp_path / "out" / "results.md").read_text()


def test_a_machine_without_a_gpu(tmp_path: Path, environment: dict[str, str]) -> None:
    command = [*CAMPAIGN, "--output", str(tmp_path / "out")]
    hidden = environment | {"CUDA_VISIBLE_DEVICES": ""}
    call = subprocess.run(command, env=hidden, capture_output=True, text=True)
    assert (call.returncode, call.stderr) == (
        1,
        "error: torch finds no GPU; use --rehearse to try everything in small on the CPU\n",
    )
    assert not (tmp_path / "out").exists()


def test_the_communication_of_eight_gpus() -> None:
    """Base sends 2 · 7/8 of 65 million fp32 gradients, at 300 GB/s."""
    whole, eighth = {"ms_a_step": 80.0}, {"ms_a_step": 16.0, "parameters": 65_000_000}
    found = training_speeds.communication(whole, eighth)
    milliseconds = 2 * 7 / 8 * 4 * 65e6 / 300e9 * 1000
    assert found["milliseconds"] == pytest.approx(milliseconds)
    assert found["counted_without_overlap"] == pytest.approx(16 / (16 + milliseconds))
    assert found["counted_with_overlap"] == 1
    assert found["from_whole_with_overlap"] == pytest.approx(10 / 16)


def test_each_way_changes_what_its_name_says() -> None:
    ways = training_speeds.ways(FULL.batch_tokens)
    usual = dataclasses.asdict(ways.pop("usual"))
    changed = {
        name: {key for key, value in dataclasses.asdict(way).items() if value != usual[key]}
        for name, way in ways.items()
    }
    assert changed["plain attention"] == {"fused"}
    assert changed["max_tokens an eighth"] == {"max_tokens"}
    assert changed["all of these off"] == set(usual) - {"batch_tokens", "tf32"}
    assert all(changed.values())
    assert ways["an eighth of the batch"].batch_tokens == 3125
