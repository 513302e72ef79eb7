"""The measures of a translation that Table 2 shows: one entry each."""

from dataclasses import dataclass

BLEU = "BLEU"
HEADLINE, SACREBLEU = "headline", "sacrebleu"


@dataclass(frozen=True)
class Measure:
    """How Table 2 shows a measure.

    BLEU's measures share its columns, which have the paper's number as well, and each has a line of its own.  Another
    ``unit`` has columns of its own, named after it, and so an axis of its own on the page, in the first line of a run.
    """

    name: str  # in scores.json; HEADLINE is the one that stands there as such, by the language
    label: str  # of its lines, and in the CSV file
    unit: str = BLEU
    note: str = ""

    @property
    def column(self) -> str:
        """The beginning of the names of its columns: ``bleu`` of ``bleu_en-de``."""
        return self.unit.lower()


MEASURES = (Measure(HEADLINE, "as in the paper"), Measure(SACREBLEU, "sacreBLEU"))
