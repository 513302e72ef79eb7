"""A sentence as a line of text: its words, each preceded by its tag if there are tags (``DT The NN dog``)."""

from nltk.tree import Tree

from transformer.common.errors import UserError
from transformer.parsing.trees import terminals
from transformer.subwords.symbols import split


def source_text(tree: Tree, tags: bool) -> str:
    """Return a parser's input for a tree's sentence: its words, each preceded by its tag if ``tags`` is true."""
    return " ".join(f"{word.label()} {word[0]}" if tags else word[0] for word in terminals(tree))


def read_sentence(line: str, tagged: bool, where: str) -> tuple[list[str], list[str] | None]:
    """Return the words of a line and, when it is ``tagged``, their tags.

    Raises UserError that begins with ``where`` (file and line) when the line has no word, or a word has no tag.
    """
    tokens = split(line)
    if not tokens:
        raise UserError(f"{where}: no word; a sentence without words has no tree")
    if not tagged:
        return tokens, None
    if len(tokens) % 2:
        raise UserError(f"{where}: {len(tokens)} tokens; each word must come after its tag: DT The NN dog")
    return tokens[1::2], tokens[::2]
