"""Where the texts of a scale are, how they are read and under which terms they are, by the wildcards of a job."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from transformer.common.errors import UserError
from transformer.corpus.licences import OWN_DATA
from transformer.settings.own_files import OwnCorpus, TextFile
from transformer.settings.settings import Settings
from transformer.workflow.contents import contents_of


def pair_of(wildcards: Any) -> str:
    """Return the language pair of a job; a parser has ``trees`` or ``silver`` in the place of a target language."""
    return f"{wildcards.source}-{wildcards.target}"


def files_in(folders: Iterable[str], *names: str) -> list[str]:
    """Return the files of these names of each folder."""
    return [f"{folder}/{name}" for folder, name in product(folders, names)]


@dataclass(frozen=True)
class JobInputs:
    """What jobs read at the scale of ``settings``; ``own`` are the user's own corpora."""

    settings: Settings
    own: Mapping[str, OwnCorpus]

    @property
    def data(self) -> str:
        """The folder of the scale's data."""
        return f"data/{self.settings.scale}"

    def check(self) -> None:
        """Raise UserError when there is no data of parsers where the user says."""
        for key, is_there, needed in (
            ("treebank", os.path.isdir, "folder; give the folder of your treebank"),
            ("silver_text", os.path.isfile, "file; give raw English, one sentence per line"),
            ("silver_trees", os.path.isfile, "file; give a file of bracketed trees"),
        ):
            path = getattr(self.settings, key)
            if path is not None and not is_there(path):
                raise UserError(f"{key}: {path}: no such {needed}")

    def run_folders(self, trainings: Iterable[tuple[str, str]], seeds: bool = True) -> list[str]:
        """Return the folders of runs on pairs, one for each seed, or for the first seed only."""
        return [
            f"results/{self.settings.scale}/runs/{name}/{pair}"
            for run, pair in trainings
            for name in self.settings.seeded(run)[: None if seeds else 1]
        ]

    def texts(self, corpus: str, split: str, side: str) -> list[TextFile]:
        """Return the texts that one side of a split consists of, in their order; ``corpus`` is a pair, or ``trees``."""
        if corpus in self.own:
            return [part[corpus.split("-").index(side)] for part in self.own[corpus].parts[split]]
        generated = TextFile(f"{self.data}/raw/{corpus}/{split}.{side}")
        return self.downloaded(corpus, split, side) or [generated]

    def downloaded(self, corpus: str, split: str, side: str) -> list[TextFile]:
        """Return the texts that are downloaded for one side of a corpus: a language pair, trees or silver."""
        parts = self.settings.downloads.get((corpus, split, side), ())
        return [TextFile(f"data/downloads/{part['path']}", part["member"]) for part in parts]

    def sum_of_download(self, path: str) -> str | None:
        """Return the sum that the registry gives for a file that this scale downloads, or None."""
        parts = (part for parts in self.settings.downloads.values() for part in parts)
        return next((part["sum"] for part in parts if part["path"] == path), None)

    def columns_options(self, wildcards: Any) -> list[Any]:
        """Return the options that name the columns of tab-separated texts, if there are any."""
        columns = [texts[0].column for texts in self._sides(wildcards)]
        return ["--columns", *columns] if all(columns) else []

    def sums_of_own_texts(self, wildcards: Any) -> list[str]:
        """Return the sha256 of the user's own files: Snakemake compares inputs by their dates only."""
        ours = ("data/downloads/", f"{self.data}/")  # what the pipeline fetches or makes
        files = [text.file for texts in self._sides(wildcards) for text in texts]
        return contents_of(file for file in files if not file.startswith(ours))

    def _sides(self, wildcards: Any) -> list[list[TextFile]]:
        """Return the texts of both sides of a split."""
        sides = (wildcards.source, wildcards.target)
        return [self.texts(pair_of(wildcards), wildcards.split, side) for side in sides]

    def cleaning_options(self, wildcards: Any) -> str:
        """Return the limits for training pairs; nothing is dropped from the development and test sets."""
        if wildcards.split != "train":
            return "--keep-all"
        limits = self.settings.clean[pair_of(wildcards)]
        deduplicate = " --deduplicate" if limits["deduplicate"] else ""
        pairs = f" --max-pairs {limits['max_pairs']}" if "max_pairs" in limits else ""
        return f"--max-length {limits['max_length']} --max-ratio {limits['max_ratio']}{deduplicate}{pairs}"

    def max_lengths_of(self, wildcards: Any) -> list[int]:
        """Return the lengths up to which the runs of the tables are trained on the pairs of a language pair."""
        settings, pair = self.settings, pair_of(wildcards)
        runs = [*settings.table2_runs, *(settings.table3_runs if pair == settings.pairs[0] else [])]
        return sorted({settings.run(run, pair)["training"]["max_length"] for run in runs})

    def terms(self, *corpora: str) -> list[str]:
        """Return the values of --data for corpora: names of sources, and the option that gives the user's own terms."""
        downloads = self.settings.downloads.items()
        sources = {
            part["source"] for (corpus, _, _), parts in downloads if corpus in corpora for part in parts
        }
        held_out = [self.own[corpus].held_out for corpus in corpora if corpus in self.own]
        if not held_out:
            return sorted(sources)
        cut = " and ".join(split for split in ("dev", "test") if any(split in splits for splits in held_out))
        name = self.settings.corpus + (f", {cut} cut from the training text" if cut else "")
        terms = self.settings.own_terms
        return [*sorted(sources), OWN_DATA, name, terms["licence"], terms["citation"]]
