"""The checks of a run: its counts, its averaged weights, and the record of the search against its file."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import tiny
from made_artifacts import DECODING, change

from transformer.common.artifacts import read_artifact, write_artifact
from transformer.common.files import sha256_of
from transformer.model.storage import save_model
from transformer.tables.runs import Run
from transformer.verification.check_run import check_counts, check_scores, check_weights


def differences(folder: Path, data: Path) -> list[str]:
    content = {"config": {"pair": "en-de"}, "scores": read_artifact(folder / "scores.json", "scores")}
    run = Run(folder, {"scores": "scores.json"}, content, {})
    return [check.differs for check in check_scores(run, data) if check.differs]


def test_another_search_than_the_recorded_one_is_found(tmp_path: Path) -> None:
    folder, data = tmp_path / "run", tmp_path / "data"
    reference, report = data / "clean" / "en-de" / "test.de", folder / "test.decoding.json"
    for path in (reference, folder / "test.de"):
        path.parent.mkdir(parents=True)
        path.write_text("Ein „Hund“ läuft .\n")
    write_artifact(report, DECODING)
    source, config, weights = data / "clean/en-de/test.en", folder / "config.json", folder / "averaged/model"
    for path in (source, config, weights):
        path.parent.mkdir(exist_ok=True)
        path.write_text("any")
    done = tiny.run_captured(
        "score_bleu", "--hypothesis", folder / "test.de", "--reference", reference, "--language", "de",
        "--decoding", report, "--output", folder / "scores.json", "--per-sentence", folder / "scores.csv",
        "--source", source, "--checkpoint", weights, "--config", config,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert differences(folder, data) == []
    older = read_artifact(folder / "scores.json", "scores")["measures"]
    del older["multi_bleu_2017"]
    change(folder / "scores.json", measures=older)
    assert differences(folder, data) == []  # a file from before this measure
    change(report, search={**DECODING["search"], "beam_size": 9})
    (reason,) = differences(folder, data)
    assert reason.startswith(f"{report}: its sha256 is")
    files = read_artifact(folder / "scores.json", "scores")["files"]
    files["decoding"]["sha256"] = sha256_of(report)
    change(folder / "scores.json", files=files)
    (reason,) = differences(folder, data)
    assert reason.startswith(f"{folder}/scores.json: decoding.search.beam_size is ")


def test_counting_a_run_without_buckets(tmp_path: Path) -> None:
    """Its config.json leaves out ``buckets_per_doubling``, which is at its default."""
    tiny.write_store(tmp_path / "tokenized/en-de/train")
    names = ("source_tokens", "target_tokens", "training_flops", "epochs")
    training = {"model": {"vocab_size": 20, **tiny.model_config()}, "steps": 2, **dict.fromkeys(names, 0)}
    content = {"training": training, "config": {"training": tiny.training_config()}}
    run: Any = SimpleNamespace(content=content, pair="en-de", path=Path)
    assert [check.what for check in check_counts(run, tmp_path)] == list(names)


def test_a_mean_that_is_newer_than_its_training(tmp_path: Path) -> None:
    """The training's description lacks a field that models got later; another shape is still found."""
    model = tiny.model()
    save_model(tmp_path / "averaged", model, "0" * 64, "fp32", steps=[])
    older = {key: value for key, value in model.config.to_dict().items() if key != "tied_softmax"}
    for changes, differs in (({}, False), ({"h": 5}, True)):
        content = {"training": {"model": older | changes, "checkpoints": []}}
        run = Run(tmp_path, {"scores": "scores.json", "training": "training.json"}, content, {})
        assert bool(next(check_weights(run, tmp_path)).differs) == differs
