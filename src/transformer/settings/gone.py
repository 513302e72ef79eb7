"""Settings that are gone, each with what to do instead."""

from collections.abc import Mapping
from typing import Any

from transformer.common.errors import UserError

# Of runs, wherever they stand.
GONE = {
    "choose_on_dev": "the last checkpoints are averaged; `metrics.jsonl` has dev_f1, by which you can choose `steps`",
    "nodes": "a training runs on one node; delete it",
}
# Of config.yaml and --config.
GONE_OF_CONFIG = dict.fromkeys(
    ("sentence", "word", "antecedent"),
    "the page shows any sentence; the figures show those of the section `attention` of the scale",
)


def refuse_gone(content: Any, where: str, gone: Mapping[str, str] = GONE) -> None:
    """Raise UserError for the first key of a mapping, or of those in it, that was a setting once."""
    for key, value in content.items() if isinstance(content, dict) else ():
        if key in gone:
            raise UserError(f"{where}: {key} is not a setting any more: {gone[key]}")
        refuse_gone(value, where, gone)
