"""A grammar as counts of a treebank's rules, stored as JSON.

NLTK's induce_pcfg keeps only probabilities, but estimating the tags of unknown words needs counts.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from nltk.tree import Tree

from transformer.common.json_artifacts import read_artifact, write_artifact
from transformer.parsing.pcfg.markovisation import binarise
from transformer.parsing.trees import CLOSE, WORD, walk


@dataclass
class Grammar:
    """How often each rule and each tag of a word occurs; probabilities are relative frequencies."""

    rules: Counter[tuple[str, ...]] = field(default_factory=Counter)  # a symbol, then its one or two children
    # How often each word has each tag.
    words: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, tree: Tree) -> None:
        """Count the rules of one more tree.  Raises ValueError when it has too many levels."""
        for event, node in walk(binarise(tree)):
            if event == WORD:
                self.words[node[0]][node.label()] += 1
            elif event != CLOSE:
                self.rules[node.label(), *(child.label() for child in node)] += 1

    @property
    def symbols(self) -> list[str]:
        """All symbols, sorted."""
        return sorted({symbol for rule in self.rules for symbol in rule})

    def save(self, path: Path) -> None:
        """Write the counts; a rule's symbols are separated by tabs."""
        content = {
            "format": 2,
            "rules": {"\t".join(rule): count for rule, count in sorted(self.rules.items())},
            "words": {word: dict(sorted(tags.items())) for word, tags in sorted(self.words.items())},
        }
        write_artifact(path, content)

    @classmethod
    def load(cls, path: Path) -> "Grammar":
        """Read what :meth:`save` wrote.  Raises UserError when the file is damaged or holds anything else."""
        content = read_artifact(path, "grammar")
        words = {word: Counter(tags) for word, tags in content["words"].items()}
        rules = Counter({tuple(rule.split("\t")): count for rule, count in content["rules"].items()})
        return cls(rules, defaultdict(Counter, words))
