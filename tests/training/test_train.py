"""``src/transformer/training/train.py``: its results, signals, and inputs that do not fit together."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import pytest
import tiny
import torch
from made_artifacts import change
from pydantic import create_model

from transformer.common.artifacts import read_artifact, write_artifact
from transformer.common.files import sha256_of
from transformer.dataset.tokenized import TokenizedDataset, files_of
from transformer.model import storage
from transformer.settings.run_settings import setting
from transformer.training import average_checkpoints, train
from transformer.training.checkpoints import fingerprint


def arguments(tiny_run: Path, output: Path, **changes: Any) -> list[str]:
    """The command line, with a config of ``changes``; without any, the config of ``tiny_run``."""
    config = tiny_run / "config.json"
    if changes:
        config = output / "config.json"
        config.parent.mkdir(exist_ok=True)
        write_artifact(config, tiny.run_config(**changes))
    named = {"config": config, "data": tiny_run / "data", "subwords": tiny_run / "subwords.model"}
    return [part for name, value in named.items() for part in (f"--{name}", str(value))] + [
        "--output",
        str(output),
    ]


def said(tiny_run: Path, output: Path, **training: Any) -> str:
    """What a training says to standard error."""
    done = tiny.run_captured("train", *arguments(tiny_run, output, training=training))
    assert done.returncode == 0, done.stderr
    return done.stderr


def trained(output: Path) -> dict[str, Any]:
    """The content of training.json, which has the hash of every checkpoint."""
    result: dict[str, Any] = json.loads((output / "training.json").read_text())
    return result


@pytest.fixture(scope="module")
def undisturbed(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("undisturbed")
    assert tiny.run(train.main, *arguments(tiny_run, output)) == 0
    return output


def test_what_is_published(tiny_run: Path, undisturbed: Path) -> None:
    training = trained(undisturbed)
    assert [checkpoint["step"] for checkpoint in training["checkpoints"]] == [4, 6]
    for checkpoint in training["checkpoints"]:
        assert sha256_of(undisturbed / checkpoint["path"]) == checkpoint["sha256"]
    assert training["steps"] == 6
    assert training["config_sha256"] == sha256_of(tiny_run / "config.json")
    assert set(training["data"]) == {path.name for path in files_of(tiny_run / "data" / "train")}
    lines = tiny.metrics(undisturbed)
    assert [line["step"] for line in lines] == [3, 6]
    assert all(line["dev_perplexity"] > 1 and line["dev_bleu"] >= 0 for line in lines)
    assert lines[-1]["tokens"] == training["source_tokens"] + training["target_tokens"]
    timing = json.loads((undisturbed / "timing.json").read_text())
    speed = lines[-1]["tokens"] / timing["wall_seconds"]
    assert timing["tokens_per_second"] == pytest.approx(speed, rel=0.05 / timing["wall_seconds"] + 0.01)


def test_two_trainings_by_hand_in_one_folder(tiny_run: Path, undisturbed: Path, tmp_path: Path) -> None:
    """The second waits, and finds what the first has done."""
    command = [sys.executable, train.__file__, *arguments(tiny_run, tmp_path)]
    pipe = subprocess.PIPE
    both = [subprocess.Popen(command, stderr=pipe, text=True) for _ in range(2)]
    said = [process.communicate(timeout=300)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert trained(tmp_path) == trained(undisturbed)
    assert sorted("this training is complete" in text for text in said) == [False, True]


@pytest.mark.parametrize(
    ("model", "training"),
    [
        ({"encoder_layer": "recurrent"}, {}),
        ({"positions": "halves", "target_space": True, "vocabulary_rows": 320}, {"buckets_per_doubling": 2}),
    ],
    ids=["a recurrent encoder", "as by the 2017 code"],
)
def test_another_model_is_trained(
    tiny_run: Path, tmp_path: Path, model: dict[str, Any], training: dict[str, Any]
) -> None:
    """Its config alone selects it, in training as in the decoding of validation."""
    line = arguments(tiny_run, tmp_path, model=model, training=training | {"steps": 12})
    assert tiny.run(train.main, *line) == 0
    assert trained(tmp_path)["model"].items() >= model.items()
    losses = [line["loss"] for line in tiny.metrics(tmp_path)]
    assert losses[-1] < losses[0] - 0.5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"training": {"learning_rate_scale": 1e30}}, "training diverged"),
        ({"training": {"max_length": 121}}, "max_length is 121; it must not be more than batch_tokens (120)"),
        ({"training": {"momentum": 1}}, "unknown key 'momentum'"),
        ({"model": {"dropout": -1}}, "dropout is -1"),
    ],
)
def test_settings_that_cannot_be(
    tiny_run: Path, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    assert message in tiny.error("train", *arguments(tiny_run, tmp_path, **changes))
    assert not (tmp_path / "training.json").exists()


def test_data_of_another_vocabulary(tiny_run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny_run, copy)
    tiny.write_store(copy / "data" / "dev")
    assert "was made with another vocabulary" in tiny.error("train", *arguments(copy, tmp_path / "output"))


@pytest.mark.parametrize(
    ("error", "memory"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"), "the GPU's memory"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"), "memory"),
        (MemoryError(), "memory"),
    ],
)
def test_memory_runs_out(
    tiny_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, memory: str
) -> None:
    """The number is the one in use, whether the command line has one or not."""

    def full(*_: object) -> None:
        raise error

    monkeypatch.setattr(train.Trainer, "train_step", full)
    for options, tokens in (((), 120), (("--max-tokens", 50), 40)):
        message = tiny.error("train", *arguments(tiny_run, tmp_path), *options)
        assert message.startswith(
            f"error: {memory} ran out at step 1, with {tokens} tokens a side at once; set max_"
        )


def test_portable_numerics_use_no_gpu(
    tiny_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    changes = {"training": {"numerics": "portable", "steps": 1}}
    assert tiny.run(train.main, *arguments(tiny_run, tmp_path, **changes)) == 0
    assert json.loads((tmp_path / "timing.json").read_text())["precision"] == "portable"


def test_other_settings_start_anew_and_say_so(tiny_run: Path, tmp_path: Path) -> None:
    said(tiny_run, tmp_path, steps=1)
    assert (
        "has checkpoints up to step 1 of a training with other settings or data (settings.json beside them); "
        "they are not resumed, and this training starts at step 0"
    ) in said(tiny_run, tmp_path, steps=1, seed=2)
    assert len(list((tmp_path / "checkpoints").iterdir())) == 2
    assert trained(tmp_path)["steps"] == 1


def test_other_data_make_another_training(tiny_run: Path, tmp_path: Path) -> None:
    """A corpus that was replaced is not trained on from the checkpoints of the one before."""
    files = shutil.copytree(tiny_run, tmp_path / "files")
    said(files, tmp_path, steps=1)
    assert "starts at step 0" not in said(files, tmp_path, steps=2)
    store = TokenizedDataset.open(files / "data/train")
    pairs = [(store.source[n][:-1].tolist(), store.target[n][:-1].tolist()) for n in range(1, len(store))]
    tiny.dataset(files / "data/train", pairs, store.header["vocab_size"], store.vocabulary_sha256)
    assert "training with other settings or data" in said(files, tmp_path, steps=2)
    assert len(list((tmp_path / "checkpoints").iterdir())) == 2


@pytest.mark.parametrize(
    "training",
    [{"keep_checkpoints": 3}, {"checkpoint_every_steps": 3}, {"checkpoint_every_steps": 1}],
    ids=lambda training: " ".join(training),
)
def test_other_checkpoints_are_kept_from_the_next_step_on(
    tiny_run: Path, tmp_path: Path, training: dict[str, int]
) -> None:
    """A training goes on where it was, and ends with the checkpoints that it would have had with the new settings."""
    kept = {}
    for name, began in (("changed", {"steps": 4}), ("fresh", training)):
        for changes in (began, training):
            assert "starts at step 0" not in said(tiny_run, tmp_path / name, **{"steps": 9} | changes)
        published = trained(tmp_path / name)["checkpoints"]
        kept[name] = [(checkpoint["step"], checkpoint["sha256"]) for checkpoint in published]
    assert kept["changed"] == kept["fresh"]


def test_checkpoints_that_are_gone(tiny_run: Path, undisturbed: Path, tmp_path: Path) -> None:
    """The mean of the checkpoints would be of other steps than the settings ask for."""
    shutil.copytree(undisturbed, tmp_path, dirs_exist_ok=True)
    for changes, step in (({"keep_checkpoints": 3}, 2), ({"checkpoint_every_steps": 1}, 5)):
        message = tiny.error("train", *arguments(tiny_run, tmp_path, training=changes))
        assert f"has no checkpoint of step {step}, which these" in message
    assert tiny.run(train.main, *arguments(tiny_run, tmp_path)) == 0
    assert trained(tmp_path)["checkpoints"] == trained(undisturbed)["checkpoints"]


def test_the_names_of_published_trainings(tiny_run: Path, undisturbed: Path, tmp_path: Path) -> None:
    """They are in training.json, and so in the sums of what is published."""
    (folder,) = (undisturbed / "checkpoints").iterdir()
    settings = json.loads((folder / "settings.json").read_text())
    schedule = {"checkpoint_every_steps": 2, "keep_checkpoints": 2}
    assert fingerprint(settings | {"training": settings["training"] | schedule}) == folder.name


def test_a_new_setting_at_its_default_changes_nothing(
    tiny_run: Path, undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the folder of a training, nor a byte of what it leaves; elsewhere it is in all of these."""
    newer: Any = (Literal["as before", "another"], setting("as before", "a new setting", later=True))
    for owner, name in (
        (train, "TransformerConfig"),
        (train, "TrainingConfig"),
        (storage, "TransformerConfig"),
    ):
        monkeypatch.setattr(owner, name, create_model(name, __base__=getattr(owner, name), newer=newer))
    assert tiny.run(train.main, *arguments(tiny_run, tmp_path)) == 0
    for folder in (tmp_path, undisturbed):
        line = ("--training", folder / "training.json", "--last", 2, "--output", folder / "averaged")
        assert tiny.run(average_checkpoints.main, *line) == 0
    for name in ("training.json", "averaged/model.json"):
        assert (tmp_path / name).read_bytes() == (undisturbed / name).read_bytes()
    model, training = {"newer": "another"}, {"newer": "another", "steps": 2, "keep_checkpoints": 1}
    assert tiny.run(train.main, *arguments(tiny_run, tmp_path, model=model, training=training)) == 0
    assert trained(tmp_path)["model"].items() >= model.items()
    assert len(list((tmp_path / "checkpoints").iterdir())) == 2


def test_a_training_that_goes_on_otherwise_says_so(tiny_run: Path, tmp_path: Path) -> None:
    """As on another machine, where `numerics: fast` has another precision, or after an edit of the loss."""
    for steps in (2, 4):
        assert "this training began" not in said(tiny_run, tmp_path, steps=steps)
    path = max(tmp_path.glob("checkpoints/*/*/training_state.json"))
    began = read_artifact(path, "checkpoint")["began"]
    code = began["code"] | {"training/loss.py": "0" * 8, "training/schedule.py": "0" * 8}
    change(path, began={**began, "precision": "bf16", "code": code, "device_name": "another"})
    notes = said(tiny_run, tmp_path, steps=6)
    assert "this training began in bf16, and goes on from step 4 in fp32" in notes
    assert "by other code than goes on with it from step 4: training/loss.py, training/schedule.py " in notes
    timing = read_artifact(tmp_path / "timing.json", "timing")
    assert (timing["device_name"], timing["precision"]) == ("another", "bf16")


def test_a_checkpoint_of_an_earlier_version_goes_on(tiny_run: Path, tmp_path: Path) -> None:
    """It had a list of what computed each part of the training."""
    said(tiny_run, tmp_path, steps=2)
    path = max(tmp_path.glob("checkpoints/*/*/training_state.json"))
    state = json.loads(path.read_text())
    state["stretches"] = [state.pop("began") | {"device_name": "the first"}, {"device_name": "the second"}]
    del state["content_sha256"]
    write_artifact(path, state)
    assert "starts at step 0" not in said(tiny_run, tmp_path, steps=4)
    assert read_artifact(tmp_path / "timing.json", "timing")["device_name"] == "the first"
