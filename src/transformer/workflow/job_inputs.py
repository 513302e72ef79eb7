"""Which files the jobs of the rules read, and with which options, by the wildcards in the paths of their outputs.

``set`` is empty for the test set, and ``last/`` for the development set, which the last checkpoint translates (Table
3).  In the place of a target language stands ``trees`` or ``silver`` for a parser.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from transformer.common.errors import UserError
from transformer.settings.own_files import OwnCorpus, TextFile
from transformer.settings.settings import Settings
from transformer.workflow.contents import contents_of

PARSING_DATA = "trees|silver"
RUN = "<results>/runs/{run}/{source}-{target}"

InputFunction = Callable[[Any], str]


def files_in(folders: Iterable[str], *names: str) -> list[str]:
    """Return the files of these names of each folder."""
    return [f"{folder}/{name}" for folder, name in product(folders, names)]


def of_model(name: str) -> InputFunction:
    """Return a function that gives a file of the model that translates a set: the average, or the last checkpoint."""
    return lambda wildcards: f"{RUN}/{'last' if wildcards.set == 'last/' else 'averaged'}/{name}"


def translated(ending: str) -> InputFunction:
    """Return a function that gives a file of the translation of a set."""
    return lambda wildcards: f"{RUN}/{wildcards.set}{_split_of(wildcards)}.{ending}"


def parsed(ending: str) -> InputFunction:
    """Return a function that gives a file of the parses that are scored."""
    return lambda wildcards: f"{RUN}/{wildcards.score.replace('parses', 'constrained')}.{ending}"


@dataclass(frozen=True)
class JobInputs:
    """Which files jobs read at the scale of ``settings``, and how; ``own`` are the user's own corpora."""

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

    def run_folders(self, runs: Iterable[str], pairs: Iterable[str], seeds: bool = True) -> list[str]:
        """Return the folders of runs, one for each pair and seed, or for the first seed only."""
        return [
            f"results/{self.settings.scale}/runs/{name}/{pair}"
            for run, pair in product(runs, pairs)
            for name in self.settings.seeded(run)[: None if seeds else 1]
        ]

    def texts_of(self, wildcards: Any, side: str) -> list[TextFile]:
        """Return the texts that one side of a split consists of, in their order."""
        pair, split = _pair(wildcards), wildcards.split
        if (pair, split, side) in self.settings.downloads:
            return self._downloads(pair, split, side)
        if pair in self.own:
            return [part[pair.split("-").index(side)] for part in self.own[pair].parts[split]]
        return [TextFile(f"{self.data}/raw/{pair}/{split}.{side}")]

    def files_of(self, wildcards: Any, side: str) -> list[str]:
        """Return the files that hold one side of a split."""
        return [text.file for text in self.texts_of(wildcards, side)]

    def paths_of(self, wildcards: Any, side: str) -> list[str]:
        """Return the paths by which they are read: of an archive, with the member behind it."""
        return [text.path for text in self.texts_of(wildcards, side)]

    def is_ours(self, text: TextFile) -> bool:
        """Return whether the pipeline fetches or makes the file of a text, rather than the user."""
        return text.file.startswith(("data/downloads/", f"{self.data}/"))

    def columns_options(self, wildcards: Any) -> list[Any]:
        """Return the options that name the columns of tab-separated texts, if there are any."""
        sides = (wildcards.source, wildcards.target)
        columns = [self.texts_of(wildcards, side)[0].column for side in sides]
        return ["--columns", *columns] if all(columns) else []

    def sums_of_own_texts(self, wildcards: Any) -> list[str]:
        """Return the sha256 of the user's own files: Snakemake compares inputs by their dates only."""
        texts = (
            text for side in (wildcards.source, wildcards.target) for text in self.texts_of(wildcards, side)
        )
        return contents_of(text.file for text in texts if not self.is_ours(text))

    def cleaning_options(self, wildcards: Any) -> str:
        """Return the limits for training pairs; nothing is dropped from the development and test sets."""
        if wildcards.split != "train":
            return "--keep-all"
        limits = self.settings.clean[_pair(wildcards)]
        deduplicate = " --deduplicate" if limits["deduplicate"] else ""
        pairs = f" --max-pairs {limits['max_pairs']}" if "max_pairs" in limits else ""
        return f"--max-length {limits['max_length']} --max-ratio {limits['max_ratio']}{deduplicate}{pairs}"

    def _downloads(self, pair: str, split: str, side: str) -> list[TextFile]:
        parts = self.settings.downloads[pair, split, side]
        return [TextFile(f"data/downloads/{part['path']}", part["member"]) for part in parts]

    def sum_of_download(self, path: str) -> str | None:
        """Return the sum that the registry gives for a file that this scale downloads, or None."""
        parts = (part for parts in self.settings.downloads.values() for part in parts)
        return next((part["sum"] for part in parts if part["path"] == path), None)

    def max_lengths_of(self, wildcards: Any) -> list[int]:
        """Return the lengths up to which the runs of the tables are trained on the pairs of a language pair."""
        settings, pair = self.settings, _pair(wildcards)
        runs = [*settings.table2_runs, *(settings.table3_runs if pair == settings.pairs[0] else [])]
        return sorted({settings.run(run, pair)["training"]["max_length"] for run in runs})

    def text_of(self, side: str) -> InputFunction:
        """Return a function that gives one side of a set."""

        def path(wildcards: Any) -> str:
            return f"{self.data}/clean/{_pair(wildcards)}/{_split_of(wildcards)}.{getattr(wildcards, side)}"

        return path

    def treebank_texts(self, wildcards: Any) -> list[TextFile]:
        """Return the texts that hold a split's trees, generated or downloaded."""
        if self._parsing["source"] == "grammar":
            return [TextFile(f"{self.data}/raw/trees/{wildcards.split}.trees")]
        return self._downloads("trees", wildcards.split, "trees")

    def silver_texts(self) -> list[TextFile]:
        """Return the texts of raw English from which silver trees are made; none if the user names a file."""
        text = self._parsing["silver"]["text"]
        if text == "grammar":
            return [TextFile(f"{self.data}/raw/en-de/train.en")]
        return [] if text == "file" else self._downloads("silver", "text", "en")

    def trees_of(self, wildcards: Any) -> str:
        """Return the trees of a split; the development and test sets are always the treebank's."""
        if wildcards.split == "train" and wildcards.target == "silver":
            return f"{self.data}/silver/train.trees"
        return f"{self.data}/clean/trees/{wildcards.split}.trees"

    def tags_of(self, wildcards: Any) -> list[str]:
        """Return the second parser's trees if a parser reads their tags, and nothing if it reads the treebank's."""
        if self._parsing["input_tags"] != "predicted" or wildcards.split == "train":
            return []
        return [f"{self.data}/silver/{wildcards.split}.pcfg.trees"]

    def symbols_of(self, wildcards: Any) -> list[str]:
        """Return the vocabulary of the trees' symbols if a parser is trained, and nothing for a translation model."""
        if not re.fullmatch(PARSING_DATA, wildcards.target):
            return []
        return [f"{self.data}/subwords/{_pair(wildcards)}/symbols.json"]

    def tree_encoding(self, wildcards: Any) -> list[Any]:
        """Return the options that encode trees: training sentences several times, each with other merges left out."""
        train = wildcards.split == "train"
        copies, dropout = (self._parsing["copies"], self._parsing["bpe_dropout"]) if train else (1, 0)
        return ["--copies", copies, "--dropout", dropout, "--seed", self.settings.seed]

    def own_silver_option(self, wildcards: Any) -> str:
        """Return the option that tells resolve_run.py from which file of the user's silver trees are made, if any."""
        if wildcards.target != "silver":
            return ""
        if self.settings.silver_trees is not None:
            return "--own-silver-trees"
        return "--own-silver-text" if self.settings.silver_text is not None else ""

    def averaged(self, wildcards: Any) -> int:
        """Return how many of a run's last checkpoints are averaged."""
        if wildcards.average == "last":
            return 1
        return int(self.settings.averaging(wildcards.run, _pair(wildcards))["average_checkpoints"])

    def decoding_of(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of the beam search for a run."""
        return self.settings.decoding(wildcards.run, _pair(wildcards))

    def search_options(self, wildcards: Any) -> list[Any]:
        """Return the options of a translation for the settings of its beam search."""
        settings = self.decoding_of(wildcards).items()
        return [word for key, value in settings for word in (f"--{key.replace('_', '-')}", value)]

    def attention_options(self) -> list[Any]:
        """Return the sentences of the figures of attention, or their lines in the test set, with their marked words."""
        words = {"long_distance": ["word"], "anaphora": ["word", "antecedent"]}
        options: list[Any] = []
        for figure, shown in (self.settings.attention or {}).items():
            sentence = shown.get("sentence", shown.get("test_line"))
            options += [f"--{figure.replace('_', '-')}", sentence, *(shown[word] for word in words[figure])]
        return options

    @property
    def _parsing(self) -> dict[str, Any]:
        assert self.settings.parsing is not None  # only rules of parsers ask
        return self.settings.parsing


def _pair(wildcards: Any) -> str:
    return f"{wildcards.source}-{wildcards.target}"


def _split_of(wildcards: Any) -> str:
    """Return the split that a set is: `last/` is the development set, and other names are of test sets."""
    return "dev" if wildcards.set == "last/" else "test"
