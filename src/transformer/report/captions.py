"""Captions: one or two sentences on each result; those of figures are in ``workflow/report/contents.yaml``."""

from collections.abc import Mapping
from pathlib import Path

from transformer.common.errors import UserError


def caption_of(result: Path, captions: Mapping[str, str]) -> str:
    """Return the caption of a file: that of ``results/table2.tex`` is under ``table2``."""
    if result.stem not in captions:
        raise UserError(
            f"workflow/report/contents.yaml: no '{result.stem}'; add a sentence on what {result} shows"
        )
    return captions[result.stem]
