"""What was published, compared: identical, other settings, or the first file that differs."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from dvc.repo import Repo
from made_artifacts import write_timing

from transformer.common.artifacts import artifact_text
from transformer.tables.cells import Cell, Column, Line, Table, content
from transformer.verification import published
from transformer.verification.published import manifest, manifest_csv, verdict

ROOT = Path(__file__).parents[2]
RUN = "results/demo/runs/base/en-de"
SETTINGS = {"run": "base", "pair": "en-de", "scale": "demo", "seed": 1, "model": {}}
FILES = {
    "data/demo/raw/train.en": "a\n",
    f"{RUN}/config.json": artifact_text(SETTINGS),
    f"{RUN}/averaged/model.safetensors": "w",
    "results/demo/tables/table2.json": "",
    "results/demo/tables/table2.tex": "t",
    "results/demo/figures/training_curves.svg": "c",
    "results/demo/figures/attention.svg": "f",
}
RAW, CONFIG, WEIGHTS, CELLS, TEX, CURVES, ATTENTION = FILES
COPY, ALL = "results/table2.tex", len(FILES)
IDENTICAL = f"identical to the published demo (sha256 of {ALL} of {ALL} files)"


def cells(*runs: str, columns: Sequence[str] = ("bleu",), value: str = "27.3") -> str:
    """The file of a table with these runs and columns."""
    files = {run: {"files": {"training": {"path": f"results/demo/runs/{run}/training.json"}}} for run in runs}
    lines = [Line([Cell(column, shown=value) for column in columns])]
    shown = [Column(column, (column,)) for column in columns]
    return artifact_text(content(Table("table2", shown, lines, csv=[], behind={"runs": files})))


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results that are those published, made in the order of FILES, in the working folder."""
    project, work = tmp_path / "project", tmp_path / "work"
    (project / "docs/results/demo").mkdir(parents=True)
    for age, (name, text) in enumerate(FILES.items()):
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(cells("base/en-de") if name == CELLS else text)
        os.utime(path, (age, age))
    write_timing(work / RUN, device_name="Zen", precision="portable")
    (work / RUN / "checkpoints").mkdir()
    (work / RUN / "checkpoints/x").write_text("c")
    (work / COPY).write_text(FILES[TEX])
    monkeypatch.chdir(work)
    monkeypatch.setattr(published, "PROJECT", project)
    monkeypatch.setattr(published, "PUBLISHED", project / "docs/results")
    (project / "docs/results/demo/manifest.csv").write_text(manifest_csv(manifest("demo")))
    (project / "docs/results/demo/table2.json").write_text(cells("base/en-de"))
    return work


def test_a_manifest_has_all_but_times_and_checkpoints(results: Path) -> None:
    assert list(manifest("demo")) == sorted(FILES)
    assert published.read_manifest("demo") == manifest("demo")
    assert published.read_manifest("small") is None


def test_dvc_ignores_the_same() -> None:
    lines = (ROOT / ".dvcignore").read_text().splitlines()
    ignored = {line.removeprefix("results/**/") for line in lines if line and not line.startswith("#")}
    assert ignored == {"__pycache__", "*.egg-info", "config/README.md", *published.NOT_KEPT}


def test_dvc_ignores_nothing_that_decides() -> None:
    """An edit of it would change nothing in dvc.lock."""
    sources = ["src", "config/*.yaml", "resources"]
    listed = subprocess.run(
        ["git", "ls-files", *sources], cwd=ROOT, capture_output=True, text=True, check=True
    )
    ignores = Repo(ROOT).dvcignore
    assert [path for path in listed.stdout.split() if ignores.is_ignored_file(str(ROOT / path))] == []


def test_identical(results: Path) -> None:
    assert verdict("demo") == IDENTICAL
    assert verdict("demo", {*FILES, COPY, "results/index.html"}) == IDENTICAL
    assert verdict("small") is None


def test_of_a_part_its_own_files_are_compared(results: Path) -> None:
    """As after a build of a part, or of other runs."""
    one = f"identical to the published demo (sha256 of 1 of {ALL} files)"
    for name in FILES:
        assert verdict("demo", {name, "results/other.tex"}) == one
    assert verdict("demo", {"results/demo/runs/mine/en-de/training.json"}) is None
    for name in [*FILES][1:]:
        Path(name).write_text("of another run")
    assert verdict("demo", {RAW}) == one
    for name in [*FILES][1:]:
        Path(name).unlink()
    assert verdict("demo") == one


@pytest.mark.parametrize("name", [*FILES, COPY])
@pytest.mark.parametrize("change", ["edited", "missing"])
def test_every_published_file_that_was_made_counts(results: Path, name: str, change: str) -> None:
    """As with a fault in the code of tables, and after an edit by hand; the copy is what a user reads."""
    path = Path(name)
    path.unlink() if change == "missing" else path.write_text(path.read_text() + "1")
    line = verdict("demo", {*FILES, COPY}) or ""
    assert line.startswith(f"DIFFERS from the published demo in 1 file, first in {name}, by ")
    if name != COPY:
        left = f"identical to the published demo (sha256 of {ALL - 1} of {ALL} files)"
        found = verdict("demo") or ""
        assert found == left if change == "missing" else found.startswith("DIFFERS")


@pytest.mark.parametrize(
    "own",
    [
        cells("base/en-de", "mine/en-de"),
        cells("base/en-de", "base-seed2/en-de"),
        cells(),
        cells("base/en-de", columns=("bleu", "chrf")),
    ],
    ids=["a row more", "more seeds", "a row less", "another measure"],
)
def test_rows_seeds_and_measures_of_the_user_s_own_leave_tables_out(results: Path, own: str) -> None:
    """And the line says so; all else must be the published."""
    for name in (CELLS, TEX, CURVES, COPY):
        Path(name).write_text(own)
    for made in (None, {*FILES, COPY}):
        assert verdict("demo", made) == (
            f"data and trainings are identical to the published demo (sha256 of 4 of {ALL} files); tables and curves "
            f"are not compared, since {CELLS} has other rows, seeds or measures"
        )
    for name in (ATTENTION, WEIGHTS, RAW):
        Path(name).write_text("other")
        line = verdict("demo") or ""
        assert line.startswith("DIFFERS from the published demo in ")
        assert "first in " + CELLS not in line


def test_a_run_of_the_user_s_own_beside_the_published_rows(results: Path) -> None:
    """The curves show it, and Table 3, too."""
    Path(CURVES).write_text("other")
    mine = "results/demo/runs/mine/en-de/config.json"
    line = verdict("demo", {*FILES, mine}) or ""
    assert line.endswith(f"tables and curves are not compared, since {mine} is not published")
    assert (verdict("demo", FILES) or "").startswith("DIFFERS")


def test_a_wrong_number_in_a_table_of_the_published_rows(results: Path) -> None:
    """As with a fault in the code that makes it: its cells have their checksum, and the rows are those published."""
    Path(CELLS).write_text(cells("base/en-de", value="28.3"))
    assert (verdict("demo") or "").startswith(
        f"DIFFERS from the published demo in 1 file, first in {CELLS}, by"
    )


def test_the_first_difference_in_the_order_of_making(results: Path) -> None:
    for name in [*FILES][2:]:
        age = os.stat(name).st_mtime
        Path(name).write_text("other")
        os.utime(name, (age, age))
    line = verdict("demo") or ""
    assert line.startswith(
        f"DIFFERS from the published demo in {ALL - 2} files, first in {WEIGHTS}, by other code, "
    )
    assert line.endswith(" on Zen")


def test_a_training_in_fp32_is_not_taken_for_a_portable_one(results: Path) -> None:
    run = results / RUN
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
    assert (verdict("demo") or "").startswith("DIFFERS")  # edited by hand: no settings of this project's
    Path(CONFIG).write_text(artifact_text(SETTINGS | {"seed": 2}))
    assert verdict("demo") == f"made with other settings than the published demo: {CONFIG}"
