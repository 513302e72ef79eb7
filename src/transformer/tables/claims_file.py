"""What the paper asserts, as resources/claims.yaml lists it and explains its keys.

The workflow reads it before anything is trained, so this file loads neither pandas nor numpy.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError
from transformer.common.yaml_files import read_checked

SCHEMA = Path(__file__).with_name("claims.schema.yaml")
PERPLEXITY, AVERAGE, LONGER = "PPL (dev)", "PPL (dev), average", "PPL (dev), longer"
OURS = "ours"  # the source of a claim that is the user's own


def read_claims(path: Path | str) -> list[dict[str, Any]]:
    """Read the claims.

    Raises UserError when an entry breaks the schema, or compares rows with weights that do not add up to 0.
    """
    claims: list[dict[str, Any]] = read_checked(path, SCHEMA)
    for claim in claims:
        weights = sum(claim["rows"].values())
        # An average is compared with its own last checkpoint.
        if set(claim["quantities"]) != {AVERAGE} and not math.isclose(weights, 0, abs_tol=1e-9):
            raise UserError(f"{path}: {claim['claim']!r}: the weights of its rows add up to {weights}, not 0")
    return claims


def averaged_rows(claims: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the rows whose averages the claims are about."""
    rows = [row for claim in claims if AVERAGE in claim["quantities"] for row in claim["rows"]]
    return list(dict.fromkeys(rows))
