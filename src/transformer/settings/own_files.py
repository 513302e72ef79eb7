"""The user's own files of a language pair, `translation.<pair>.files` in a scale (docs/your-corpus.md)."""

import glob
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from transformer.common.errors import UserError
from transformer.corpus.addresses import download_path, is_url
from transformer.settings.free_text import check_text
from transformer.settings.gone import GONE
from transformer.settings.sources import SPLITS

FETCHED = "data/own"  # where the test sets of sacreBLEU are copied to
FORMS = "two files (a path for each language), `tsv` with `columns`, or `sacrebleu`"


@dataclass(frozen=True)
class TextFile:
    """Where one side of a part is."""

    file: str  # a local path, a URL, or for a set of sacreBLEU the path that the pipeline copies it to
    member: str | None = None  # of an archive
    column: int = 0  # of tab-separated ones, from 1; 0: the whole line

    @property
    def is_url(self) -> bool:
        """Whether the file or the archive is downloaded."""
        return is_url(self.file)

    @property
    def fetched(self) -> str:
        """The path of the file or the archive once it is there."""
        return f"data/downloads/{download_path(self.file)}" if self.is_url else self.file

    @property
    def path(self) -> str:
        """The path by which the text is read."""
        return self.fetched if self.member is None else f"{self.fetched}/{self.member}"


Part = tuple[TextFile, TextFile]  # the source and the target


@dataclass(frozen=True)
class OwnCorpus:
    """The files of a language pair."""

    parts: dict[str, list[Part]]  # train, dev, test, unless the split is cut from `train`
    held_out: dict[str, int | None]  # the splits that are cut from `train` → pairs, or None for the default

    @property
    def files(self) -> list[TextFile]:
        """All files of all parts."""
        return [file for parts in self.parts.values() for part in parts for file in part]


def own_corpora(sections: Mapping[str, Mapping[str, Any]], scale: str) -> dict[str, OwnCorpus]:
    """Return the corpus of each language pair in ``sections``, those called `files` in the file of ``scale``.

    Raises UserError as :func:`own_corpus` does, and when two URLs would be downloaded to one file.
    """
    corpora = {
        pair: own_corpus(files, pair, f"config/{scale}.yaml: translation.{pair}.files")
        for pair, files in sections.items()
    }
    urls: dict[str, str] = {}
    for file in (file for corpus in corpora.values() for file in corpus.files if file.is_url):
        first = urls.setdefault(file.fetched, file.file)
        if first != file.file:
            raise UserError(
                f"config/{scale}.yaml: two addresses would be one file, {file.fetched}, since only their path is "
                "written down; download them yourself, and name the files"
            )
    return corpora


def own_corpus(files: Mapping[str, Any], pair: str, where: str) -> OwnCorpus:
    """Return the corpus that ``files``, a section of a scale's file called ``where``, describes for ``pair``.

    Raises UserError when a local file does not exist, or when the section is contradictory.
    """
    parts: dict[str, list[Part]] = {}
    held_out: dict[str, int | None] = {}
    for split in SPLITS:
        given = files.get(split)
        if given is None or isinstance(given, int):
            if split == "train":
                raise UserError(f"{where}.train: {given} is not a text; a text is {FORMS}")
            held_out[split] = given
            continue
        texts = given if isinstance(given, list) else [given]
        if split == "test" and len(texts) > 1:
            raise UserError(
                f"{where}.test: {len(texts)} texts; give one test set, and {GONE['further_tests']}"
            )
        found = [_parts(text, pair, f"{where}.{split}") for text in texts]
        parts[split] = [part for text in found for part in text]
    return OwnCorpus(parts, held_out)


def _parts(text: Mapping[str, Any], pair: str, where: str) -> list[Part]:
    """Return the parts that one entry of a split names; a path with wildcards may be several files."""
    sides = pair.split("-")
    if "sacrebleu" in text:
        _check_keys(text, ["sacrebleu"], where)
        return [_test_set(text["sacrebleu"], pair, where)]
    if "tsv" in text:
        _check_keys(text, ["tsv", "columns"], where)
        _check_keys(text["columns"], sides, f"{where}.columns")
        columns = [text["columns"][side] for side in sides]
        names = [text["tsv"], text["tsv"]]
    else:
        _check_keys(text, sides, where)
        columns, names = [0, 0], [text[side] for side in sides]
    archives = _files(text["archive"], f"{where}.archive") if "archive" in text else []
    sources, targets = (
        [TextFile(archive, _checked(name, where), column) for archive in archives]
        or [TextFile(file, column=column) for file in _files(name, where)]
        for name, column in zip(names, columns, strict=True)
    )
    if len(sources) != len(targets):
        raise UserError(
            f"{where}: {len(sources)} files in {sides[0]} and {len(targets)} files in {sides[1]}; each file needs its "
            "translation"
        )
    for source, target in zip(sources, targets, strict=True):
        # Another path may lead to the same file.
        places = [(os.path.realpath(side.file), side.member, side.column) for side in (source, target)]
        if places[0] == places[1]:  # a model would learn to copy it
            column = f", column {source.column}" if source.column else ""
            file = source.member or source.file
            raise UserError(f"{where}: {file}{column} is named for both {' and '.join(sides)}; correct one")
    return list(zip(sources, targets, strict=True))


def _check_keys(given: Mapping[str, Any], needed: list[str], where: str) -> None:
    if given.keys() - {"archive"} != set(needed):
        raise UserError(f"{where}: give {' and '.join(needed)}, not {', '.join(given)}; a text is {FORMS}")


def _files(name: str, where: str) -> list[str]:
    """Return the local files that a path names, in the order of the numbers and letters of their names, or the URL."""
    if is_url(name):
        return [name]
    path = os.path.expanduser(name)
    found = [path] if os.path.isfile(path) else sorted(glob.glob(path, recursive=True), key=_in_order)
    files = [file for file in found if not os.path.isdir(file)] or [path]
    for file in files:  # of a link that a wildcard finds, the file may not be there
        if not os.path.isfile(_checked(file, where)):
            raise UserError(f"{where}: {file} is not a file (relative paths start at {os.getcwd()})")
    return files


def _in_order(file: str) -> tuple[list[tuple[str, int]], str]:
    """Return a key by which part-2 comes before part-10, as part-02 does, and upper case counts as lower case.

    Names that are the same by this are in the order of their characters.
    """
    return [(word.lower(), int(number or 0)) for word, number in re.findall(r"(\D*)(\d*)", file)], file


def _checked(path: str, where: str) -> str:
    """Return a path.  Raises UserError when commands or Snakemake do not take it."""
    check_text(path, where)
    if "{" in path or "}" in path:
        raise UserError(f"{where}: {path} has a brace, by which Snakemake marks wildcards; rename the file")
    return path


def _test_set(name: str, pair: str, where: str) -> Part:
    # sacreBLEU loads numpy, so it is imported only by those who ask for it.
    from transformer.corpus.fetch_test_set import check_name

    try:
        check_name(name, pair)
    except UserError as error:
        raise UserError(f"{where}: {error}") from None
    source, target = (TextFile(f"{FETCHED}/sacrebleu/{name}/{pair}.{side}") for side in pair.split("-"))
    return source, target
