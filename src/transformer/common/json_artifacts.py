"""JSON files that the pipeline writes and reads back: each has the sha256 of its own content, and a schema.

The key ``content_sha256`` is the last one.  It is the sha256 of the other keys as ``json.dumps`` writes them with
``sort_keys=True``, so it depends on what a file says, and not on how it is indented.  ``docs/formats.md`` lists the
files, and ``workflow/schemas/artifacts.schema.yaml`` says what each kind holds.
"""

import hashlib
import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from transformer.common.checksums import AGAIN
from transformer.common.errors import UserError
from transformer.common.files import read_json, write_text
from transformer.common.project import SCHEMAS

if TYPE_CHECKING:
    from jsonschema import ValidationError

CHECKSUM = "content_sha256"
Kind = Literal[
    "attention", "baselines", "checkpoint", "config", "dataset", "decoding", "grammar", "layers",
    "metrics_line", "model", "parses", "perplexity", "provenance", "scores", "symbols", "timing", "training",
    "unconstrained",
]  # fmt: skip


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

    Raises UserError with file, and line or key, when it is missing, edited or damaged, or when it is no file of its
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
    check_schema(path, content, kind, advice)
    return content


def read_object(path: Path | str, advice: str = AGAIN) -> dict[str, Any]:
    """Read a file that holds one JSON object.  Raises UserError with file and line for anything else."""
    content = read_json(path, advice)
    if not isinstance(content, dict):
        raise UserError(f"{path}: not a JSON object, but a {type(content).__name__}; {advice}")
    return content


def check_schema(path: Path | str, content: Any, kind: Kind, advice: str = AGAIN) -> None:
    """Raise UserError when ``content``, read from ``path``, is no artifact of this kind."""
    by_kind = _validators()
    error = min(by_kind[kind].iter_errors(content), key=_depth, default=None) if by_kind else None
    if error is not None:
        keys = ".".join(map(str, error.absolute_path))
        raise UserError(f"{path}: {keys + ': ' if keys else ''}{_explain(error)}; {advice}")


@cache
def _validators() -> dict[str, Any]:
    """Return the validator of each kind; none without jsonschema, which a rented machine may lack (benchmarks/gpu).

    There, the checksum alone shows that a file is what its producer wrote, and a line on standard error says so.
    """
    try:
        from jsonschema import Draft202012Validator, validators

        from transformer.common.yaml_files import TYPES, read_yaml
    except ModuleNotFoundError as error:
        print(f"{error.name} is missing: JSON files are checked by their checksums alone", file=sys.stderr)
        return {}
    make: Any = validators.extend(Draft202012Validator, type_checker=TYPES)
    definitions = read_yaml(SCHEMAS / "artifacts.schema.yaml")["$defs"]
    return {kind: make({"$ref": f"#/$defs/{kind}", "$defs": definitions}) for kind in get_args(Kind)}


def _explain(error: "ValidationError") -> str:
    schema: Any = error.schema
    instance: Any = error.instance
    expected: Any = error.validator_value
    if error.validator == "required":
        return f"no '{next(key for key in expected if key not in instance)}'"
    if error.validator in ("type", "pattern", "enum", "const", "anyOf"):
        rule = f"must be {schema.get('description') or expected}"
    else:
        rule = f"{error.validator} {expected}"
    return f"{json.dumps(instance)[:80]} ({rule})"


def _depth(error: "ValidationError") -> tuple[int, list[str]]:
    return len(error.absolute_path), list(map(str, error.absolute_path))
