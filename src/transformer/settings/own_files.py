"""The user's own files of a language pair, `translation.<pair>.files` in a scale (docs/your-corpus.md)."""

import glob
import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from transformer.common.errors import UserError, unknown
from transformer.corpus.registry import RegisteredFile, check_protected
from transformer.settings.free_text import check_text
from transformer.settings.sources import SPLITS

ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz")
KNOWN = (*ARCHIVES, ".gz", ".sgm", ".tsv", ".txt")  # endings after which the query of a URL says no more
FETCHED = "data/own"  # what the pipeline makes of files that are not plain local ones
LONGEST = 200  # bytes of a file's name; a file system takes 255, of which temporary files need some
FORMS = "two files (a path for each language), `tsv` with `columns`, or `sacrebleu`"


@dataclass(frozen=True)
class Place:
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
        return (
            f"{FETCHED}/downloads/{download_path(self.file)}"
            if self.is_url
            else os.path.expanduser(self.file)
        )

    @property
    def path(self) -> str:
        """The path of the text that is read."""
        return self.fetched if self.member is None else f"{self.unpacked}/{self.member}"

    @property
    def unpacked(self) -> str:
        """The folder of an archive's members; two archives of one name have a folder each."""
        digest = hashlib.sha256(self.file.encode()).hexdigest()[:8]
        return f"{FETCHED}/unpacked/{digest}-{_plain(os.path.basename(self.fetched))}"


@dataclass(frozen=True)
class OwnCorpus:
    """The files of a language pair."""

    # train, dev, test, tests/NAME → its parts, each a source and a target, unless the split is cut from `train`
    parts: dict[str, list[tuple[Place, Place]]]
    held_out: dict[str, int | None]  # the splits that are cut from `train` → pairs, or None for the default

    @property
    def places(self) -> list[Place]:
        """All places of all parts."""
        return [place for parts in self.parts.values() for part in parts for place in part]


def own_corpora(sections: Mapping[str, Mapping[str, Any]], scale: str) -> dict[str, OwnCorpus]:
    """Return the corpus of each language pair in ``sections``, those called `files` in the file of ``scale``.

    Raises UserError as :func:`own_corpus` does, and when two URLs would be downloaded to one file.
    """
    corpora = {
        pair: own_corpus(files, pair, f"config/{scale}.yaml: translation.{pair}.files")
        for pair, files in sections.items()
    }
    urls: dict[str, str] = {}
    for place in (place for corpus in corpora.values() for place in corpus.places if place.is_url):
        first = urls.setdefault(place.fetched, place.file)
        if first != place.file:
            raise UserError(
                f"config/{scale}.yaml: {first} and {place.file} would be one file, {place.fetched}; download them "
                "yourself, and name the files"
            )
    return corpora


def own_corpus(files: Mapping[str, Any], pair: str, where: str) -> OwnCorpus:
    """Return the corpus that ``files``, a section of a scale's file called ``where``, describes for ``pair``.

    Raises UserError when a local file does not exist, or when the section says what cannot be.
    """
    parts: dict[str, list[tuple[Place, Place]]] = {}
    held_out: dict[str, int | None] = {}
    for split in SPLITS:
        given = files.get(split)
        if given is None or isinstance(given, int):
            if split == "train":
                raise UserError(f"{where}.train: {given} is no text; a text is {FORMS}")
            held_out[split] = given
        else:
            texts = given if isinstance(given, list) else [given]
            if split == "test":  # several are several test sets, each with scores of its own
                texts, others = texts[:1], dict(zip(further_test_names(files), texts[1:], strict=True))
                parts |= {
                    f"tests/{name}": _parts(text, pair, f"{where}.test") for name, text in others.items()
                }
            parts[split] = [part for text in texts for part in _parts(text, pair, f"{where}.{split}")]
    return OwnCorpus(parts, held_out)


def further_test_names(files: Mapping[str, Any]) -> list[str]:
    """Return the names of the further test sets of a section `files`: those of `test` after the first.

    A set is called as sacreBLEU calls it, or as its file without endings.  One that would have no name or an earlier
    one's is called by its place in the list, from 2.

    >>> sets = [{"de": "a.de"}, {"sacrebleu": "wmt14/full"}, {"de": "d/News 2013.de.gz"}, {"de": "*.de"}]
    >>> further_test_names({"test": sets})
    ['wmt14-full', 'news-2013', 'test-4']
    """
    given = files.get("test")
    names: list[str] = []
    for number, text in enumerate(given if isinstance(given, list) else [given], start=1):
        if number > 1:
            file = next((path for key, path in sorted(text.items()) if key not in ("archive", "columns")), "")
            base = file if "sacrebleu" in text else os.path.basename(file).partition(".")[0]
            name = re.sub("[^a-z0-9]+", "-", base.lower()).strip("-")
            names.append(name if name and name not in names else f"test-{number}")
    return names


def is_url(file: str) -> bool:
    """Return whether a file is named by a URL."""
    return file.startswith(("http://", "https://"))


def download_path(url: str) -> str:
    """Return the path of a URL below the folder of downloads, and in a mirror: its host and its path.

    >>> download_path("https://opus.example/get.php?f=v1/de-en.zip")
    'opus.example/get.php_f_v1/de-en.zip'
    """
    parts = urlsplit(url)
    path = parts.path if not parts.query or parts.path.endswith(KNOWN) else f"{parts.path}_{parts.query}"
    return "/".join(_plain(name) for name in f"{parts.netloc}{path}".split("/") if name.strip("."))


def _plain(name: str) -> str:
    return re.sub("[^A-Za-z0-9._-]+", "_", name)


def _parts(text: Mapping[str, Any], pair: str, where: str) -> list[tuple[Place, Place]]:
    """Return the parts that one entry of a split names; a path with wildcards may be several files."""
    sides = pair.split("-")
    if "sacrebleu" in text:
        _check_keys(text, ["sacrebleu"], [], where)
        return [_test_set(text["sacrebleu"], pair, sides, where)]
    if "tsv" in text:
        _check_keys(text, ["tsv", "columns"], ["archive"], where)
        _check_keys(text["columns"], sides, [], f"{where}.columns")
        columns = [text["columns"][side] for side in sides]
        names = dict.fromkeys(sides, text["tsv"])
    else:
        _check_keys(text, sides, ["archive"], where)
        columns, names = [0, 0], {side: text[side] for side in sides}
    if archive := text.get("archive"):
        (archive,) = _files(archive, f"{where}.archive", archives=True, several=False)
        for side in sides:
            _check_path(names[side], where, in_archive=True)
        source, target = (
            Place(archive, names[side], column) for side, column in zip(sides, columns, strict=True)
        )
        return [_checked(source, target, sides, where)]
    found = {side: _files(names[side], where) for side in sides}
    counts = [len(files) for files in found.values()]
    if counts[0] != counts[1]:
        said = " and ".join(f"{len(files)} files in {side}" for side, files in found.items())
        raise UserError(f"{where}: {said}; each file needs its translation")
    return [
        _checked(Place(source, column=columns[0]), Place(target, column=columns[1]), sides, where)
        for source, target in zip(*found.values(), strict=True)
    ]


def _checked(source: Place, target: Place, sides: Sequence[str], where: str) -> tuple[Place, Place]:
    """Return both sides of a part.  Raises UserError when they are the same text: a model would learn to copy it."""
    if source == target:
        column = f", column {source.column}" if source.column else ""
        file = source.member or source.file
        raise UserError(f"{where}: {file}{column} is named for both {sides[0]} and {sides[1]}; correct one")
    return source, target


def _check_keys(given: Mapping[str, Any], needed: Sequence[str], others: Sequence[str], where: str) -> None:
    for key in given:
        if key not in (*needed, *others):
            raise UserError(f"{where}: {unknown('key', key, [*needed, *others])}; a text is {FORMS}")
    for key in needed:
        if key not in given:
            raise UserError(f"{where}: missing key '{key}'; a text is {FORMS}")


def _files(name: str, where: str, archives: bool = False, several: bool = True) -> list[str]:
    """Return the local files that a path names, in alphabetical order, or the URL."""
    _check_path(download_path(name) if is_url(name) else name, where)
    is_archive = (download_path(name) if is_url(name) else name).lower().endswith(ARCHIVES)
    if is_archive and not archives:
        raise UserError(
            f"{where}: {name} is an archive; name it as `archive`, and a path in it for each language or as `tsv`"
        )
    if archives and not is_archive:
        raise UserError(f"{where}: {name} is no archive; valid endings: {', '.join(ARCHIVES)}")
    if is_url(name):
        if not os.path.basename(download_path(name).partition("/")[2]):
            raise UserError(f"{where}: {name} names no file")
        check_protected(RegisteredFile(download_path(name), name), where)
        return [name]
    path = os.path.expanduser(name)
    if os.path.isfile(path):
        return [name]
    if os.path.isdir(path):
        raise UserError(f"{where}: {name} is a folder; name its files, e.g. {os.path.join(name, '*.txt')}")
    found = (
        sorted(file for file in glob.glob(path, recursive=True) if os.path.isfile(file)) if several else []
    )
    if not found:
        raise UserError(f"{where}: no such file: {name} (relative paths start at {os.getcwd()})")
    for file in found:
        _check_path(file, where)
    return found


def _check_path(path: str, where: str, in_archive: bool = False) -> None:
    """Raise UserError for a path that a file system or Snakemake does not take, or one that leaves its archive."""
    check_text(path, where)
    if any(len(os.fsencode(name)) > LONGEST for name in path.split("/")) or len(path) > 5 * LONGEST:
        raise UserError(f"{where}: the path {path} is too long; each name in it may have {LONGEST} bytes")
    if "{" in path or "}" in path:
        raise UserError(f"{where}: {path} has a brace, by which Snakemake marks wildcards; rename the file")
    if in_archive and path != os.path.relpath(os.path.join("/", path), "/"):
        raise UserError(
            f"{where}: {path} is no path in an archive; give it as the archive lists it, such as a/b.txt"
        )


def _test_set(name: str, pair: str, sides: Sequence[str], where: str) -> tuple[Place, Place]:
    # sacreBLEU loads numpy, so it is imported only by those who ask for it.
    from transformer.corpus.fetch_test_set import check_name

    try:
        check_name(name, pair)
    except UserError as error:
        raise UserError(f"{where}: {error}") from None
    source, target = (Place(f"{FETCHED}/sacrebleu/{name}/{pair}.{side}") for side in sides)
    return source, target
