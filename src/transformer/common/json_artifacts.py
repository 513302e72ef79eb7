"""JSON files that the pipeline writes and reads back: each has the sha256 of its own content, and is of some kind.

The key ``content_sha256`` is the last one.  It is the sha256 of the other keys as ``json.dumps`` writes them with
``sort_keys=True``, so it depends on what a file says, and not on how it is indented.  ``docs/formats.md`` lists the
files and says what each kind holds.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from transformer.common.checksums import AGAIN
from transformer.common.errors import UserError
from transformer.common.files import read_json, write_text

CHECKSUM = "content_sha256"
OfTraining = Literal["checkpoint", "config", "dataset", "grammar", "model", "timing", "training"]
OfScores = Literal["baselines", "decoding", "parses", "perplexity", "scores", "unconstrained"]
Kind = Literal[OfTraining, OfScores, "attention", "layers", "properties", "symbols", "table", "text"]
# The number of its format, which changes when a kind of file means something else, and keys by which it is known.  That
# nothing else is missing, and that the values are right, the checksum shows.
KINDS: dict[Kind, tuple[int | None, str]] = {
    "attention": (1, "run pair scale corpus model_sha256 sentences"),
    "baselines": (1, "pair sentences headline baselines"),
    "checkpoint": (4, "step sha256"),
    "config": (None, "run pair scale seed model"),
    "dataset": (1, "sentences token_type vocabulary_sha256"),
    "decoding": (None, "search"),
    "grammar": (2, "rules words"),
    "layers": (1, "layers"),
    "model": (1, "config numerics vocabulary_sha256 weights_sha256"),
    "parses": (2, "tags sentences all up_to_40 files"),
    "perplexity": (2, "model_sha256 per_sentence"),
    "properties": (1, "dot_products positions heads"),
    "scores": (2, "language sentences headline measures files"),
    "symbols": (2, "first_id symbols tags"),
    "table": (1, "name columns lines csv"),
    "text": (1, "pair train sets notes"),
    "timing": (None, "wall_seconds device_name"),
    "training": (1, "config_sha256 steps parameters numerics metrics_sha256 checkpoints"),
    "unconstrained": (2, "tags sentences all up_to_40 decoding files"),
}


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
    content = read_object(path, advice)
    recorded = content.pop(CHECKSUM, None)
    if recorded is None:
        raise UserError(
            f"{path}: has no {CHECKSUM}, so it was made by hand or by an earlier version of this project; {advice}"
        )
    if recorded != checksum(content):
        raise UserError(f"{path}: edited or damaged: its content is not that of its {CHECKSUM}; {advice}")
    check_kind(path, content, kind, advice)
    return content


def read_object(path: Path | str, advice: str = AGAIN) -> dict[str, Any]:
    """Read a file that holds one JSON object.  Raises UserError with file and line for anything else."""
    content = read_json(path, advice)
    if not isinstance(content, dict):
        raise UserError(f"{path}: not a JSON object, but a {type(content).__name__}; {advice}")
    return content


def check_kind(path: Path | str, content: Mapping[str, Any], kind: Kind, advice: str = AGAIN) -> None:
    """Raise UserError when ``content``, read from ``path``, has another format or lacks a key of its kind."""
    format, keys = KINDS[kind]
    if (found := content.get("format")) != format:
        raise UserError(f"{path}: format: {found} (must be {format}); {advice}")
    for key in keys.split():
        if key not in content:
            raise UserError(f"{path}: no '{key}'; {advice}")
