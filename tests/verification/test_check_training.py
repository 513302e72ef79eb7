"""What a training read, counted and left is checked, and so are the sums behind its perplexities."""

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import tiny
from made_artifacts import change

from transformer.common.artifacts import read_sums, write_sums
from transformer.common.files import sha256_of
from transformer.training import average_checkpoints, score_perplexity, train
from transformer.verification.check_training import check_training

RUN = Path("results/tiny/runs/base/en-de")
DATA = Path("data/tiny")


@pytest.fixture(scope="module")
def finished(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was trained and measured, and its data."""
    root = tmp_path_factory.mktemp("checked")
    run, tokenized, subwords = root / RUN, root / DATA / "tokenized/en-de", root / DATA / "subwords/en-de"
    shutil.copytree(tiny_run / "data", tokenized)
    shutil.copytree(tiny_run / "clean", root / DATA / "clean/en-de")
    subwords.mkdir(parents=True)
    run.mkdir(parents=True)
    shutil.copy(tiny_run / "subwords.model", subwords)
    shutil.copy(tiny_run / "config.json", run)
    options = ["--subwords", subwords / "subwords.model", "--output", run]
    assert tiny.run(train.main, "--config", run / "config.json", "--data", tokenized, *options) == 0
    averaged = ["--training", run / "training.json", "--last", 2, "--output", run / "averaged"]
    assert not tiny.run(average_checkpoints.main, *averaged)
    measured = ["--model", run / "averaged", "--data", tokenized, "--split", "dev"]
    assert not tiny.run(score_perplexity.main, *measured, "--output", run / "perplexity.json")
    return root


@pytest.fixture
def project(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = shutil.copytree(finished, tmp_path / "project")
    monkeypatch.chdir(project)
    return project


def test_an_untouched_run_stands(project: Path) -> None:
    assert [*check_training(RUN, DATA)] == []
    shutil.rmtree(RUN / "checkpoints")  # as after `dvc pull`
    assert [*check_training(RUN, DATA)] == []


def flip(path: Path) -> None:
    """Change the last bit of a file."""
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(bytes(content))


def more(name: str) -> Callable[[Path], None]:
    """Raise a count of a training by one."""
    return lambda path: change(path, **{name: json.loads(path.read_text())[name] + 1})


def higher_sum(path: Path) -> None:
    """Raise the sum of a perplexity by what a reader of three digits would not see."""
    dev = json.loads(path.read_text())["dev"]
    change(path, dev=dev | {"nll": dev["nll"] + 1e-3})


def more_tokens(path: Path) -> None:
    """Raise the number of tokens of a perplexity, with the perplexity that follows."""
    dev = json.loads(path.read_text())["dev"]
    tokens = dev["tokens"] + 1
    change(path, dev=dev | {"tokens": tokens, "perplexity": math.exp(dev["nll"] / tokens)})


def other_token(path: Path) -> None:
    """Change a token, and correct the sum of its file."""
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(bytes(content))
    sums = path.parent / "dev.sha256"
    write_sums(sums, read_sums(sums) | {path.name: sha256_of(path)})


def other_sentences(path: Path) -> None:
    """Raise the likelihood of a sentence, and correct the sha256 of its file."""
    lines = path.read_text().splitlines()
    *known, nll = lines[3].split(",")
    lines[3] = ",".join([*known, f"{float(nll) + 0.5:.6f}"])
    path.write_text("\n".join(lines) + "\n")
    scores = path.with_suffix(".json")
    change(scores, per_sentence={"name": path.name, "sha256": sha256_of(path)})


@pytest.mark.parametrize(
    ("path", "edit", "said"),
    [
        (RUN / "training.json", more("source_tokens"), "source_tokens is "),
        (RUN / "training.json", more("target_tokens"), "target_tokens is "),
        (RUN / "training.json", more("training_flops"), "training_flops is "),
        (RUN / "training.json", more("parameters"), "parameters is "),
        (RUN / "training.json", more("epochs"), "epochs is "),
        (RUN / "config.json", lambda path: change(path, seed=2), "config.json: not the file that"),
        (RUN / "metrics.jsonl", flip, "metrics.jsonl: not the file that"),
        (RUN / "averaged/model.safetensors", flip, "model.safetensors: not the file that"),
        (RUN / "perplexity.csv", flip, "perplexity.csv: not the file that"),
        (RUN / "perplexity.json", higher_sum, "perplexity is "),
        (RUN / "perplexity.json", more_tokens, "tokens is "),
        (RUN / "perplexity.csv", other_sentences, "nll is "),
        (DATA / "tokenized/en-de/train.source.tokens", flip, "train.source.tokens: not the file that"),
        (DATA / "tokenized/en-de/dev.target.tokens", flip, "dev.target.tokens"),
        (DATA / "tokenized/en-de/dev.source.tokens", other_token, "dev.json: not the tokens of "),
        (DATA / "tokenized/en-de/dev.target.tokens", other_token, "dev.json: not the tokens of "),
        (DATA / "subwords/en-de/subwords.model", flip, "subwords.model"),
    ],
)
def test_an_edit_is_found(project: Path, path: Path, edit: Callable[[Path], None], said: str) -> None:
    edit(path)
    assert any(said in reason for reason in check_training(RUN, DATA))


def test_a_checkpoint_that_was_replaced_is_found(project: Path) -> None:
    path = min(RUN.glob("checkpoints/*/step-*/model.safetensors"))
    flip(path)
    (reason,) = check_training(RUN, DATA)
    assert reason.startswith(f"{path}: not the file that was written: {RUN}/training.json has another sha256")
