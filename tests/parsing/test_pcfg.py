"""The chart parser against an enumeration of all derivations; derivations and grammars back and forth."""

import itertools
import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from demo_grammar import generate
from transformer.common.errors import UserError
from transformer.parsing.evalb import score_sentence, summary
from transformer.parsing.pcfg import chart as chart_module
from transformer.parsing.pcfg.chart import ChartParser
from transformer.parsing.pcfg.pcfg import Grammar
from transformer.parsing.pcfg.tag_lexicon import Lexicon, looks
from transformer.parsing.pcfg.tree_derivations import (
    CONSTITUENT,
    REST,
    TAG,
    Rule,
    Symbol,
    derivation,
    tree_of,
)
from transformer.parsing.trees import Node, Terminal, Tree, parse_tree, write_tree


def trees(labels: str, tags: str, words: str, most: int) -> st.SearchStrategy[Tree]:
    """Trees of at most about ``most`` words, unary chains of one label included."""
    label = st.sampled_from(labels.split())
    terminal = st.builds(Terminal, st.sampled_from(tags.split()), st.sampled_from(words.split()))
    node: st.SearchStrategy[Node] = st.recursive(
        terminal,
        lambda inner: st.builds(Tree, label, st.lists(inner, min_size=1, max_size=4)),
        max_leaves=most,
    )
    return st.builds(Tree, label, st.lists(node, min_size=1, max_size=4))


# Labels that are tags as well, and look like what a program might write between a label and its parent's.
ODD = trees("S S^S S|S - NN", "NN S ,", "a ( b", 30)
TINY = trees("S A", "N V", "a b c", 5)


@given(ODD)
def test_back_and_forth(tree: Tree) -> None:
    assert tree_of(derivation(tree)) == tree


@given(ODD)
def test_rules_are_binary_and_markovised(tree: Tree) -> None:
    for rule in derivation(tree):
        assert (rule.left.kind == TAG) == (not rule.right) == bool(rule.word)
        if len(rule.right) == 1:
            assert rule.left.kind == CONSTITUENT
            assert rule.right[0].kind != REST
        if len(rule.right) == 2:
            assert rule.right[0].kind != REST


def test_what_a_rule_knows() -> None:
    rules = list(derivation(parse_tree("(S (NP (DT the) (JJ old) (NN dog)) (VP (VB runs)))")))
    rest = Symbol(REST, "NP", "S", first="JJ")
    assert rules[1] == Rule(Symbol(CONSTITUENT, "NP", "S"), (Symbol(TAG, "DT", "NP"), rest))
    assert rules[3] == Rule(rest, (Symbol(TAG, "JJ", "NP"), Symbol(TAG, "NN", "NP")))
    assert rules[2] == Rule(Symbol(TAG, "DT", "NP"), (), "the")


def test_a_tree_of_any_depth_and_width() -> None:
    deep = parse_tree("(X " * 3000 + "(NN dog)" + ")" * 3000)
    wide = parse_tree("(X" + " (NN dog)" * 3000 + ")")
    for tree in (deep, wide):
        # Written out: comparing trees is recursive.
        assert write_tree(tree_of(derivation(tree))) == write_tree(tree)


class Enumeration:
    """All derivations of a sentence under a grammar, one by one; no chain of unary rules comes back to a symbol."""

    def __init__(self, grammar: Grammar, words: Sequence[str], tags: Sequence[str] | None) -> None:
        self.rules = grammar.rules
        self.roots = grammar.roots
        self.uses: Counter[Symbol] = Counter()
        for rule, count in grammar.rules.items():
            self.uses[rule.left] += count
        lexicon = Lexicon(grammar.words)
        self.lexical = [
            lexicon.log_likelihoods(word, starts_sentence=number == 0) for number, word in enumerate(words)
        ]
        for number, tag in enumerate(tags or []):
            scores = self.lexical[number]
            self.lexical[number] = {symbol: scores[symbol] for symbol in scores if symbol.label == tag}

    def scores(self) -> Iterator[float]:
        for root, count in self.roots.items():
            probability = math.log(count / self.roots.total())
            for score in self.below(root, 0, len(self.lexical), frozenset([root])):
                yield probability + score

    def below(self, symbol: Symbol, start: int, end: int, chain: frozenset[Symbol]) -> Iterator[float]:
        if end - start == 1 and symbol in self.lexical[start]:
            yield self.lexical[start][symbol]
        for rule in self.rules:
            if rule.left != symbol:
                continue
            own = math.log(self.rules[rule] / self.uses[symbol])
            if len(rule.right) == 1 and rule.right[0] not in chain:
                child = rule.right[0]
                for score in self.below(child, start, end, chain | {child}):
                    yield own + score
            for split in range(start + 1, end) if len(rule.right) == 2 else ():
                left, right = rule.right
                parts = (
                    list(self.below(left, start, split, frozenset([left]))),
                    list(self.below(right, split, end, frozenset([right]))),
                )
                yield from (own + sum(pair) for pair in itertools.product(*parts))


def score_of(rules: Sequence[Rule], enumeration: Enumeration) -> float:
    score = math.log(enumeration.roots[rules[0].left] / enumeration.roots.total())
    position = 0
    for rule in rules:
        if rule.left.kind == TAG:
            score += enumeration.lexical[position][rule.left]
            position += 1
        else:
            score += math.log(enumeration.rules[rule] / enumeration.uses[rule.left])
    return score


@given(
    st.lists(TINY, min_size=1, max_size=4),
    st.lists(st.sampled_from("a b c d".split()), min_size=1, max_size=4),
)
def test_the_best_of_all_derivations(treebank: list[Tree], words: list[str]) -> None:
    grammar = Grammar.of(treebank)
    enumeration = Enumeration(grammar, words, None)
    scores = list(itertools.islice(enumeration.scores(), 20_000))
    assume(len(scores) < 20_000)
    best = ChartParser(grammar).best_derivation(words)
    if best is None:
        assert not scores
        return
    score, rules = best
    assert score == pytest.approx(max(scores))
    assert score == pytest.approx(score_of(rules, enumeration))
    assert [rule.word for rule in rules if rule.word] == words


@given(st.lists(TINY, min_size=1, max_size=4))
def test_a_tree_of_the_treebank_is_parsed_at_least_as_well(treebank: list[Tree]) -> None:
    """From its words, and from words and tags."""
    grammar = Grammar.of(treebank)
    parser = ChartParser(grammar)
    for tree in treebank:
        rules = list(derivation(tree))
        terminals = [rule for rule in rules if rule.word]
        words, tags = [rule.word for rule in terminals], [rule.left.label for rule in terminals]
        enumeration = Enumeration(grammar, words, tags)
        best = parser.best_derivation(words)
        best_with_tags = parser.best_derivation(words, tags)
        assert best
        assert best_with_tags
        assert best[0] >= best_with_tags[0] - 1e-9
        assert best_with_tags[0] >= score_of(rules, enumeration) - 1e-9
        assert [rule.left.label for rule in best_with_tags[1] if rule.word] == tags


def test_the_more_frequent_rule_wins() -> None:
    """Although the word is as likely under either tag."""
    often, seldom = (parse_tree(f"(S ({tag} x) (C c))") for tag in "BA")
    assert ChartParser(Grammar.of([often, often, often, seldom])).parse(["x", "c"]) == often


def test_a_toy_treebank_is_recovered() -> None:
    """The demo's grammar: two kinds of roots, and words that are new."""
    examples = [parse_tree(example.tree) for example in itertools.islice(generate(seed=1), 440)]
    parser = ChartParser(Grammar.of(examples[:400]))
    scores = []
    for tree in examples[400:]:
        parsed = parser.parse([rule.word for rule in derivation(tree) if rule.word])
        assert parsed
        scores.append(score_sentence(tree, parsed))
    figures = summary(scores)
    assert (figures["valid"], figures["errors"]) == (40, 0)
    assert figures["all"]["f1"] > 90


GRAMMAR = Grammar.of(
    map(
        parse_tree,
        [
            "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ runs)) (. .)))",
            "(TOP (S (NP (NNP Anna)) (VP (VBZ sees) (NP (DT the) (NN cat))) (. .)))",
            "(TOP (S (NP (NNP Bob)) (VP (VBZ walks) (ADVP (RB slowly))) (. .)))",
        ],
    )
)


def test_new_words_and_capitals_at_the_start() -> None:
    tree = ChartParser(GRAMMAR).parse("The cat jumps quickly .".split())
    assert tree == parse_tree("(TOP (S (NP (DT The) (NN cat)) (VP (VBZ jumps) (ADVP (RB quickly))) (. .)))")


def test_tags_are_obeyed() -> None:
    parser = ChartParser(GRAMMAR)
    tree = parser.parse("runs runs .".split(), "NNP VBZ .".split())
    assert tree == parse_tree("(TOP (S (NP (NNP runs)) (VP (VBZ runs)) (. .)))")
    assert parser.parse(["the"], ["XX"]) is None
    assert parser.flat_tree(["the", "dog"], ["XX", "NN"]) == parse_tree("(TOP (XX the) (NN dog))")


def test_without_a_derivation_there_is_a_flat_tree() -> None:
    parser = ChartParser(GRAMMAR)
    assert parser.parse("the dog".split()) is None
    assert parser.flat_tree("the dog".split()) == parse_tree("(TOP (DT the) (NN dog))")


def test_more_words_than_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "the dog runs .".split()
    parser = ChartParser(GRAMMAR)
    monkeypatch.setattr(chart_module, "LONGEST", 4)
    assert parser.parse(words) is not None
    monkeypatch.setattr(chart_module, "LONGEST", 3)
    assert parser.parse(words) is None


def test_what_cannot_be_parsed() -> None:
    parser = ChartParser(GRAMMAR)
    with pytest.raises(ValueError, match="at least one word"):
        parser.parse([])
    with pytest.raises(ValueError, match="1 tags for 2 words"):
        parser.parse(["the", "dog"], ["DT"])


@pytest.mark.parametrize("text", ["(TOP (NN dog))", "(TOP (DT the) (NN dog))"])
def test_a_grammar_without_unary_or_binary_rules(text: str) -> None:
    tree = parse_tree(text)
    words = [rule.word for rule in derivation(tree) if rule.word]
    assert ChartParser(Grammar.of([tree])).parse(words) == tree


def test_unknown_words_have_the_tags_of_what_looks_alike() -> None:
    verb, name, article = (Symbol(TAG, tag, "X") for tag in ("VBG", "NNP", "DT"))
    lexicon = Lexicon({"walking": {verb: 1}, "Bob": {name: 1}, "the": {article: 8}})
    for word, starts_sentence, likeliest in [
        ("jumping", False, verb),
        ("Eve", False, name),
        ("Eve", True, name),
        ("The", False, name),
        ("The", True, article),
        ("the", False, article),
    ]:
        scores = lexicon.log_likelihoods(word, starts_sentence=starts_sentence)
        assert max(scores, key=lambda tag: scores[tag]) == likeliest, word


def test_what_words_look_like() -> None:
    assert looks("Well-known")[-1] == "first capitals  letters hyphen -own"
    assert (
        len({tuple(looks(word)) for word in ["1990", "1990s", "-", "--", "IBM", "Ibm", "ibm", "x-1", "I"]})
        == 9
    )


@settings(max_examples=20)  # each writes files
@given(st.lists(ODD, max_size=5))
def test_a_grammar_on_disk(tmp_path_factory: pytest.TempPathFactory, treebank: list[Tree]) -> None:
    path = tmp_path_factory.mktemp("grammar") / "grammar.json"
    grammar = Grammar.of(treebank)
    grammar.save(path)
    assert Grammar.load(path) == grammar
    first = path.read_bytes()
    Grammar.of(reversed(treebank)).save(path)
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "not a grammar of format 1"),
        ({"symbols": []}, "a damaged grammar"),
        ({"rules": [[0, 999, 1]]}, "a damaged grammar"),
        ({"words": []}, "a damaged grammar"),
    ],
)
def test_a_damaged_grammar(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = tmp_path / "grammar.json"
    GRAMMAR.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(UserError, match=message):
        Grammar.load(path)
