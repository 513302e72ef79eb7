"""The most probable tree of a sentence under a grammar: CKY, exact, with nothing pruned.

Spans are filled from short to long.  A span's work is a few numpy operations over all of its splits and over all
pairs of children that some rule takes.  Only scores are kept: which rule gave them is found again, for the spans of the
best tree alone, by doing their work once more.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from transformer.parsing.pcfg.pcfg import Grammar
from transformer.parsing.pcfg.rules import NEVER, BinaryRules, Floats, Ints, UnaryChains
from transformer.parsing.pcfg.tag_lexicon import Lexicon
from transformer.parsing.pcfg.tree_derivations import TAG, Rule, Symbol, tree_of
from transformer.parsing.trees import Terminal, Tree

LONGEST = 150  # words; time grows with their number's third power, memory with its square


class ChartParser:
    """Parses sentences with one grammar.  Scores are natural logarithms, one a symbol: ``(symbols,)``."""

    def __init__(self, grammar: Grammar) -> None:
        self._symbols = grammar.symbols
        self._id = {symbol: id for id, symbol in enumerate(self._symbols)}
        self._lexicon = Lexicon(grammar.words)
        uses: Counter[Symbol] = Counter()
        for rule, count in grammar.rules.items():
            uses[rule.left] += count
        rules = [
            (tuple(self._id[symbol] for symbol in (rule.left, *rule.right)), np.log(count / uses[rule.left]))
            for rule, count in grammar.rules.items()
        ]
        self._binary = BinaryRules(sorted(rule for rule in rules if len(rule[0]) == 3), len(self._symbols))
        self._unary = UnaryChains(sorted(rule for rule in rules if len(rule[0]) == 2))
        self._roots = np.full(len(self._symbols), NEVER)
        for root, count in grammar.roots.items():
            self._roots[self._id[root]] = np.log(count / grammar.roots.total())

    def parse(self, words: Sequence[str], tags: Sequence[str] | None = None) -> Tree | None:
        """The most probable tree over ``words``, and with ``tags`` where they are given.

        None where the grammar derives none, and for more than LONGEST words.  Raises ValueError where there are no
        words, or not a tag for each.
        """
        best = self.best_derivation(words, tags) if len(words) <= LONGEST else None
        return tree_of(best[1]) if best else None

    def flat_tree(self, words: Sequence[str], tags: Sequence[str] | None = None) -> Tree:
        """A tree for what :meth:`parse` has none for: all words right below the root, each with its likeliest tag."""
        if tags is None:
            likely = [self._tags(word, None, position) for position, word in enumerate(words)]
            tags = [max(scores, key=lambda tag: scores[tag]).label for scores in likely]
        root = self._symbols[int(self._roots.argmax())]
        return Tree(root.label, [Terminal(tag, word) for tag, word in zip(tags, words, strict=True)])

    def best_derivation(
        self, words: Sequence[str], tags: Sequence[str] | None = None
    ) -> tuple[float, list[Rule]] | None:
        """The derivation of :meth:`parse`, of however many words, and its score.

        The score is the logarithm of its probability, but for a constant that the words alone decide.
        """
        if not words:
            raise ValueError("a sentence needs at least one word")
        if tags is not None and len(tags) != len(words):
            raise ValueError(f"{len(tags)} tags for {len(words)} words")
        given: Sequence[str | None] = tags or [None] * len(words)
        lexical = [
            self._word_scores(word, tag, position)
            for position, (word, tag) in enumerate(zip(words, given, strict=True))
        ]
        chart = _Chart(self._binary, lexical)
        for length in range(1, len(words)):
            for start in range(len(words) - length + 1):
                end = start + length
                chart.put(start, end, self._unary.applied(chart.scores(start, end)))
        whole = self._unary.applied(chart.scores(0, len(words))) + self._roots
        root = int(whole.argmax())
        if whole[root] == NEVER:
            return None
        return float(whole[root]), self._traced(chart, words, root)

    def _tags(self, word: str, tag: str | None, position: int) -> dict[Symbol, float]:
        scores = self._lexicon.log_likelihoods(word, starts_sentence=position == 0)
        if tag is None:
            return scores
        same = {symbol: score for symbol, score in scores.items() if symbol.label == tag}
        # A tag that the word would not be given by itself says nothing about its parent.
        return same or {symbol: 0.0 for symbol in self._symbols if symbol.kind == TAG and symbol.label == tag}

    def _word_scores(self, word: str, tag: str | None, position: int) -> Floats:
        scores = np.full(len(self._symbols), NEVER)
        for symbol, score in self._tags(word, tag, position).items():
            scores[self._id[symbol]] = score
        return scores

    def _traced(self, chart: "_Chart", words: Sequence[str], root: int) -> list[Rule]:
        """The rules of the best derivation from ``root`` over all words, leftmost symbol first."""
        rules: list[Rule] = []
        todo = [(0, len(words), root)]
        while todo:
            start, end, symbol = todo.pop()
            for child in self._unary.best_chain(symbol, chart.scores(start, end)):
                rules.append(self._rule(symbol, child))
                symbol = child
            if end - start == 1:
                rules.append(Rule(self._symbols[symbol], (), words[start]))
                continue
            split, left, right = chart.best_split(start, end, symbol)
            rules.append(self._rule(symbol, left, right))
            todo += [(split, end, right), (start, split, left)]
        return rules

    def _rule(self, left: int, *right: int) -> Rule:
        return Rule(self._symbols[left], tuple(self._symbols[symbol] for symbol in right))


class _Chart:
    """The scores of one sentence's spans: of left children by where they start, of right ones by where they end."""

    def __init__(self, rules: BinaryRules, lexical: Sequence[Floats]) -> None:
        self._rules = rules
        self._lexical = lexical  # the scores of each word's tags
        words, lefts, rights = len(lexical), len(rules.lefts), len(rules.rights)
        # [start][end - start - 1] and [end][start]: what a span is split into lies side by side.
        self._from = [np.full((words - start, lefts), NEVER) for start in range(words)]
        self._to = [np.full((end, rights), NEVER) for end in range(words + 1)]
        # Whether a symbol is over any span that starts, or ends, there.
        self._starts = np.zeros((words, lefts), dtype=bool)
        self._ends = np.zeros((words + 1, rights), dtype=bool)

    def put(self, start: int, end: int, scores: Floats) -> None:
        """Keep the scores of a span, (symbols,)."""
        left, right = scores[self._rules.lefts], scores[self._rules.rights]
        self._from[start][end - start - 1] = left
        self._to[end][start] = right
        self._starts[start] |= left > NEVER
        self._ends[end] |= right > NEVER

    def scores(self, start: int, end: int) -> Floats:
        """The best over a span without a unary rule at its top, (symbols,): a word's tags, or binary rules."""
        if end - start == 1:
            return self._lexical[start]
        rules = self._rules
        scores = np.full(rules.symbols, NEVER)
        possible = np.flatnonzero(self._starts[start][rules.pair_left] & self._ends[end][rules.pair_right])
        if len(possible):
            pairs = np.full(len(rules.pair_left), NEVER)
            pairs[possible] = self._splits(start, end, possible).max(axis=0)
            by_rule = pairs[rules.pair] + rules.log_probability
            scores[rules.parents] = np.maximum.reduceat(by_rule, rules.first)
        return scores

    def best_split(self, start: int, end: int, symbol: int) -> tuple[int, int, int]:
        """Of the best binary rule for ``symbol`` over a span: where its left child ends, left and right child."""
        rules = self._rules
        own = np.flatnonzero(rules.parent == symbol)
        pairs = rules.pair[own]
        scores = self._splits(start, end, pairs) + rules.log_probability[own]
        split, best = divmod(int(scores.argmax()), len(own))
        left, right = rules.pair_left[pairs[best]], rules.pair_right[pairs[best]]
        return start + 1 + split, int(rules.lefts[left]), int(rules.rights[right])

    def _splits(self, start: int, end: int, pairs: Ints) -> Floats:
        """The scores of pairs of children over a span, (splits, pairs)."""
        left = self._from[start][: end - start - 1].take(self._rules.pair_left[pairs], axis=1)
        left += self._to[end][start + 1 :].take(self._rules.pair_right[pairs], axis=1)
        return left
