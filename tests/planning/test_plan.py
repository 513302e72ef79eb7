"""The plan, compared with models and with what training counts."""

import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tiny
import torch
from configuration import load
from settings_cases import CASES

from transformer.dataset.batching import epoch_batches, split_into_micro_batches
from transformer.model.flops import training_flops
from transformer.model.transformer import Transformer, parameter_count
from transformer.planning.make_plan import plan
from transformer.planning.plan import parameters, step_flops
from transformer.settings.config_files import Expected
from transformer.settings.run_settings import TransformerConfig

ROOT = Path(__file__).parents[2]
WIDTHS = {"N": 3, "d_model": 128, "d_ff": 512, "h": 8, "d_k": 16, "d_v": 24}
MODEL = TransformerConfig(vocab_size=2000, **tiny.model_config(**WIDTHS, max_length=1024))


@pytest.mark.parametrize("changes", [*CASES, {"vocabulary_rows": 2214}], ids=str)
def test_parameters_agree_with_the_model(changes: dict[str, object]) -> None:
    config = MODEL.model_copy(update=changes)
    with torch.device("meta"):
        assert parameters(config) == parameter_count(Transformer(config))


def test_step_operations_agree_with_what_training_counts() -> None:
    """They agree within 8% on realistic lengths, with padding and with batches that are full on one side only."""
    rng = np.random.default_rng(0)
    source = np.clip(rng.gamma(3, 5, 20_000), 2, 200).astype(np.int32)
    target = np.clip(source * rng.normal(1.05, 0.15, len(source)), 2, 200).astype(np.int32)
    batches = epoch_batches(source, target, batch_tokens=5000, max_length=256, seed=1, epoch=0)
    counted = sum(
        training_flops(
            MODEL, len(micro_batch), int(source[micro_batch].max()), int(target[micro_batch].max())
        )
        for batch in batches
        for micro_batch in split_into_micro_batches(batch, source, target, 4)
    )
    corpus = Expected(
        pairs=len(source), source_tokens=float(source.mean()), target_tokens=float(target.mean())
    )
    assert step_flops(corpus, MODEL, 5000) * len(batches) == pytest.approx(counted, rel=0.08)


def make_plan(output: Path, **config: Any) -> subprocess.CompletedProcess[str]:
    given = json.dumps({"scale": "demo", "seed": 1} | config)
    return tiny.run_captured("make_plan", "--config", given, "--output", output)


@pytest.fixture
def in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.usefixtures("in_the_project")
@pytest.mark.parametrize("scale", ["demo", "small", "small-table3", "paper"])
def test_every_scale_has_a_plan(scale: str, tmp_path: Path) -> None:
    device = "A100" if scale == "paper" else None
    run = make_plan(tmp_path / "plan.md", scale=scale, plan_device=device)
    assert run.returncode == 0, run.stderr
    text = (tmp_path / "plan.md").read_text()
    assert text.startswith(f"# What the scale `{scale}` asks for")
    for row in ("base, en-de", "A-h1, en-de", "parser, en-trees", "**all**, one after the other"):
        assert f"| {row} " in text


def test_a_plan_is_made_without_loading_torch(tmp_path: Path) -> None:
    script = ["-X", "importtime", "src/transformer/planning/make_plan.py", "--config"]
    given = '{"scale": "demo", "seed": 1}'
    command = [sys.executable, *script, given, "--output", str(tmp_path / "plan.md")]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr[-500:]
    assert not any(line.endswith(" torch") for line in run.stderr.splitlines())


@pytest.mark.parametrize(
    ("scale", "own", "devices"), [("paper", "A100", "3 × A100,"), ("demo", None, "1 × cpu-core,")]
)
def test_the_devices_of_a_plan(scale: str, own: str | None, devices: str) -> None:
    text = plan(dataclasses.replace(load(scale=scale, plan_device=own), gpus=3))
    assert f"Training on {devices} " in text


def test_all_devices_share_the_work() -> None:
    paper = load(scale="paper", plan_device="A100")
    texts = (plan(dataclasses.replace(paper, table2_runs=["base"], gpus=gpus)) for gpus in (1, 8))
    one, eight = (
        pd.Timedelta(re.findall(r"all.*?, one after the other *\| (.*?) *\|", text)[0]) for text in texts
    )
    assert one / eight == pytest.approx(8, rel=0.01)


@pytest.mark.usefixtures("in_the_project")
def test_no_gpu_is_invented(tmp_path: Path) -> None:
    error = make_plan(tmp_path / "plan.md", scale="paper").stderr
    assert "config/paper.yaml trains on GPUs: give --config plan_device=NAME, one of cpu-core" in error
    assert not (tmp_path / "plan.md").exists()
