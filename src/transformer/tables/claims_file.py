"""What the paper asserts, as resources/claims.yaml lists it and explains its keys.

The workflow reads it before anything is trained, so this file loads neither pandas nor numpy.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from transformer.common.checked import Checked, read_checked
from transformer.common.errors import UserError

PERPLEXITY, AVERAGE, LONGER = "PPL (dev)", "PPL (dev), average", "PPL (dev), longer"
OURS = "ours"  # the source of a claim that is the user's own

QUANTITY = r"^(BLEU|BLEU, [A-Z]{2,3}-[A-Z]{2,3}|BLEU \(dev\)|PPL \(dev\)|PPL \(dev\), (average|longer)|F1)$"
Quantity = Annotated[str, Field(pattern=QUANTITY)]
Weights = Annotated[dict[str, float], Field(min_length=1)]


class Claim(Checked):
    """What the paper asserts; docs/claims.md explains the keys."""

    claim: str
    source: str
    quantities: list[Quantity] = Field(
        min_length=1,
        description='BLEU, "BLEU, EN-DE" (of a language pair), BLEU (dev), PPL (dev), "PPL (dev), average", '
        '"PPL (dev), longer" or F1; one with a comma in quotes',
    )
    rows: Weights
    within: Weights | None = None


def read_claims(path: Path | str) -> list[dict[str, Any]]:
    """Read the claims.

    Raises UserError when an entry has a wrong key or value, or compares rows with weights that do not add up to 0.
    """
    claims: list[dict[str, Any]] = read_checked(path, list[Claim])
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
