"""What was published, compared: identical, other settings, or the first file that differs."""

import os
import subprocess
from pathlib import Path

import pytest
from dvc.repo import Repo
from made_artifacts import write_timing

from transformer.verification import published
from transformer.verification.published import manifest, manifest_csv, verdict

ROOT = Path(__file__).parents[2]
FILES = {
    "data/demo/raw/train.en": "a\n",
    "results/demo/runs/base/en-de/config.json": "{}",
    "results/demo/runs/base/en-de/averaged/model.safetensors": "w",
    "results/demo/tables/table2.tex": "t",
}


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results that are those published, made in the order of FILES, in the working folder."""
    project, work = tmp_path / "project", tmp_path / "work"
    (project / "docs/results/demo").mkdir(parents=True)
    for age, (name, text) in enumerate(FILES.items()):
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (age, age))
    write_timing(work / "results/demo/runs/base/en-de", device_name="Zen", precision="portable")
    (work / "results/demo/runs/base/en-de/checkpoints").mkdir()
    (work / "results/demo/runs/base/en-de/checkpoints/x").write_text("c")
    monkeypatch.chdir(work)
    monkeypatch.setattr(published, "PROJECT", project)
    monkeypatch.setattr(published, "PUBLISHED", project / "docs/results")
    (project / "docs/results/demo/manifest.csv").write_text(manifest_csv(manifest("demo")))
    return work


def test_a_manifest_has_all_but_times_and_checkpoints(results: Path) -> None:
    assert list(manifest("demo")) == sorted(FILES)
    assert published.read_manifest("demo") == manifest("demo")
    assert published.read_manifest("small") is None


def test_dvc_ignores_the_same() -> None:
    lines = (ROOT / ".dvcignore").read_text().splitlines()
    ignored = {line.removeprefix("results/**/") for line in lines if line and not line.startswith("#")}
    assert ignored == {"__pycache__", "*.egg-info", "config/README.md", "config/schemas", *published.NOT_KEPT}


def test_dvc_ignores_nothing_that_decides() -> None:
    """An edit of it would change nothing in dvc.lock."""
    sources = ["src", "config/*.yaml", "resources"]
    listed = subprocess.run(
        ["git", "ls-files", *sources], cwd=ROOT, capture_output=True, text=True, check=True
    )
    ignores = Repo(ROOT).dvcignore
    assert [path for path in listed.stdout.split() if ignores.is_ignored_file(str(ROOT / path))] == []


def test_identical(results: Path) -> None:
    assert verdict("demo") == "identical to the published demo (sha256 of 4 of 4 files)"
    (results / "results/demo/tables/table2.tex").unlink()
    assert verdict("demo") == "identical to the published demo (sha256 of 3 of 4 files)"
    assert verdict("small") is None


def test_of_a_run_only_its_own_files_are_compared(results: Path) -> None:
    raw, *others = FILES
    for name in others:
        (results / name).write_text("of another run")
    identical = "identical to the published demo (sha256 of 1 of 4 files)"
    assert verdict("demo", {raw, "results/table2.tex"}) == identical
    assert verdict("demo", {"results/demo/runs/mine/en-de/training.json"}) is None


@pytest.mark.parametrize("shown", ["tables/table2.tex", "figures/attention.json"])
def test_what_a_row_or_sentence_of_the_user_s_own_changes_is_no_fault(results: Path, shown: str) -> None:
    """The runs and their data must still be the published."""
    changed = Path("results/demo", shown)
    changed.parent.mkdir(exist_ok=True)
    changed.write_text("published")
    (published.PUBLISHED / "demo/manifest.csv").write_text(manifest_csv(listed := manifest("demo")))
    changed.write_text("other")
    without = f"without 1 of tables and figures that differ, first {changed}"
    of = f"{len(listed) - 1} of {len(listed)}"
    assert verdict("demo") == f"identical to the published demo (sha256 of {of} files; {without})"
    (results / list(FILES)[2]).write_text("other")
    line = verdict("demo") or ""
    assert line.startswith(f"DIFFERS from the published demo, first in {list(FILES)[2]}, by")


def test_the_first_difference_in_the_order_of_making(results: Path) -> None:
    for name in list(FILES)[2:]:
        age = os.stat(name).st_mtime
        Path(name).write_text("other")
        os.utime(name, (age, age))
    line = verdict("demo") or ""
    assert line.startswith(f"DIFFERS from the published demo, first in {list(FILES)[2]}, by other code, ")
    assert line.endswith(" on Zen")


def test_a_training_in_fp32_is_not_taken_for_a_portable_one(results: Path) -> None:
    run = results / "results/demo/runs/base/en-de"
    write_timing(run, device_name="ARM", precision="fp32")
    assert (verdict("demo") or "").startswith("identical")
    (run / "averaged/model.safetensors").write_text("other")
    line = verdict("demo") or ""
    assert line.startswith(
        "not comparable bit for bit with the published demo, first in results/demo/runs/base"
    )
    assert ": trained in fp32, since the processor has no portable numerics; here commit " in line


def test_other_settings_are_no_difference(results: Path) -> None:
    """Whatever was made with them differs, but nothing is wrong."""
    for name in FILES:
        Path(name).write_text("other")
    assert verdict("demo") == f"made with other settings than the published demo: {list(FILES)[1]}"
