"""Records that a power cut has torn become marks of incomplete outputs."""

from pathlib import Path

import pytest

from torn_records import mark_torn_records

RECORD = b'{"rule": "table2", "params": ["6"]}'


@pytest.mark.parametrize("torn", [b"", RECORD[:9], RECORD[:9] + bytes(20)])
def test_torn_records_become_marks(tmp_path: Path, torn: bytes) -> None:
    folder = tmp_path / "metadata" / "@long"
    folder.mkdir(parents=True)
    (folder / "torn").write_bytes(torn)
    (tmp_path / "metadata" / "whole").write_bytes(RECORD)
    mark_torn_records(tmp_path)
    assert [file for file in (tmp_path / "metadata").rglob("*") if file.is_file()] == [
        tmp_path / "metadata" / "whole"
    ]
    assert [file for file in (tmp_path / "incomplete").rglob("*") if file.is_file()] == [
        tmp_path / "incomplete" / "@long" / "torn"
    ]


def test_nothing_is_made_in_a_new_folder(tmp_path: Path) -> None:
    mark_torn_records(tmp_path)
    assert not list(tmp_path.iterdir())
