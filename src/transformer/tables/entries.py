"""The tables: one entry each, which the rules, the page, the report and the publication read.

The workflow reads this file before anything is trained, so it loads neither pandas nor numpy.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from transformer.tables.runs import AVERAGED, LAST, PARSES

# What a table reads besides the files of its runs, by the option of make_table.py that names it.
LAYERS, PAPER_SETTINGS, BASELINES, REFERENCES = "layers", "paper_settings", "baselines", "references"
TESTS, TEXT, CLAIMS, AVERAGES = "tests", "text", "claims", "averages"
NEEDED = (LAYERS, PAPER_SETTINGS, CLAIMS)  # without which it cannot be made; the others may be none
OWN_CHAPTER, FURTHER = "own chapter", "further tables"  # places on the page


@dataclass(frozen=True)
class Entry:
    """A table: how it is numbered and called, what it is made from, and where it is shown.

    ``made_by`` is the module of this folder whose function ``make`` returns the table.  ``runs`` names the runs that
    it shows, a key of RUNS in workflow/rules/tables.smk; ``files`` are what it reads of each (kind → path), and
    ``sentences`` the files with the counts that its tests need.  A table that is made from the cells of other
    ``tables`` also reads the counts of their sentences.
    """

    name: str  # of its files
    number: str  # the paper's, or a letter
    caption: str  # in the list of published files
    made_by: str
    runs: str = ""
    files: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    sentences: Sequence[str] = ()
    reads: Sequence[str] = ()
    tables: Sequence[str] = ()
    place: str = FURTHER

    @property
    def make(self) -> Callable[[Any], Any]:
        """The function that returns the table of its Inputs (inputs.py)."""
        made: Callable[[Any], Any] = importlib.import_module(f"transformer.tables.{self.made_by}").make
        return made

    @property
    def run_files(self) -> list[str]:
        return [*self.files.values(), *self.sentences]


OF_PAPER = ("table1", "table2", "table3", "table4")
ENTRIES = {
    entry.name: entry
    for entry in (
        Entry(
            "claims",
            "C",
            "The paper's claims, tested on our numbers: each holds, fails or is undecided.",
            "make_claims",
            runs="heads",
            files={"training": "training.json"},
            reads=(LAYERS, CLAIMS, AVERAGES),
            tables=OF_PAPER,
            place=OWN_CHAPTER,
        ),
        Entry(
            "table1",
            "1",
            "Costs of the layer types: the paper's orders of growth beside our counts.",
            "table1",
            reads=(LAYERS,),
            place=OWN_CHAPTER,
        ),
        Entry(
            "table2",
            "2",
            "BLEU and training cost of translation models: the paper's rows, then ours.",
            "table2",
            runs="table2",
            files=AVERAGED,
            sentences=("scores.csv",),
            reads=(BASELINES, REFERENCES, TEXT),
            place=OWN_CHAPTER,
        ),
        Entry(
            "table3",
            "3",
            "Variations of the Transformer: perplexity, BLEU and parameters of the paper's twenty models, as in the "
            "paper and as measured here, and of runs of the user's own.",
            "table3",
            runs="table3",
            files=LAST,
            sentences=("last/perplexity.csv", "last/scores.csv"),
            reads=(PAPER_SETTINGS, TEXT),
            place=OWN_CHAPTER,
        ),
        Entry(
            "table4",
            "4",
            "F1 of constituency parsers: the paper's rows, then ours.",
            "table4",
            runs="parsers",
            files=PARSES,
            sentences=("parses.csv",),
            place=OWN_CHAPTER,
        ),
        Entry(
            "test_sets",
            "B",
            "BLEU of the runs of Table 2 on each test set.",
            "further_tests",
            runs="table2",
            files=AVERAGED,
            reads=(TESTS, TEXT),
        ),
    )
}
