"""Snakemake hashes an input once, and again when it has changed."""

import asyncio
from pathlib import Path

from checksums import hash_once


def test_a_file_is_hashed_once_until_it_changes(tmp_path: Path) -> None:
    read: list[str] = []

    class Input:
        file = str(tmp_path / "input")

        async def checksum(self, threshold: int, force: bool = False, algorithm: object = None) -> str:
            read.append(Path(self.file).read_text())
            return f"sha256:{read[-1]}"

    hash_once(Input)
    for text in ("one", "one", "three"):
        Path(Input.file).write_text(text) if text not in read else None
        assert asyncio.run(Input().checksum(10**12)) == f"sha256:{text}"
    assert read == ["one", "three"]
