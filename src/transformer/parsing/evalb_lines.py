"""What the EVALB program reads from a line of a file of trees: the words with their tags, and the brackets over them.

EVALB takes lines that are no tree of a treebank: an empty line, a constituent without a word, ``(NP)``, a word in no
constituent, ``(NN a)``, several trees one after the other, and ``(NP )``, which it reads as the empty word with the tag
NP.  So its lines have a reader of their own, beside that of ``trees.py``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from nltk.tree import Tree

from transformer.common.errors import UserError
from transformer.common.files import read_lines
from transformer.parsing.trees import OPEN, WORD, walk

Bracket = tuple[int, int, str]  # first word, the word after the last, label

# A terminal `(TAG word)`, the opening of a constituent `(LABEL`, its end, or anything else.  A word ends at ASCII white
# space only, as C's isspace() has it.  (`++` does not backtrack, which would take a while on many spaces.)
_TOKEN = re.compile(
    r"\((?:(?P<tag>[^\s()]*+)\s++(?P<word>[^\s()]*+)\s*+\)|\s*+(?P<label>[^\s()]*+))|(?P<end>\))|(?P<other>[^\s()]+)",
    re.ASCII,
)


@dataclass(frozen=True)
class TreeLine:
    """The content of one line: tags and words from left to right, and brackets that count these words."""

    tags: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    brackets: list[Bracket] = field(default_factory=list)


def parse_line(text: str) -> TreeLine:
    """Read a line as EVALB does.

    Raises ValueError, which says what is wrong, for a line that EVALB cannot read: brackets that are not balanced, or a
    word outside a terminal.
    """
    line = TreeLine()
    opened: list[tuple[int, str]] = []  # the first words and the labels of the constituents that are open
    for token in _TOKEN.finditer(text):
        if token["word"] is not None:
            line.tags.append(token["tag"])
            line.words.append(token["word"])
        elif token["label"] is not None:
            opened.append((len(line.words), token["label"]))
        elif token["other"]:
            raise ValueError(
                f"{token['other']!r} is neither a label nor the word of a terminal"
                if opened
                else f"{token['other']!r} outside all brackets"
            )
        elif not opened:
            raise ValueError("a closing bracket that nothing opens")
        else:
            start, label = opened.pop()
            line.brackets.append((start, len(line.words), label))
    if opened:
        raise ValueError(f"{len(opened)} brackets are not closed")
    return line


def line_of(tree: Tree) -> TreeLine:
    """Return what EVALB would read from the line of a tree."""
    line = TreeLine()
    starts: list[int] = []  # the first words of the constituents that are open
    for event, node in walk(tree):
        if event == WORD:
            line.tags.append(node.label())
            line.words.append(node[0])
        elif event == OPEN:
            starts.append(len(line.words))
        else:
            line.brackets.append((starts.pop(), len(line.words), node.label()))
    return line


def read_tree_lines(path: Path | str) -> Iterator[TreeLine]:
    """Stream the lines of a file of trees.  Raises UserError with file and line when EVALB could not read one."""
    for number, text in enumerate(read_lines(path), start=1):
        try:
            yield parse_line(text)
        except ValueError as error:
            raise UserError(f"{path}, line {number}: {error}; each line must be one bracketed tree") from None
