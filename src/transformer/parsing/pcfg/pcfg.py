"""A grammar as the counts of a treebank's rules, on disk as JSON."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from transformer.common.errors import UserError
from transformer.common.files import read_json, write_text
from transformer.parsing.pcfg.tree_derivations import TAG, Rule, Symbol, derivation
from transformer.parsing.trees import Tree

FORMAT = 1


@dataclass
class Grammar:
    """How often each thing occurs; probabilities are relative frequencies."""

    roots: Counter[Symbol] = field(default_factory=Counter)
    rules: Counter[Rule] = field(default_factory=Counter)  # but for those that give words
    words: defaultdict[str, Counter[Symbol]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, tree: Tree) -> None:
        """Count the rules of one more tree."""
        for number, rule in enumerate(derivation(tree)):
            if number == 0:
                self.roots[rule.left] += 1
            if rule.left.kind == TAG:
                self.words[rule.word][rule.left] += 1
            else:
                self.rules[rule] += 1

    @classmethod
    def of(cls, trees: Iterable[Tree]) -> "Grammar":
        """The grammar of a treebank."""
        grammar = cls()
        for tree in trees:
            grammar.add(tree)
        return grammar

    @property
    def symbols(self) -> list[Symbol]:
        """All of them, in an order that depends on nothing else."""
        return sorted({*self.roots, *(symbol for rule in self.rules for symbol in (rule.left, *rule.right))})

    def save(self, path: Path) -> None:
        """Write the counts; symbols stand as their place in the list ``symbols``."""
        symbols = self.symbols
        place = {symbol: number for number, symbol in enumerate(symbols)}
        content = {
            "format": FORMAT,
            "symbols": symbols,
            "roots": sorted([place[root], count] for root, count in self.roots.items()),
            "rules": sorted(
                [[place[rule.left], *(place[symbol] for symbol in rule.right), count]
                 for rule, count in self.rules.items()]
            ),
            "words": {
                word: sorted([place[tag], count] for tag, count in tags.items())
                for word, tags in sorted(self.words.items())
            },
        }  # fmt: skip
        lines = (
            f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in content.items()
        )
        write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")

    @classmethod
    def load(cls, path: Path) -> "Grammar":
        """Read what :meth:`save` wrote.  Raises UserError when it is something else."""
        content = read_json(path)
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise UserError(
                f"{path}: not a grammar of format {FORMAT}; make it with src/parsing/train_pcfg.py"
            )
        grammar = cls()
        try:
            symbols = [Symbol(*symbol) for symbol in content["symbols"]]
            grammar.roots.update({symbols[root]: count for root, count in content["roots"]})
            for left, *right, count in content["rules"]:
                grammar.rules[Rule(symbols[left], tuple(symbols[number] for number in right))] = count
            for word, tags in content["words"].items():
                grammar.words[word].update({symbols[tag]: count for tag, count in tags})
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise UserError(
                f"{path}: a damaged grammar ({error!r}); make it again with src/parsing/train_pcfg.py"
            ) from None
        return grammar
