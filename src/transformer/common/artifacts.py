"""What one step writes and another believes: files whose sha256 is recorded, and checked before they are read.

A JSON file has it inside, in the key ``content_sha256``, the last one.  It is the sha256 of the other keys as
``json.dumps`` writes them with ``sort_keys=True``, so it depends on what a file says, and not on how it is indented.
That of another file stands in a JSON file beside it or, if there is none, in a file of sums, which ``sha256sum
--check`` reads, too.  ``docs/formats.md`` lists the files and says what each kind holds.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from transformer.common.errors import UserError, reading
from transformer.common.files import read_json, sha256_of, write_text

AGAIN = "delete it and run Snakemake again"
CHECKSUM = "content_sha256"
_LINE = re.compile(r"([0-9a-f]{64})  (?!/|(?:.*/)?\.\./)([^\0]+)")  # below the folder of the sums

OfTraining = Literal["checkpoint", "config", "dataset", "grammar", "model", "timing", "training"]
OfScores = Literal["decoding", "parses", "perplexity", "scores", "unconstrained"]
Kind = Literal[OfTraining, OfScores, "attention", "layers", "symbols", "table", "text"]
# The number of a kind's format changes when a file means something else; it is 1 unless it stands here.
FORMATS: dict[Kind, int | None] = {"checkpoint": 4, "config": None, "decoding": None, "timing": None}
FORMATS |= dict.fromkeys(("grammar", "parses", "perplexity", "scores", "symbols", "text", "unconstrained"), 2)


class Content(dict[str, Any]):
    """An object that was read from a file; a key that is missing ends in one line."""

    where: Path | str
    advice: str

    def __missing__(self, key: str) -> Any:
        raise UserError(f"{self.where}: no '{key}'; {self.advice}")


def checksum(content: Mapping[str, Any]) -> str:
    """Return the sha256 of a JSON object, whatever the order of its keys."""
    plain = json.loads(json.dumps(content))  # keys as texts, as a reader finds them
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def artifact_text(content: Mapping[str, Any], indent: int | None = 2) -> str:
    """Return the text of a JSON file with its checksum.  The same content gives the same text."""
    sealed = {**content, CHECKSUM: checksum(content)}
    return json.dumps(sealed, indent=indent, ensure_ascii=False, allow_nan=False) + "\n"


def write_artifact(path: Path | str, content: Mapping[str, Any], indent: int | None = 2) -> None:
    """Write a JSON file with its checksum, atomically."""
    write_text(path, artifact_text(content, indent))


def read_artifact(path: Path | str, kind: Kind, advice: str = AGAIN) -> dict[str, Any]:
    """Read what :func:`write_artifact` wrote, and return it without the checksum.

    Raises UserError with file, and line or key, when it is missing, edited or damaged, or when it is not a file of its
    kind.  ``advice`` says what to do then.
    """
    content = read_object(path, advice, kind)
    recorded = content.pop(CHECKSUM, None)
    if recorded is None:
        raise UserError(
            f"{path}: has no {CHECKSUM}, so it was made by hand or by an earlier version of this project; {advice}"
        )
    if recorded != checksum(content):
        raise UserError(f"{path}: edited or damaged: its content is not that of its {CHECKSUM}; {advice}")
    return content


def read_object(path: Path | str, advice: str = AGAIN, kind: Kind | None = None) -> dict[str, Any]:
    """Read a file that holds one JSON object.

    Raises UserError with file and line for anything else, and when it has not the format of its ``kind``.
    """
    content = _object(read_json(path, advice), path, advice)
    if kind and (format := content.get("format")) != (needed := FORMATS.get(kind, 1)):
        raise UserError(f"{path}: format: {format} (must be {needed}); {advice}")
    return content


def _object(value: Any, where: Path | str, advice: str) -> Content:
    if not isinstance(value, dict):
        raise UserError(f"{where}: not a JSON object, but a {type(value).__name__}; {advice}")
    content = Content(value)
    content.where, content.advice = where, advice
    return content


def check_sha256(path: Path | str, recorded: str, where: Path | str, advice: str = AGAIN) -> None:
    """Raise UserError when a file is missing, or is not the one whose sha256 was ``recorded`` in the file ``where``."""
    if not os.path.exists(path):
        raise UserError(f"{path}: no such file, though {where} has its sha256; {advice}")
    if sha256_of(path) != recorded:
        raise UserError(f"{path}: not the file that was written: {where} has another sha256 of it; {advice}")


def sums_text(sums: Mapping[str, str]) -> str:
    """Return name → sha256 as ``sha256sum`` writes it."""
    return "".join(f"{sha256}  {name}\n" for name, sha256 in sums.items())


def write_sums(path: Path, sums: Mapping[str, str]) -> None:
    """Write the sha256 of files, by their names, to a file beside them, atomically."""
    write_text(path, sums_text(sums))


def read_sums(path: Path) -> dict[str, str]:
    """Return name → sha256.  Raises UserError when the file is missing or something else."""
    with reading(path, AGAIN, "no list of sha256 sums"):
        *lines, end = path.read_bytes().decode("utf-8").split("\n")
    found = [_LINE.fullmatch(line) for line in lines]
    sums = {line[2]: line[1] for line in found if line}
    if end or not sums or len(sums) < len(lines):
        raise UserError(f"{path}: the list of sha256 sums is damaged or cut off; {AGAIN}")
    return sums


def check_sums(path: Path, *files: Path) -> None:
    """Check ``files`` against the sums in ``path``, beside them.

    Raises UserError when the sums are missing, when they have none of a file, or when a file is another one.
    """
    sums = read_sums(path)
    for file in files:
        if file.name not in sums:
            raise UserError(f"{path}: no sha256 of {file.name}; {AGAIN}")
        check_sha256(file, sums[file.name], path)


# ``metrics.jsonl`` is the course of a training: one JSON object a line, written while it runs.  When it has ended,
# ``training.json`` beside it records the sha256 of the whole file.


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a finished training, each of which has a ``step`` and figures.

    Raises UserError with file and line when the file is not the one that the training left.
    """
    training = path.with_name("training.json")
    check_sha256(path, read_artifact(training, "training")["metrics_sha256"], training)
    lines = path.read_bytes().splitlines()
    return [metrics_line(line, path, number) for number, line in enumerate(lines, start=1)]


def metrics_line(line: bytes, path: Path, number: int, advice: str = AGAIN) -> dict[str, Any]:
    """Return a line of metrics.  Raises UserError when it has no step, and when a figure that is read is missing."""
    where = f"{path}, line {number}"
    try:
        content = _object(json.loads(line), where, advice)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where}: not valid JSON ({error}); {advice}") from None
    if not isinstance(content["step"], int):
        raise UserError(f"{where}: 'step' must be a whole number; {advice}")
    return content
