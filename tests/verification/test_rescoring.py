"""Scores computed again, and the record of the search against its file."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import tiny
from made_artifacts import DECODING, change

from transformer.common.files import sha256_of
from transformer.common.json_artifacts import read_artifact, write_artifact
from transformer.verification.rescoring import check_scores


def differences(folder: Path, data: Path) -> list[str]:
    run: Any = SimpleNamespace(
        folder=folder, pair="en-de", files={"scores": "scores.json"}, path=lambda name: folder / f"{name}.json",
        content={"scores": read_artifact(folder / "scores.json", "scores")},
    )  # fmt: skip
    return [check.differs for check in check_scores(run, data) if check.differs]


def test_another_search_than_the_recorded_one_is_found(tmp_path: Path) -> None:
    folder, data = tmp_path / "run", tmp_path / "data"
    reference, report = data / "clean" / "en-de" / "test.de", folder / "test.decoding.json"
    for path in (reference, folder / "test.de"):
        path.parent.mkdir(parents=True)
        path.write_text("Ein Hund läuft .\n")
    write_artifact(report, DECODING)
    done = tiny.run_captured(
        "score_bleu", "--hypothesis", folder / "test.de", "--reference", reference, "--language", "de",
        "--decoding", report, "--output", folder / "scores.json", "--per-sentence", folder / "scores.csv",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert differences(folder, data) == []
    change(report, search={**DECODING["search"], "beam_size": 9})
    (reason,) = differences(folder, data)
    assert reason.startswith(f"{report}: its sha256 is")
    files = read_artifact(folder / "scores.json", "scores")["files"]
    files["decoding"]["sha256"] = sha256_of(report)
    change(folder / "scores.json", files=files)
    (reason,) = differences(folder, data)
    assert reason.startswith(f"{folder}/scores.json: decoding is ")
