"""Under which terms the data of a scale are, of which the tables and the exports name the licences."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from transformer.corpus.licences import OWN_DATA
from transformer.settings.own_files import OwnCorpus
from transformer.settings.settings import Settings


@dataclass(frozen=True)
class DataTerms:
    """The terms of the data at the scale of ``settings``; ``own`` are the user's own corpora."""

    settings: Settings
    own: Mapping[str, OwnCorpus]

    def sources_of(self, *corpora: str) -> list[str]:
        """Return the names of the sources of corpora (language pairs, trees, silver)."""
        parts = [
            part
            for (corpus, _, _), parts in self.settings.downloads.items()
            if corpus in corpora
            for part in parts
        ]
        return sorted({part["source"] for part in parts})

    def of_pair(self, wildcards: Any) -> list[str]:
        """Return the terms that a language pair's corpus is under, as :meth:`options`."""
        return self.options(f"{wildcards.source}-{wildcards.target}")

    def options(self, *corpora: str) -> list[str]:
        """Return the values of --data for corpora: names of sources, and the option that gives the user's own terms."""
        own = [corpus for corpus in corpora if corpus in self.own]
        return [*self.sources_of(*corpora), *([OWN_DATA, *self._own_terms(own)] if own else [])]

    def _own_terms(self, pairs: list[str]) -> list[str]:
        """Return name, licence and citation of the user's files; the name says which sets were cut from the text."""
        cut = [split for split in ("dev", "test") if any(split in self.own[pair].held_out for pair in pairs)]
        name = self.settings.corpus + (f", {' and '.join(cut)} cut from the training text" if cut else "")
        return [name, self.settings.own_terms["licence"], self.settings.own_terms["citation"]]
