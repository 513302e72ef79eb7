"""What a finished training leaves for later steps."""

import json
from pathlib import Path

import tiny

from transformer.common.json_artifacts import read_artifact
from transformer.dataset.tokenized import TokenizedDataset
from transformer.training.publishing import publish


def test_what_a_training_leaves(tmp_path: Path, store: TokenizedDataset) -> None:
    """Files of their kinds, with the counts of the training and the time that it took."""
    run = tiny.trainer(tmp_path / "checkpoints" / "a", store)
    run.train()
    run.state.seconds = 4.06
    publish(tmp_path, run, run="base", pair="en-de", scale="tiny", seed=1, config_sha256="a" * 64, data={})
    timing = read_artifact(tmp_path / "timing.json", "timing")
    tokens = run.state.source_tokens + run.state.target_tokens
    assert (timing["wall_seconds"], timing["tokens_per_second"]) == (4.1, round(tokens / 4.06))
    training = read_artifact(tmp_path / "training.json", "training")
    assert (training["format"], training["steps"]) == (1, 6)
    assert training["source_tokens"] + training["target_tokens"] == tokens
    assert [checkpoint["step"] for checkpoint in training["checkpoints"]] == [4, 6]
    assert all((tmp_path / checkpoint["path"]).is_file() for checkpoint in training["checkpoints"])
    lines = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in lines] == [3, 6]
