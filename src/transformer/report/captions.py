"""Captions: one or two sentences on each result, from ``workflow/report/contents.yaml``."""

from collections.abc import Mapping
from pathlib import Path

from transformer.common.errors import UserError

Contents = Mapping[str, Mapping[str, str]]  # section → name → caption: the file as read


def caption_of(result: Path, contents: Contents) -> str:
    """Return the caption of a file: that of ``results/table2.tex`` is under ``table2`` in a section of ``contents``."""
    for section in contents.values():
        if result.stem in section:
            return section[result.stem]
    raise UserError(
        f"workflow/report/contents.yaml: no '{result.stem}'; add a sentence on what {result} shows"
    )
