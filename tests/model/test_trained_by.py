"""What is said of the trainings of runs: nothing, unless other code made them."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_artifacts import write_timing

from transformer.common import code_hash
from transformer.model import trained_by
from transformer.model.trained_by import code_here, notes_on_trainings

SOURCE = Path(trained_by.__file__).parents[1]
RUN = Path("results/demo/runs/base/en-de")


def write(folder: Path, *changed: str) -> Path:
    """Write the timing.json of a training by code of which these files have changed since."""
    write_timing(folder, code=code_here() | dict.fromkeys(changed, "0" * 8))
    return folder


@pytest.mark.parametrize(
    "recorded", [{}, {"stretches": [{"steps": 9, "seconds": 2.0, "code": "a497b877"}]}, None]
)
def test_it_is_said_that_nothing_is_known(tmp_path: Path, recorded: dict[str, Any] | None) -> None:
    """As of what was published before, and after ``dvc pull``, which brings no timing.json."""
    if recorded is not None:
        write_timing(tmp_path / RUN, **recorded)
    assert notes_on_trainings([tmp_path / RUN]) == ["Which code trained these is not recorded: base en-de."]


def test_other_code_is_named_by_its_files_once_for_all_runs_that_it_trained(tmp_path: Path) -> None:
    """Nothing is said of those that the present code trained."""
    base, big, mine, new = (tmp_path / name / "en-de" for name in ("base", "big", "mine", "new"))
    loss = ["training/loss.py", "training/schedule.py"]
    write(base, *loss)
    write(big, *loss)
    write_timing(mine, stretches=[{"code": code_here() | {"model/layers.py": "0"}}])  # of an earlier version
    write(new)
    (said,) = notes_on_trainings([base, big, mine, new, base])
    assert "base en-de, big en-de: training/loss.py, training/schedule.py; " in said
    assert "mine en-de: model/layers.py. " in said
    assert "new" not in said
    assert "base en-de: model/gone.py. " in notes_on_trainings([write(base, "model/gone.py")])[0]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the library, whose code is the one that is here."""
    for folder in trained_by.COMPUTING:
        shutil.copytree(SOURCE / folder, tmp_path / folder)
    monkeypatch.setattr(trained_by, "LIBRARY", tmp_path)
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    """Read the code anew."""
    for cached in (code_here, code_hash.file_hash, code_hash._tree):
        cached.cache_clear()


@pytest.mark.parametrize(
    ("file", "old", "new", "same"),
    [
        ("model/attention.py", "", "# a comment\n", True),
        ("model/attention.py", "math.sqrt(", "1.0 * math.sqrt(", False),
        ("model/layers.py", "", "edited = 1\n", False),
        ("model/dropout.py", "", "edited = 1\n", False),
        ("model/new.py", "", "edited = 1\n", False),
        ("dataset/batching.py", "", "edited = 1\n", False),
        ("decoding/beam_search.py", "", "edited = 1\n", False),
        ("decoding/incremental.py", "", "edited = 1\n", False),
        ("training/loss.py", "", "edited = 1\n", False),
        ("training/schedule.py", "d_model**-0.5", "d_model**-0.6", False),
        ("training/micro_batches.py", "", "edited = 1\n", False),
        ("training/average_checkpoints.py", "", "edited = 1\n", False),
        ("training/trainer.py", "", "edited = 1\n", False),
        ("training/tracking.py", "", "edited = 1\n", True),
        ("model/storage.py", "", "edited = 1\n", True),
    ],
)
def test_which_edit_is_other_code(source: Path, file: str, old: str, new: str, same: bool) -> None:
    before = code_here()
    path = source / file
    text = path.read_text() if path.exists() else ""
    assert old in text
    path.write_text(text.replace(old, new, 1) if old else text + new)
    forget()
    changed = {name for name in {*before, *code_here()} if before.get(name) != code_here().get(name)}
    assert changed == (set() if same else {file})
