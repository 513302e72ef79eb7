"""Settings that are gone, each with what to do instead."""

from collections.abc import Iterable

from transformer.common.errors import UserError

GONE = {
    "further_tests": "translate any text with translate.py, and score it with score_bleu.py",
    "table2_measures": "results/scores.csv has chrF, and tables/measures.py the measures of Table 2",
}


def refuse_gone(keys: Iterable[str], where: str) -> None:
    """Raise UserError when ``where`` sets one of them."""
    for key in keys:
        if key in GONE:
            raise UserError(f"{where}: {key} is gone; {GONE[key]}")
