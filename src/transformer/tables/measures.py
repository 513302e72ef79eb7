"""The measures of a translation that Table 2 can show: one entry each.

`table2_measures` in config/config.yaml chooses among them.  The workflow reads this file before anything is trained, so
it loads neither pandas nor numpy.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from transformer.common.errors import UserError, similar

HEADLINE, SACREBLEU, CHRF = "headline", "sacrebleu", "chrf"
SCORED, TEXTS = "scores.csv", "texts"  # where the counts of each sentence are from


@dataclass(frozen=True)
class Measure:
    """How Table 2 shows a measure.

    BLEU's measures share its columns, which have the paper's number as well, and each has a line of its own.  Another
    ``unit`` has columns of its own, named after it, and so an axis of its own on the page, in the first line of a run.
    Rows are compared with base by a measure whose ``counts`` of each sentence are known, and each such measure is
    corrected by itself for the number of its comparisons.
    """

    name: str  # in scores.json; HEADLINE is the one that stands there as such, by the language
    label: str  # of its lines, and in the CSV file
    unit: str = "BLEU"
    counts: str = ""  # SCORED, TEXTS (which are counted again when the table is made), or blank: not tested
    note: str = ""

    @property
    def column(self) -> str:
        """The beginning of the names of its columns: ``bleu`` of ``bleu_en-de``."""
        return self.unit.lower()


MEASURES = (
    Measure(HEADLINE, "as in the paper", counts=SCORED),
    Measure(SACREBLEU, "sacreBLEU"),
    Measure(
        CHRF,
        "chrF2",
        unit="chrF2",
        counts=TEXTS,
        note="chrF2 is sacreBLEU's: the F-score of character n-grams of orders 1 to 6 (Popović 2015).",
    ),
)
DEFAULT = (HEADLINE, SACREBLEU)


def chosen_measures(names: Sequence[str]) -> list[Measure]:
    """Return the measures of these names.  Raises UserError for an unknown one, and without the headline."""
    known = {measure.name: measure for measure in MEASURES}
    for name in names:
        if name not in known:
            hint = similar(name, known) or f" it has {', '.join(known)}"
            raise UserError(f"table2_measures: there is no measure {name!r};{hint}")
    if HEADLINE not in names:
        raise UserError(f"table2_measures: give {HEADLINE} as well, beside which the paper's numbers stand")
    return [known[name] for name in dict.fromkeys(names)]
