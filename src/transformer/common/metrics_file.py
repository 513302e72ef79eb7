"""``metrics.jsonl``, the course of a training: one JSON object a line, written while the training runs.

When it has ended, ``training.json`` beside it records the sha256 of the whole file.
"""

import json
from pathlib import Path
from typing import Any

from transformer.common.checksums import AGAIN, check_sha256
from transformer.common.errors import UserError, reading
from transformer.common.json_artifacts import read_artifact


def read_metrics(path: Path, *needed: str) -> list[dict[str, Any]]:
    """Return the lines of a finished training, each of which has a ``step`` and the figures ``needed``.

    Raises UserError with file and line when the file is not the one that the training left, or lacks a figure.
    """
    training = path.with_name("training.json")
    check_sha256(path, read_artifact(training, "training")["metrics_sha256"], training)
    found = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        found.append(metrics_line(line, path, number))
        for name in needed:
            if name not in found[-1]:
                raise UserError(f"{path}, line {number}: no '{name}'; {AGAIN}")
    return found


def metrics_line(line: bytes, path: Path, number: int, advice: str = AGAIN) -> dict[str, Any]:
    """Return a line of metrics.  Raises UserError when it is not an object with a step."""
    with reading(path, advice, "not valid JSON", line=number):
        content: Any = json.loads(line)
    if not isinstance(content, dict) or not isinstance(content.get("step"), int):
        raise UserError(f"{path}, line {number}: no 'step'; {advice}")
    return content
