"""The tables: one entry each, which the rules, the page and the publication read.

The workflow reads this file before anything is trained, so it loads neither pandas nor numpy.
"""

from dataclasses import dataclass

OWN_CHAPTER, FURTHER = "own chapter", "further tables"  # places on the page


@dataclass(frozen=True)
class Entry:
    """A table: how it is numbered and called, and where it is shown.

    The rule of its name in workflow/rules/tables.smk makes it.
    """

    name: str  # of its files
    number: str  # the paper's, or a letter
    caption: str  # in the list of published files
    place: str = FURTHER


_CLAIMS = "The paper's claims, tested on our numbers: each holds, fails or is undecided."
_TABLE1 = "Costs of the layer types: the paper's orders of growth beside our counts."
_TABLE2 = "BLEU and training cost of translation models: the paper's rows, then ours."
_TABLE3 = (
    "Variations of the Transformer: perplexity, BLEU and parameters of the paper's twenty models, as in the paper and "
    "as measured here, and of runs of the user's own."
)
_TABLE4 = "F1 of constituency parsers: the paper's rows, then ours."
ENTRIES = {
    entry.name: entry
    for entry in (
        Entry("claims", "C", _CLAIMS, OWN_CHAPTER),
        Entry("table1", "1", _TABLE1, OWN_CHAPTER),
        Entry("table2", "2", _TABLE2, OWN_CHAPTER),
        Entry("table3", "3", _TABLE3, OWN_CHAPTER),
        Entry("table4", "4", _TABLE4, OWN_CHAPTER),
    )
}
