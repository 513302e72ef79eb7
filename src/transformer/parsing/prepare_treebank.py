"""Prepare a treebank for parsing: one tree per line, without empty elements and function tags, inside TOP.

    python src/transformer/parsing/prepare_treebank.py --wsj wsj --sections 2 21 --output train.trees

A file of the Penn Treebank holds many trees, each over several lines and inside a bracket without a label:
``( (S (NP-SBJ …) …) )``.  A prepared tree is ``(TOP (S (NP …) …))``, as parsers are usually trained and scored (section
6.3 uses the treebank's Wall Street Journal part).
"""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from nltk.tree import Tree

from transformer.common.arguments import Output, argument_parser, at_least
from transformer.common.errors import UserError, run_script
from transformer.common.files import atomic_writer
from transformer.common.notes import MUCH, say
from transformer.corpus.registry import verify_downloads
from transformer.corpus.text import read_text
from transformer.parsing.trees import CLOSE, EMPTY, OPEN, ROOT, WORD, parse_trees, walk, write_tree

# How treebanks and parsers label the outermost bracket, or two of them.
OUTERMOST = {"", ROOT, "ROOT", "S1", "VROOT"}
WHERE_FROM = (
    "the Wall Street Journal treebank is sold by the LDC (Treebank-3, LDC99T42): give the folder of its "
    "parsed/mrg/wsj with --config treebank=FOLDER, or build scale=small, which needs none"
)
# How its files end, compressed or not.
MRG = r"\.mrg(\.(gz|bz2|xz))?"
# The trees in the first to the last section of a split, in the LDC's release.
WSJ_TREES = {(2, 21): 39_832, (22, 22): 1_700, (23, 23): 2_416}


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="treebank files, in the order of reading")
    parser.add_argument("--wsj", help="the folder of the Wall Street Journal treebank, instead of files")
    about = "the first and the last section of --wsj to read, e.g. 2 21"
    parser.add_argument("--sections", nargs=2, type=int, metavar=("FIRST", "LAST"), help=about)
    parser.add_argument("--most", type=at_least(0), default=0, help="number of trees to take (default: all)")
    parser.add_argument("--output", type=Output, required=True)
    parser.add_argument("--downloads", type=Path, help="folder whose files are checked against the registry")
    arguments = parser.parse_args()
    files, sections = arguments.files, arguments.sections
    if bool(files) == bool(sections) or (files and arguments.wsj):
        parser.error("give either files or --wsj and --sections")
    if sections:
        first, last = sections
        if first > last:
            parser.error(f"--sections {first} {last} are none; give the first and then the last")
        files = wsj_files(arguments.wsj, range(first, last + 1))
    trees = (prepare(tree) for path in files for tree in read_treebank(path))
    count = blank = 0
    verify_downloads(files, arguments.downloads)
    with atomic_writer(arguments.output) as file:
        for tree in trees:
            if tree is None:
                blank += 1
                continue
            file.write(write_tree(tree) + "\n")
            count += 1
            if count == arguments.most:
                break
        if not count:
            raise UserError(f"{files[0]}: no tree with a word, nor in the files after it")
    whole = WSJ_TREES.get((first, last), count) if sections and not arguments.most else count
    if count != whole:
        say(
            f"{arguments.wsj}: {count:,} trees in its sections {first} to {last}, and LDC99T42 has {whole:,} there"
        )
    if count < arguments.most:
        say(f"{files[0]}: {count:,} trees, with the files after it, and {arguments.most:,} are asked for")
    print(f"{count:,} trees; left out: {blank:,} without a word", file=sys.stderr)
    if MUCH * blank > count + blank:
        say(
            f"{files[0]}, with the files after it: {blank:,} of {count + blank:,} trees have no word, and are left out"
        )


def read_treebank(path: Path) -> Iterator[Tree]:
    """Stream the trees of one file, however they are spread over lines.

    Raises UserError with the line at which a malformed tree begins.  (NLTK's BracketParseCorpusReader repairs
    malformed trees by guessing.)
    """
    start, depth, lines = 1, 0, list[str]()
    for number, line in enumerate(read_text(path), start=1):
        lines.append(line)
        # Brackets are never part of a word: the treebank writes -LRB- and -RRB-.
        depth += line.count("(") - line.count(")")
        if depth <= 0:
            yield from _trees_of(lines, path, start)
            start, depth, lines = number + 1, 0, []
    yield from _trees_of(lines, path, start)


def _trees_of(lines: Iterable[str], path: Path, start: int) -> list[Tree]:
    try:
        return list(parse_trees("\n".join(lines)))
    except ValueError as error:
        raise UserError(f"{path}, line {start}: {error}; give bracketed trees, one after the other") from None


def wsj_files(folder: str, sections: Iterable[int]) -> list[Path]:
    """List the files of some sections of the treebank's Wall Street Journal part.

    ``folder`` holds a folder of articles for each section (``02/wsj_0201.mrg``, …), as the LDC's does, or one file for
    each (``02.mrg`` or ``wsj_02.mrg``).  Names may be in upper case, and files compressed (``wsj_0201.mrg.gz``).
    Raises UserError that says which names were found instead, or what a user without the treebank can do.
    """
    if not folder:
        raise UserError(f"treebank: not set; {WHERE_FROM}")
    files = []
    for name in (f"{section:02}" for section in sections):
        whole = [
            path for path in _names_in(Path(folder)) if re.fullmatch(rf"(wsj_)?{name}{MRG}", path.name, re.I)
        ]
        inside = _names_in(Path(folder, name))
        articles = [path for path in inside if re.fullmatch(rf"wsj_{name}\d\d{MRG}", path.name, re.I)]
        if not (whole or articles):
            raise UserError(
                f"{folder}: has neither {name}/wsj_{name}01.mrg … nor {name}.mrg nor wsj_{name}.mrg, also compressed; "
                + _instead(inside or _names_in(Path(folder)))
            )
        twice = [*whole, *articles[: len(whole)]]
        numbers = [path.name.lower().partition(".")[0] for path in articles]
        twice += [path for path, number in zip(articles, numbers, strict=True) if numbers.count(number) > 1]
        if len(twice) > 1:
            raise UserError(
                f"{twice[0]} and {twice[1]} are of one section; remove one, or trees would count twice"
            )
        if articles and (others := {*inside} - {*articles}):
            raise UserError(
                f"{min(others)}: not called as articles of section {name} are; rename or remove it"
            )
        files += whole + articles
    return files


def _names_in(folder: Path) -> list[Path]:
    """Return what is in a folder, sorted, but for hidden files; nothing if there is no such folder."""
    return sorted(folder.glob("[!.]*"))


def _instead(found: list[Path]) -> str:
    """Return what was found where a section of the treebank was looked for, and what to do."""
    if not found:
        return WHERE_FROM
    names = (
        f"{', '.join(path.name for path in found[:3])}{f' and {len(found) - 3} more' if found[3:] else ''}"
    )
    return f"{found[0].parent} has {names}; rename them, or give the folder that has the sections 02 to 23"


def prepare(tree: Tree) -> Tree | None:
    """Return a tree as parsers are trained on it, or None when it has no word.

    Empty elements are removed, and so is every constituent that holds nothing else.  Labels are cut at their first
    ``-`` or ``=`` (``NP-SBJ=2`` becomes ``NP``), unless they begin so.  The outermost bracket is called TOP,
    also where there are two, or where parsers write ROOT or S1.  Everything else stays, including chains of
    constituents with the same label.
    """
    path: list[list[Tree]] = [[]]  # what is kept of the constituents that are open
    inside = [tree]
    while len(inside) == 1 and inside[0].label().upper() in OUTERMOST and not isinstance(inside[0][0], str):
        inside = list(inside[0])
    for outer in inside:
        for event, node in walk(outer):
            if event == OPEN:
                path.append([])
            elif event == WORD and node.label() != EMPTY:
                path[-1].append(node)
            elif event == CLOSE and (children := path.pop()):
                path[-1].append(Tree(category(node.label()), children))
    return Tree(ROOT, path[0]) if path[0] else None


def category(label: str) -> str:
    """Return the label without function tags and indices: ``PP`` for ``PP-LOC-1``; ``-LRB-`` is unchanged."""
    return label if label.startswith(("-", "=")) else label.split("-", 1)[0].split("=", 1)[0]


if __name__ == "__main__":
    run_script(main)
