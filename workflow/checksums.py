"""Let Snakemake hash each input once.

When a job has ended, Snakemake 9.27.1 hashes all its inputs once for each of its outputs, and finishes and submits no
other job meanwhile.
"""

import os
from typing import Any


def hash_once(files: Any) -> None:
    """Let ``checksum`` of ``files``, Snakemake's class of inputs, remember what it found until the file is another."""
    plain = files.checksum
    known: dict[Any, str | None] = {}

    async def checksum(
        self: Any, threshold: int | None = None, force: bool = False, algorithm: Any = None
    ) -> str | None:
        try:
            status = os.stat(self.file)
        except OSError:
            return await plain(self, threshold, force, algorithm)
        key = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, threshold, force, algorithm)
        if key not in known:
            known[key] = await plain(self, threshold, force, algorithm)
        return known[key]

    files.checksum = checksum
