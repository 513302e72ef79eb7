"""Settings that are gone, each with what to do instead."""

from typing import Any

from transformer.common.errors import UserError

GONE = {
    "choose_on_dev": "the last checkpoints are averaged; `metrics.jsonl` has dev_f1, by which you can choose `steps`",
    "nodes": "a training runs on one node; delete it",
}


def refuse_gone(content: Any, where: str) -> None:
    """Raise UserError for the first key of a mapping, or of those in it, that was a setting once."""
    for key, value in content.items() if isinstance(content, dict) else ():
        if key in GONE:
            raise UserError(f"{where}: {key} is not a setting any more: {GONE[key]}")
        refuse_gone(value, where)
