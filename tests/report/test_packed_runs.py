"""Files of runs, packed and unpacked."""

from pathlib import Path

import pytest

from transformer.common.artifacts import write_artifact
from transformer.common.errors import UserError
from transformer.report.packed_runs import pack, unpack


def test_files_come_back_byte_for_byte(tmp_path: Path) -> None:
    files = {}
    for run in ("base", "big"):
        path = tmp_path / run / "scores.csv"
        path.parent.mkdir()
        path.write_text(f'sentence,matches\n1,{len(run)}\n2,"a,b"\n')
        files[f"{run}/en-de/last/scores.csv"] = path
        write_artifact(tmp_path / run / "config.json", {"run": run, "wörter": [1.0, None]})
        files[f"{run}/en-de/config.json"] = tmp_path / run / "config.json"
    pack(files, tmp_path / "runs")
    assert sorted(path.name for path in tmp_path.glob("runs/*")) == ["config.jsonl.gz", "scores.csv.gz"]
    assert unpack(tmp_path / "runs") == {path: file.read_text() for path, file in files.items()}


@pytest.mark.parametrize(
    ("name", "text"), [("a.json", '{"a":1}'), ("a.csv", "a,b\n1,2"), ("a.csv", "a,b\r\n1,2\r\n")]
)
def test_what_would_not_come_back_is_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_bytes(text.encode())
    with pytest.raises(UserError, match="not as this project writes it"):
        pack({f"base/en-de/{name}": tmp_path / name}, tmp_path / "runs")
