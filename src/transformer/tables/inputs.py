"""What a table is made from, as make_table.py was given it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from transformer.tables.literature import Literature
from transformer.tables.runs import Run
from transformer.tables.scored_rows import read_scored_rows


@dataclass(frozen=True)
class Inputs:
    """The paper's numbers, our runs, and the files that the entry of a table reads besides (entries.py)."""

    literature: Literature
    pairs: Sequence[str]
    runs: Sequence[Run] = ()
    further_tests: Sequence[Run] = ()
    measures: Sequence[str] = ()  # none: those of the default
    references: Sequence[Path] = ()
    layers: Sequence[Path] = ()
    paper_settings: Sequence[Path] = ()
    baselines: Sequence[Path] = ()
    claims: Sequence[Path] = ()
    trainings: Sequence[Path] = ()  # training.json of base and rows (A)
    tables: Sequence[Path] = ()

    @cached_property
    def numbers(self) -> pd.DataFrame:
        """Each score of the ``tables`` that it is made from, see ``read_scored_rows``."""
        return read_scored_rows(self.tables)
