"""The user's own files of a language pair, `translation.<pair>.files` in a scale (docs/your-corpus.md)."""

import glob
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from transformer.common.errors import UserError
from transformer.corpus.packed import archive_of
from transformer.settings.free_text import check_text
from transformer.settings.sources import SPLITS


@dataclass(frozen=True)
class TextFile:
    """Where one side of a part is: a file, or a member of an archive, or a column of either."""

    file: str
    member: str | None = None  # of an archive
    column: int = 0  # of tab-separated ones, from 1; 0: the whole line

    @property
    def path(self) -> str:
        """The path by which the text is read."""
        return self.file if self.member is None else f"{self.file}/{self.member}"


Part = tuple[TextFile, TextFile]  # the source and the target


@dataclass(frozen=True)
class OwnCorpus:
    """The files of a language pair."""

    parts: dict[str, list[Part]]  # train, dev, test, unless the split is cut from `train`
    held_out: dict[str, int | None]  # the splits that are cut from `train` → pairs, or None for the default


def own_corpora(sections: Mapping[str, Mapping[str, Any]], scale: str) -> dict[str, OwnCorpus]:
    """Return the corpus of each language pair in ``sections``, those called `files` in the file of ``scale``.

    Raises UserError when a file does not exist, or when a section is contradictory.
    """
    corpora = {}
    for pair, files in sections.items():
        where = f"config/{scale}.yaml: translation.{pair}.files"
        texts = {split: files[split] for split in SPLITS if isinstance(files.get(split), dict)}
        if "train" not in texts:
            raise UserError(f"{where}.train: give a text: a path for each language, or `tsv` with `columns`")
        parts = {split: _parts(text, pair, f"{where}.{split}") for split, text in texts.items()}
        corpora[pair] = OwnCorpus(parts, {split: files.get(split) for split in SPLITS if split not in texts})
    return corpora


def _parts(text: Mapping[str, Any], pair: str, where: str) -> list[Part]:
    """Return the parts that a split consists of: a path with wildcards may be several files."""
    sides = pair.split("-")
    columns = text.get("columns", {})
    if set(text) != ({"tsv", "columns"} if "tsv" in text else {*sides}) or (
        "tsv" in text and set(columns) != {*sides}
    ):
        raise UserError(
            f"{where}: give a path for each of {' and '.join(sides)}, or `tsv` and `columns` with a number for each"
        )
    sources, targets = (
        [
            TextFile(file, member, columns.get(side, 0))
            for file, member in _files(text.get("tsv") or text[side], where)
        ]
        for side in sides
    )
    if len(sources) != len(targets):
        raise UserError(
            f"{where}: {len(sources)} files in {sides[0]} and {len(targets)} files in {sides[1]}; each file needs its "
            "translation"
        )
    for source, target in zip(sources, targets, strict=True):
        # Another path may lead to the same file.  A model would learn to copy it.
        places = {(os.path.realpath(side.file), side.member, side.column) for side in (source, target)}
        if len(places) == 1:
            raise UserError(f"{where}: {source.path} is named for both {' and '.join(sides)}; correct one")
    return list(zip(sources, targets, strict=True))


def _files(path: str, where: str) -> list[tuple[str, str | None]]:
    """Return the files that a path names, each with the member of an archive or None, as a shell expands and sorts."""
    path = os.path.expanduser(path)
    found = sorted(glob.glob(path)) or [path]
    files = []
    for name in found:
        check_text(name, where)
        if "{" in name or "}" in name:
            raise UserError(
                f"{where}: {name} has a brace, by which Snakemake marks wildcards; rename the file"
            )
        file, member = archive_of(name)
        if not file.is_file():
            raise UserError(f"{where}: {name} is not a file (relative paths start at {os.getcwd()})")
        files.append((str(file), member or None))
    return files
