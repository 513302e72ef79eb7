"""`make verify` on a real project: everything stands, and whatever was edited is found."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from made_artifacts import change
from micro_project import EVERYTHING, snakemake
from safetensors.torch import load_file, save_file

from transformer.common.artifacts import write_artifact
from transformer.common.files import sha256_of
from transformer.verification import verify as verify_script
from transformer.verification.verify import Cell, verify

RUN = Path("results/micro/runs/base/en-de")
TABLES = Path("results/micro/tables")


@pytest.fixture
def project(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = shutil.copytree(finished, tmp_path / "project")
    monkeypatch.chdir(project)
    return project


def findings() -> dict[str, list[str]]:
    """Return what differs, by the cell of a table, and under "" what belongs to none."""
    verdict = verify(Path("results/micro"), Path("data/micro"))
    found = {f"{cell.table} {cell.name}": list(cell.differs) for cell in verdict.cells if cell.differs}
    others = [check.differs for check in verdict.others if check.differs]
    assert verdict.stands == (not found and not others)
    return found | ({"": others} if others else {})


def test_everything_stands(project: Path) -> None:
    verdict = verify(Path("results/micro"), Path("data/micro"))
    assert findings() == {}
    names = {f"{cell.table} {cell.name}" for cell in verdict.cells}
    assert any("table2 base en-de" in name and "multi_bleu_split" in name for name in names)
    assert any("table2 big en-fr" in name and "training_flops" in name for name in names)
    assert any(name.startswith("table4 parser") and "f1" in name for name in names)
    assert {TABLES / "table2.csv", Path("results/table2.tex")} <= {
        Path(check.what) for check in verdict.others
    }


def test_table_1_has_no_runs_and_stands(project: Path) -> None:
    run = snakemake(project, command=[*EVERYTHING, "results/table1.csv"])
    assert run.returncode == 0, run.stdout + run.stderr
    assert findings() == {}
    cells = verify(Path("results/micro"), Path("data/micro")).cells
    name = "layers.json layers.self-attention.flops.terms"
    assert Cell("table1", name, "4 n^2 d + 8 n d^2", []) in cells


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def first_line(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")
    path.write_text("\n".join(["Etwas anderes .", *lines[1:]]), encoding="utf-8")


def other_weights(path: Path) -> None:
    weights = load_file(path)
    name = next(iter(weights))
    weights[name] = weights[name] + torch.full_like(weights[name], 1e-3)
    save_file(weights, path)


def higher_bleu(path: Path) -> None:
    scores = json.loads(path.read_text())
    scores["measures"][scores["headline"]]["value"] += 1
    path.write_text(json.dumps(scores, indent=2) + "\n")


def one_token(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize(
    ("path", "change"),
    [
        (RUN / "test.de", first_line),
        (RUN / "metrics.jsonl", first_line),
        (Path("data/micro/clean/en-de/test.de"), first_line),
        (Path("data/micro/clean/en-de/test.en"), first_line),
        (Path("data/micro/tokenized/en-de/train.target.tokens"), one_token),
        (Path("data/micro/tokenized/en-de/dev.target.tokens"), one_token),
        (RUN / "averaged/model.safetensors", other_weights),
        (RUN / "scores.json", higher_bleu),
        (RUN / "config.json", lambda path: edit(path, '"seed": 1', '"seed": 2')),
        (RUN / "training.json", lambda path: edit(path, '"steps": ', '"steps": 1')),
    ],
    ids=lambda value: value.as_posix() if isinstance(value, Path) else "",
)
def test_an_edited_file_is_found(project: Path, path: Path, change: Callable[[Path], None]) -> None:
    """Each cell of the run differs, with the file among the reasons, and no cell of another pair does."""
    change(path)
    found = findings()
    cells = [name for name in found if name.startswith("table2 base en-de")]
    assert cells
    assert all(any(str(path) in reason for reason in found[name]) for name in cells)
    assert not [name for name in found if "en-fr" in name]


def test_an_edited_checkpoint_is_found(project: Path) -> None:
    path = max((project / RUN).glob("checkpoints/*/step-*/model.safetensors"))
    other_weights(path)
    found = findings()
    assert any(path.parent.name in reason for name in found for reason in found[name])


def test_the_folder_of_the_results_may_be_absolute(project: Path) -> None:
    other_weights(max((project / RUN).glob("checkpoints/*/step-*/model.safetensors")))
    expected = verify(Path("results/micro"), Path("data/micro"))
    assert [cell for cell in expected.cells if cell.differs]
    assert verify(project / "results/micro", project / "data/micro") == expected


def test_an_edited_table_is_found_by_its_line(project: Path) -> None:
    rows = (TABLES / "table2.csv").read_text().split("\n")
    number = next(n for n, row in enumerate(rows) if row.startswith("ours"))
    column = rows[0].split(",").index("seeds")
    cells = rows[number].split(",")
    cells[column] = "7"
    rows[number] = ",".join(cells)
    (TABLES / "table2.csv").write_text("\n".join(rows))
    (reasons,) = findings().values()
    assert any(f"line {number + 1} differs from the one made again" in reason for reason in reasons)


@pytest.mark.parametrize("is_sealed", [True, False])
def test_an_edited_cell_is_found(project: Path, is_sealed: bool) -> None:
    """Also if its author corrected the checksum."""
    path = TABLES / "table2.json"
    edit(path, '"shown": "', '"shown": "1')
    if is_sealed:
        content = json.loads(path.read_text())
        del content["content_sha256"]
        write_artifact(path, content)
    said = "shown is" if is_sealed else "edited or damaged"
    assert any(f"{path}: " in reason and said in reason for reason in findings()[""])


def test_an_edited_copy_of_a_table_is_found(project: Path) -> None:
    edit(Path("results/table2.md"), "|", "!")
    assert any("results/table2.md: line" in reason for reason in findings()[""])


def test_a_copy_is_of_this_scale_or_of_another(project: Path) -> None:
    """An edited copy is found even if it names another scale or has no CSV file beside it."""
    shutil.copytree(TABLES, "results/other/tables")
    edit(Path("results/other/tables/table2.md"), "|", "!")
    shutil.copyfile("results/other/tables/table2.md", "results/table2.md")
    Path("results/index.html").unlink()  # it has the sum of the other copy
    assert findings() == {}
    Path("results/table2.csv").unlink()
    edit(Path("results/table2.tex"), "micro", "other")
    assert ["results/table2.tex: line" in reason for reason in findings()[""]] == [True]


def test_a_table_that_lost_its_cells_is_found(project: Path) -> None:
    (TABLES / "table4.json").unlink()
    reasons = findings()[""]
    assert [reason.split(":")[0] for reason in reasons if "is not beside it" in reason] == [
        f"{TABLES}/table4.{format}" for format in ("csv", "md", "tex")
    ]


def test_a_page_without_files_is_found(project: Path) -> None:
    Path("results/index.html").write_bytes(b"<h1>Results</h1>\xff\n")
    assert findings()[""] == ["results/index.html: names no file with its sha256; make it again"]


def test_hash_and_score_edited_together_are_found(project: Path) -> None:
    """Someone who also mends the hashes in scores.json is found by the figures that are computed again."""
    path = RUN / "test.de"
    files = json.loads((RUN / "scores.json").read_text())["files"]
    first_line(path)
    files["hypothesis"]["sha256"] = sha256_of(path)
    change(RUN / "scores.json", files=files)
    reasons = [reason for cell in findings().values() for reason in cell]
    assert any("computed again" in reason for reason in reasons)


def test_a_missing_file_is_found(project: Path) -> None:
    (RUN / "averaged/model.safetensors").unlink()
    assert any("model.safetensors: missing" in reason for cell in findings().values() for reason in cell)


def test_the_script_prints_a_line_for_each_cell(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["verify.py", "--scale", "micro"])
    assert verify_script.main() == 0
    lines = capsys.readouterr().out.splitlines()
    cells = [line for line in lines[:-1] if "checked by" not in line]
    assert all(line.startswith("stands") for line in cells)
    assert " 0 differ; " in lines[-1]
