"""Parse text with a treebank's grammar: one sentence per line, with spaces between the words as in the treebank.

    python src/transformer/parsing/parse_pcfg.py --grammar grammar.json --input words.txt --output parsed.trees

The output is one bracketed tree per line: the most probable one, found by CKY, exactly and without pruning.  A
sentence that the grammar does not derive, or that has more than LONGEST words, becomes a flat tree, with all words
directly below the root.  The trees are the same for any number of processes.

Spans are filled from short to long.  Each span takes a few numpy operations over all its splits and all pairs of
children that occur in a rule; NLTK's ViterbiParser gives the same scores and is far too slow for a treebank's grammar.
Only scores are kept; the rules of the best tree are found by recomputing its spans.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import chain
from pathlib import Path

import numpy as np
from nltk.tree import Tree

from transformer.common.arguments import Output, argument_parser, at_least
from transformer.common.errors import UserError, run_script
from transformer.common.files import atomic_writer
from transformer.common.notes import MUCH, say
from transformer.common.parallel import blocks, ordered_map
from transformer.common.progress import track
from transformer.corpus.text import read_text
from transformer.parsing.rule_arrays import NEVER, BinaryRules, Floats, Ints, UnaryChains
from transformer.parsing.tag_lexicon import Lexicon
from transformer.parsing.train_pcfg import START, Grammar, label_of, restore
from transformer.parsing.trees import write_tree
from transformer.subwords.symbols import BRACKETS, read_sentence

BLOCK = 50  # sentences parsed at once
LONGEST = 150  # words; time grows with the third power of their number, memory with the square


@cache  # each process reads it once
def parser_of(grammar: Path) -> "ChartParser":
    return ChartParser(Grammar.load(grammar))


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--grammar", type=Path, required=True, help="made by train_pcfg.py")
    parser.add_argument("--input", type=Path, required=True, help="sentences, one per line, words spaced")
    parser.add_argument("--output", type=Output, required=True, help="file for the trees")
    parser.add_argument("--processes", type=at_least(1), default=1, help="number of processes (1)")
    arguments = parser.parse_args()
    parser_of(arguments.grammar)  # an error in the grammar ends the script before any work
    sentences = read_sentences(arguments.input)
    written = flat = 0
    with atomic_writer(arguments.output) as file:
        work = ordered_map(
            partial(parse_block, arguments.grammar), blocks(sentences, BLOCK), arguments.processes
        )
        for tree, derived in track(chain.from_iterable(work), None, "sentences"):
            file.write(tree + "\n")
            written += 1
            flat += not derived
        if not written:
            raise UserError(f"{arguments.input}: the file is empty; expected one sentence per line")
    print(f"{written:,} trees, {flat:,} of them flat", file=sys.stderr)
    if MUCH * flat > written:
        say(
            f"{arguments.input}: the grammar derives no tree for {flat:,} of {written:,} sentences; theirs are flat"
        )


def read_sentences(path: Path) -> Iterator[list[str]]:
    """Stream the words of each line, brackets as the treebank writes them.  Raises UserError with file and line."""
    for number, line in enumerate(read_text(path), start=1):
        yield read_sentence(line.translate(BRACKETS), False, f"{path}, line {number}")


def parse_block(grammar: Path, sentences: Iterable[list[str]]) -> list[tuple[str, bool]]:
    """Return the tree of each sentence as text, and whether the grammar derives the sentence."""
    parser = parser_of(grammar)
    parsed = []
    for words in sentences:
        tree = parser.parse(words)
        parsed.append((write_tree(tree or parser.flat_tree(words)), tree is not None))
    return parsed


class ChartParser:
    """Parses sentences with one grammar.  Scores are natural logarithms, one per symbol: ``(symbols,)``."""

    def __init__(self, grammar: Grammar) -> None:
        self._symbols = grammar.symbols
        self._id = {symbol: id for id, symbol in enumerate(self._symbols)}
        self._lexicon = Lexicon(grammar.words)
        uses: Counter[str] = Counter()
        for (symbol, *_), count in grammar.rules.items():
            uses[symbol] += count
        rules = sorted(
            (tuple(self._id[symbol] for symbol in rule), np.log(count / uses[rule[0]]))
            for rule, count in grammar.rules.items()
        )
        self._binary = BinaryRules([rule for rule in rules if len(rule[0]) == 3], len(self._symbols))
        self._unary = UnaryChains([rule for rule in rules if len(rule[0]) == 2])
        roots = {rule[1]: count for rule, count in sorted(grammar.rules.items()) if rule[0] == START}
        self._commonest_root = label_of(max(roots, key=lambda root: roots[root]))

    def parse(self, words: Sequence[str]) -> Tree | None:
        """Return the most probable tree over one word or more.

        Returns None when the grammar derives no tree, or for more than LONGEST words.
        """
        best = self.best_derivation(words) if len(words) <= LONGEST else None
        return restore(best[1]) if best else None

    def flat_tree(self, words: Sequence[str]) -> Tree:
        """Return a tree for sentences that :meth:`parse` cannot parse: all words directly below the root.

        Each word gets its most probable tag, P(tag | word), whatever the constituent above it.
        """
        tags = [self._likeliest_tag(word, position) for position, word in enumerate(words)]
        return Tree(self._commonest_root, [Tree(tag, [word]) for tag, word in zip(tags, words, strict=True)])

    def best_derivation(self, words: Sequence[str]) -> tuple[float, Tree] | None:
        """Return the score and the binary tree of :meth:`parse`, for any number of words.

        The score is the logarithm of the tree's probability, up to a constant that depends on the words alone.
        """
        lexical = [self._word_scores(word, position) for position, word in enumerate(words)]
        chart = _Chart(self._binary, lexical)
        for length in range(1, len(words)):
            for start in range(len(words) - length + 1):
                end = start + length
                chart.put(start, end, self._unary.applied(chart.scores(start, end)))
        score = float(self._unary.applied(chart.scores(0, len(words)))[self._id[START]])
        return None if score == NEVER else (score, self._traced(chart, words))

    def _likeliest_tag(self, word: str, position: int) -> str:
        probabilities: defaultdict[str, float] = defaultdict(float)
        for symbol, probability in self._lexicon.probabilities(word, starts_sentence=position == 0).items():
            probabilities[label_of(symbol)] += probability
        return max(probabilities, key=lambda tag: probabilities[tag])

    def _word_scores(self, word: str, position: int) -> Floats:
        scores = np.full(len(self._symbols), NEVER)
        for symbol, score in self._lexicon.log_likelihoods(word, starts_sentence=position == 0).items():
            scores[self._id[symbol]] = score
        return scores

    def _traced(self, chart: "_Chart", words: Sequence[str]) -> Tree:
        """Return the best binary tree over all words."""
        root = Tree(START, [])
        todo = [(0, len(words), root)]  # spans, each with its still empty constituent
        while todo:
            start, end, node = todo.pop()
            symbol = self._id[node.label()]
            for child in self._unary.best_chain(symbol, chart.scores(start, end)):
                node.append(Tree(self._symbols[child], []))
                symbol, node = child, node[0]
            if end - start == 1:
                node.append(words[start])
                continue
            split, left, right = chart.best_split(start, end, symbol)
            node.extend(Tree(self._symbols[child], []) for child in (left, right))
            todo += [(start, split, node[0]), (split, end, node[1])]
        return root


class _Chart:
    """The scores of one sentence's spans: left children are stored by their start, right ones by their end."""

    def __init__(self, rules: BinaryRules, lexical: Sequence[Floats]) -> None:
        self._rules = rules
        self._lexical = lexical  # the scores of each word's tags
        words, lefts, rights = len(lexical), len(rules.lefts), len(rules.rights)
        # [start][end - start - 1] and [end][start]: the parts that a span is split into are adjacent.
        self._from = [np.full((words - start, lefts), NEVER) for start in range(words)]
        self._to = [np.full((end, rights), NEVER) for end in range(words + 1)]
        # Whether a symbol covers any span that starts at a word, or any that ends there.
        self._starts = np.zeros((words, lefts), dtype=bool)
        self._ends = np.zeros((words + 1, rights), dtype=bool)

    def put(self, start: int, end: int, scores: Floats) -> None:
        """Store the scores of a span, (symbols,)."""
        left, right = scores[self._rules.lefts], scores[self._rules.rights]
        self._from[start][end - start - 1] = left
        self._to[end][start] = right
        self._starts[start] |= left > NEVER
        self._ends[end] |= right > NEVER

    def scores(self, start: int, end: int) -> Floats:
        """Return a span's best scores before unary rules, (symbols,): those of its tags or of binary rules."""
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
        """Return the best binary rule for ``symbol`` over a span: where the left child ends, and both children."""
        rules = self._rules
        own = np.flatnonzero(rules.parent == symbol)
        pairs = rules.pair[own]
        scores = self._splits(start, end, pairs) + rules.log_probability[own]
        split, best = divmod(int(scores.argmax()), len(own))
        left, right = rules.pair_left[pairs[best]], rules.pair_right[pairs[best]]
        return start + 1 + split, int(rules.lefts[left]), int(rules.rights[right])

    def _splits(self, start: int, end: int, pairs: Ints) -> Floats:
        """Return the scores of pairs of children over a span, (splits, pairs)."""
        left = self._from[start][: end - start - 1].take(self._rules.pair_left[pairs], axis=1)
        left += self._to[end][start + 1 :].take(self._rules.pair_right[pairs], axis=1)
        return left


if __name__ == "__main__":
    run_script(main)
