"""Read Penn Treebank files and prepare their trees in the usual way (section 6.3 uses the WSJ part).

A file holds many trees, each over several lines and inside a bracket without a label: ``( (S (NP-SBJ …) …) )``.
A prepared tree is ``(TOP (S (NP …) …))``, without empty elements and function tags, as parsers are usually trained and
scored.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from nltk.tree import Tree

from transformer.common.errors import UserError
from transformer.common.files import read_lines
from transformer.parsing.trees import CLOSE, OPEN, WORD, is_terminal, parse_trees, terminals, walk, words_of

ROOT = "TOP"
OUTERMOST = {"", ROOT, "ROOT", "S1"}  # how the treebank and many parsers label the outermost bracket
WHERE_FROM = (
    "the Wall Street Journal treebank is sold by the LDC (Treebank-3, LDC99T42): give the folder of its "
    "parsed/mrg/wsj with --config treebank=FOLDER, or build scale=small, which needs none"
)
# Levels; in the Penn Treebank there are fewer than 50, and work grows with the square of the levels.
DEEPEST = 500
# The most bytes of a sentence of a development or test set, half as many as in translation: with the 21 hypotheses of
# section 6.3, a sentence can have 779 subwords and tags on a CPU, and a longer one would end the pipeline after the
# training.  Those of the Wall Street Journal are far shorter.
LONGEST_SENTENCE = 2048
EMPTY = "-NONE-"  # the tag of empty elements, such as traces and dropped subjects


def read_treebank(path: Path | str, longest: int | None = None) -> Iterator[Tree]:
    """Stream the trees of one file, however they are spread over lines.

    Raises UserError with the line at which a malformed tree begins, or one whose sentence has more than ``longest``
    bytes.  (NLTK's BracketParseCorpusReader repairs malformed trees by guessing.)
    """
    start, depth, lines = 1, 0, list[str]()
    for number, line in enumerate(read_lines(path), start=1):
        lines.append(line)
        # Brackets are never part of a word: the treebank writes -LRB- and -RRB-.
        depth += line.count("(") - line.count(")")
        if depth <= 0:
            yield from _trees_of(lines, path, start, longest)
            start, depth, lines = number + 1, 0, []
    yield from _trees_of(lines, path, start, longest)


def _trees_of(lines: Iterable[str], path: Path | str, start: int, longest: int | None) -> list[Tree]:
    try:
        trees = list(parse_trees("\n".join(lines), DEEPEST))
    except ValueError as error:
        raise UserError(
            f"{path}, line {start}: {error}; a treebank's file holds bracketed trees, one after the other"
        ) from None
    for words in map(words_of, trees):
        if longest is not None and (size := len(" ".join(words).encode())) > longest:
            raise UserError(
                f"{path}, line {start}: a sentence of {size:,} bytes in {len(words):,} words; one of a development or "
                f"test set has at most {longest:,} bytes, so divide or remove it"
            )
    return trees


def wsj_files(folder: Path, sections: Iterable[int]) -> list[Path]:
    """List the files of some sections of the treebank's Wall Street Journal part.

    ``folder`` holds a folder of files for each section (``02/wsj_0201.mrg``, …), as the LDC's does, or one file for
    each (``02.mrg`` or ``wsj_02.mrg``).  Raises UserError that says what a user without the treebank can do, and when
    a tree would be read twice or a section would hold trees of another one.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; {WHERE_FROM}")
    found = [file for section in sections for file in _section_files(folder, f"{section:02}")]
    check_distinct(found)
    return found


def _section_files(folder: Path, name: str) -> list[Path]:
    """Return the files of one section, such as ``02``."""
    articles = sorted((folder / name).glob("*.mrg"))
    whole = [file for file in (folder / f"{name}.mrg", folder / f"wsj_{name}.mrg") if file.is_file()]
    places = [*([folder / name] if articles else []), *whole]
    if not places:
        raise UserError(
            f"{folder}: holds neither {name}/*.mrg nor {name}.mrg nor wsj_{name}.mrg; {WHERE_FROM}"
        )
    if len(places) > 1:
        twice = " and as ".join(str(place.relative_to(folder)) for place in places)
        raise UserError(f"{folder}: section {name} is there twice, as {twice}; keep one of them")
    for file in articles:
        # Any other file is the whole section once more, a copy, or an article of another section.
        if not re.fullmatch(rf"wsj_{name}\d\d\.mrg", file.name):
            raise UserError(
                f"{file}: not an article of section {name}, whose files are wsj_{name}01.mrg and so on; "
                "move it out of the folder"
            )
    return articles or whole


def check_distinct(files: Iterable[Path]) -> None:
    """Raise UserError when two of the paths are the same file: a path given twice, or a link to another."""
    seen: dict[tuple[int, int], Path] = {}
    for path in files:
        if not path.exists():
            continue  # reading it reports this
        file = path.stat().st_dev, path.stat().st_ino
        if file in seen:
            raise UserError(
                f"{path}: the same file as {seen[file]}; each tree must be read once, so keep one of them"
            )
        seen[file] = path


def check_first_trees(path: Path | str, count: int = 100) -> None:
    """Raise UserError when ``path`` is no file of trees, judging by its first ones; the rest is read later."""
    if not Path(path).is_file():
        raise UserError(f"silver_trees: {path}: no such file; give a file of bracketed trees")
    first = [prepare(tree) for tree in islice(read_treebank(path), count)]
    if not any(first):
        raise UserError(f"silver_trees: {path}: no tree with a word; give a file of bracketed trees")


def prepare(tree: Tree) -> Tree | None:
    """Return a tree as parsers are trained on it, or None when it has no word.

    Empty elements are removed, and so is every constituent that holds nothing else.  Labels are cut at their first
    ``-`` or ``=`` (``NP-SBJ=2`` becomes ``NP``), unless they begin with ``-``.  The outermost bracket is called TOP,
    also where parsers write ROOT or S1.  Everything else stays, including chains of constituents with the same label.
    """
    kept = _kept(tree if tree.label() in OUTERMOST else [tree])
    return Tree(ROOT, kept) if kept else None


def _kept(nodes: Iterable[Tree]) -> list[Tree]:
    path: list[list[Tree]] = [[]]  # what is kept of the constituents that are open
    for outer in nodes:
        for event, node in walk(outer):
            if event == OPEN:
                path.append([])
            elif event == WORD and node.label() != EMPTY:
                path[-1].append(node)
            elif event == CLOSE and (children := path.pop()):
                path[-1].append(Tree(category(node.label()), children))
    return path[0]


def constituents(tree: Tree) -> Iterator[Tree]:
    """Stream the constituents of a prepared tree that have two words or more, each inside a TOP of its own.

    The outermost constituent is not among them.
    """
    outermost = tree[0] if len(tree) == 1 and not is_terminal(tree[0]) else tree
    for child in reversed(outermost):  # any order would do, but the sample of --constituents depends on it
        for event, node in walk(child):
            if event == OPEN and len(terminals(node)) > 1:
                yield Tree(ROOT, [node])


def category(label: str) -> str:
    """Return the label without function tags and indices: ``PP`` for ``PP-LOC-1``; ``-LRB-`` is unchanged."""
    return label if label.startswith("-") else label.split("-", 1)[0].split("=", 1)[0]
