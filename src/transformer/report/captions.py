"""What a result is, in a sentence or two, for each place that shows it: ``workflow/report/contents.yaml``."""

from collections.abc import Mapping
from pathlib import Path

from transformer.common.errors import UserError

Contents = Mapping[str, Mapping[str, str]]  # section → name → caption: the file as read


def caption_of(result: Path, contents: Contents) -> str:
    """The caption of ``results/table2.tex`` stands under ``table2`` in a section of ``contents``."""
    for section in contents.values():
        if result.stem in section:
            return section[result.stem]
    raise UserError(
        f"workflow/report/contents.yaml: no '{result.stem}'; say there in a sentence what {result} shows"
    )
