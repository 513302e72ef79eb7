"""Settings that are gone or stand in another file, each with what to do instead."""

from collections.abc import Collection, Mapping
from typing import Any

from transformer.common.errors import UserError
from transformer.settings.merging import SETTINGS

GONE = {
    "choose_on_dev": "the last checkpoints are averaged; `metrics.jsonl` has dev_f1, by which you can choose `steps`",
    "further_tests": "translate any text with translate.py, and score it with score_bleu.py",
    "nodes": "a training runs on one node; delete it",
    "test_sentences": "results/plan.md has no translation any more; delete it",
    "table2_measures": "results/scores.csv has chrF, and tables/measures.py the measures of Table 2",
}
# Keys of config.yaml and --config; a scale's section `attention` has some of them.
GONE_OF_CONFIG = GONE | dict.fromkeys(
    ("sentence", "word", "antecedent"),
    "the page shows any sentence; the figures show those of the section `attention` of the scale",
)


def refuse_gone(content: Any, where: str, gone: Mapping[str, str] = GONE) -> None:
    """Raise UserError for the first key of a mapping, or of those in it, that was a setting once."""
    for key, value in content.items() if isinstance(content, dict) else ():
        if key in gone:
            raise UserError(f"{where}: {key} is not a setting any more: {gone[key]}")
        refuse_gone(value, where, gone)


def refuse_elsewhere(content: Any, where: str, of_config: Collection[str] = ()) -> None:
    """Raise UserError for the first key that is a setting of runs, or one of those that belong to config.yaml."""
    for key in content if isinstance(content, dict) else ():
        if key in SETTINGS:
            raise UserError(
                f"{where}: {key} is a setting of runs; write it under `settings` in a scale's file"
            )
        if key in of_config:
            raise UserError(
                f"{where}: {key} is no key of a scale; set it in config/config.yaml or by --config"
            )
