"""Penn Treebank files: reading them, and the usual preparation of their trees (section 6.3 works on the WSJ part).

A file holds many trees, each over several lines and inside a bracket without a label: ``( (S (NP-SBJ …) …) )``.
Prepared, a tree is ``(TOP (S (NP …) …))``, without empty elements and function tags: what parsers are trained on and
what EVALB's users score.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from transformer.common.errors import UserError
from transformer.common.files import read_lines
from transformer.parsing.trees import Node, Terminal, Tree, parse_tree, terminals

ROOT = "TOP"
WHERE_FROM = (
    "the Wall Street Journal treebank is sold by the LDC (Treebank-3, LDC99T42): give the folder of its "
    "parsed/mrg/wsj with --config treebank=FOLDER, or build scale=small, which needs none"
)
EMPTY = "-NONE-"  # the tag of what is understood and not said: traces, dropped subjects


def read_treebank(path: Path | str) -> Iterator[Tree]:
    """Stream the trees of one file, however they are spread over lines.

    Raises UserError with the line at which a tree begins where one is malformed.
    """
    depth, start, lines = 0, 1, list[str]()
    for number, line in enumerate(read_lines(path), start=1):
        if not lines:
            if not line.strip():
                continue
            start = number
        lines.append(line)
        # A word holds no bracket: the treebank writes -LRB- and -RRB-.
        depth += line.count("(") - line.count(")")
        if depth <= 0:
            yield from _trees_of("\n".join(lines), path, start)
            depth, lines = 0, []
    if lines:
        yield from _trees_of("\n".join(lines), path, start)


def _trees_of(text: str, path: Path | str, line: int) -> Iterator[Tree]:
    try:
        yield from map(parse_tree, _split(text))
    except ValueError as error:
        raise UserError(
            f"{path}, line {line}: {error}; a treebank's file holds bracketed trees, one after the other"
        ) from None


def _split(text: str) -> Iterator[str]:
    """The trees of a text whose brackets match; what does not is left to :func:`parse_tree` to complain of."""
    depth, start = 0, 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and character == ")":
            yield text[start : place + 1]
            start = place + 1
    if text[start:].strip():
        yield text[start:]


def wsj_files(folder: Path, sections: Iterable[int]) -> list[Path]:
    """The files of some sections of the treebank's Wall Street Journal part.

    ``folder`` holds a folder of files for each section (``02/wsj_0201.mrg``, …), as the LDC's does, or one file for
    each (``02.mrg`` or ``wsj_02.mrg``).  Raises UserError that says what a user without one can do.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; {WHERE_FROM}")
    found = []
    for section in sections:
        name = f"{section:02}"
        files = sorted((folder / name).glob("*.mrg"))
        files += [file for file in (folder / f"{name}.mrg", folder / f"wsj_{name}.mrg") if file.is_file()]
        if not files:
            raise UserError(
                f"{folder}: holds neither {name}/*.mrg nor {name}.mrg nor wsj_{name}.mrg; {WHERE_FROM}"
            )
        found += files
    return found


def prepare(tree: Tree) -> Tree | None:
    """A tree as parsers are trained on it, or None when it has no word.

    Empty elements go, and every constituent that only held such; labels lose what follows their first ``-`` or ``=``
    (``NP-SBJ=2`` is an NP), unless they begin with ``-``; the outermost bracket is called TOP.  Everything else stays,
    chains of one label above itself included.
    """
    children = tree.children if tree.label in ("", ROOT) else [tree]
    kept = _kept(children)
    return Tree(ROOT, kept) if kept else None


def _kept(nodes: Iterable[Node]) -> list[Node]:
    kept: list[Node] = []
    for node in nodes:
        if isinstance(node, Terminal):
            if node.tag != EMPTY:
                kept.append(node)
        elif children := _kept(node.children):
            kept.append(Tree(category(node.label), children))
    return kept


def constituents(tree: Tree) -> Iterator[Tree]:
    """The constituents of a prepared tree that have two words or more, but the whole, each inside a TOP of its own."""
    rest: list[Node] = list(tree.children)
    if len(rest) == 1 and isinstance(rest[0], Tree):
        rest = list(rest[0].children)
    while rest:
        node = rest.pop()
        if isinstance(node, Tree):
            rest += reversed(node.children)
            if sum(1 for _ in islice(terminals(node), 2)) == 2:
                yield Tree(ROOT, [node])


def category(label: str) -> str:
    """The label without function tags and indices: ``PP-LOC-1`` is a PP, ``-LRB-`` is itself."""
    return label if label.startswith("-") else label.split("-", 1)[0].split("=", 1)[0]
