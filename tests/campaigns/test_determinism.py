"""The campaign of determinism leaves out times, and nothing else."""

import json
from pathlib import Path

from compared_files import TIMES, digest


def test_times_are_left_out_and_nothing_else(tmp_path: Path) -> None:
    for name in TIMES:
        path = tmp_path / name.replace("*", "x")
        path.parent.mkdir(exist_ok=True)
        if path.suffix in (".json", ".jsonl"):
            contents = [{"a": [{"seconds": 1, "b": 2}]}, {"a": [{"seconds": 3, "b": 2}]}, {"a": [{"b": 3}]}]
            first, second, other = (json.dumps(content) for content in contents)
        elif path.suffix == ".csv":
            first, second, other = (f"run,wall_seconds\n{row}\n" for row in ("base,1", "base,2", "big,1"))
        else:
            first, second, other = "1", "2", "3"
        digests = []
        for text in (first, second, other):
            path.write_text(text)
            digests.append(digest(path))
        assert digests[0] == digests[1]
        assert (digests[0] != digests[2]) == (TIMES[name] != ())


def test_a_list_of_checksums_is_compared_without_the_files_that_hold_times(tmp_path: Path) -> None:
    digests = []
    for table, cost in (("a", "b"), ("a", "c"), ("d", "b")):
        (tmp_path / "table2.sha256").write_text(f"{table}  table2.csv\n{cost}  cost.csv\n")
        digests.append(digest(tmp_path / "table2.sha256"))
    assert digests[0] == digests[1] != digests[2]
