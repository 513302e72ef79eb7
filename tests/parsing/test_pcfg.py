"""The chart parser against NLTK's; trees to binary ones and back; grammars on disk."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.grammar import PCFG, Nonterminal, ProbabilisticProduction, induce_pcfg
from nltk.parse import ViterbiParser
from nltk.tree import Tree

from transformer.parsing import parse_pcfg
from transformer.parsing.parse_pcfg import ChartParser
from transformer.parsing.tag_lexicon import Lexicon, looks
from transformer.parsing.train_pcfg import START, Grammar, binarise, restore
from transformer.parsing.trees import parse_tree, walk, write_tree


def grammar_of(treebank: Iterable[Tree]) -> Grammar:
    grammar = Grammar()
    for tree in treebank:
        grammar.add(tree)
    return grammar


def trees(labels: str, tags: str, words: str, most: int) -> st.SearchStrategy[Tree]:
    """Trees of at most about ``most`` words, unary chains of one label included."""
    label = st.sampled_from(labels.split())
    terminal = st.builds(
        Tree, st.sampled_from(tags.split()), st.sampled_from([[word] for word in words.split()])
    )
    node = st.recursive(
        terminal,
        lambda inner: st.builds(Tree, label, st.lists(inner, min_size=1, max_size=4)),
        max_leaves=most,
    )
    return st.builds(Tree, label, st.lists(node, min_size=1, max_size=4))


# Labels that are tags as well, and look like what a program might write between a label and its parent's.
ODD = trees("S S^S S|S - NN", "NN S ,", "a |b ^", 30)
TINY = trees("S A", "N V", "a b c", 5)


@given(ODD)
def test_back_and_forth(tree: Tree) -> None:
    written = write_tree(tree)
    assert restore(binarise(tree)) == tree
    assert write_tree(tree) == written


def test_a_tree_of_any_depth_and_width() -> None:
    """Parsed trees are of any depth.  A tree to learn from may have 500 levels when it is binary."""

    def deep(levels: int) -> str:
        return "(X " * levels + "(NN dog)" + ")" * levels

    def wide(words: int) -> str:
        return "(X" + " (NN dog)" * words + ")"

    for text in (deep(450), wide(450)):
        assert write_tree(restore(binarise(parse_tree(text)))) == text
    for text in (deep(3000), wide(3000)):
        with pytest.raises(ValueError, match="levels deep"):
            binarise(parse_tree(text))


def nltk_grammar(grammar: Grammar, treebank: Sequence[Tree], words: Sequence[str]) -> PCFG:
    """NLTK's own grammar of the treebank, with our scores of words: each tag gives e^-9 times P(word | tag)."""
    productions = [rule for tree in treebank for rule in binarise(tree).productions() if rule.is_nonlexical()]
    rules = induce_pcfg(Nonterminal(START), productions).productions()
    lexicon = Lexicon(grammar.words)
    shares: dict[str, dict[str, float]] = {}
    for position, word in enumerate(words):
        for tag, score in lexicon.log_likelihoods(word, starts_sentence=position == 0).items():
            shares.setdefault(tag, {})[f"{word} {position == 0}"] = math.exp(score - 9)
    for tag, probabilities in shares.items():
        probabilities["other"] = 1 - sum(probabilities.values())
        rules += [
            ProbabilisticProduction(Nonterminal(tag), [word], prob=p) for word, p in probabilities.items()
        ]
    return PCFG(Nonterminal(START), rules)


@given(
    st.lists(TINY, min_size=1, max_size=4),
    st.lists(st.sampled_from("a b c d".split()), min_size=1, max_size=4),
)
def test_the_best_of_all_derivations_as_nltk_finds_it(treebank: list[Tree], words: list[str]) -> None:
    grammar = grammar_of(treebank)
    tokens = [f"{word} {position == 0}" for position, word in enumerate(words)]
    wanted = next(ViterbiParser(nltk_grammar(grammar, treebank, words), max_time=None).parse(tokens), None)
    best = ChartParser(grammar).best_derivation(words)
    if wanted is None:
        assert best is None
        return
    assert best
    score, tree = best
    assert score == pytest.approx(math.log(wanted.prob()) + 9 * len(words))
    assert score == pytest.approx(score_of(tree, grammar))
    assert tree.leaves() == words


def score_of(tree: Tree, grammar: Grammar) -> float:
    """The score of a binary tree, rule by rule."""
    lexicon, score, position = Lexicon(grammar.words), 0.0, 0
    for event, node in walk(tree):
        if event == "word":
            score += lexicon.log_likelihoods(node[0], starts_sentence=position == 0)[node.label()]
            position += 1
        elif event == "open":
            rule = (node.label(), *(child.label() for child in node))
            uses = sum(count for other, count in grammar.rules.items() if other[0] == rule[0])
            score += math.log(grammar.rules[rule] / uses)
    return score


GRAMMAR = grammar_of(
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


def test_without_a_derivation_there_is_a_flat_tree() -> None:
    parser = ChartParser(GRAMMAR)
    assert parser.parse("the dog".split()) is None
    assert parser.flat_tree("the dog".split()) == parse_tree("(TOP (DT the) (NN dog))")


def test_a_flat_tree_has_the_likeliest_tags_of_its_words() -> None:
    """P(tag | word), not P(word | tag): "run" is one noun of many, and once the only verb."""
    trees = ["(TOP (NP (DT the) (NN run)))"] * 20 + ["(TOP (VP (VB run)))"]
    trees += ["(TOP (NP (DT the) (NN dog)))"] * 200
    assert ChartParser(grammar_of(map(parse_tree, trees))).flat_tree(["run"]).pos() == [("run", "NN")]


def test_more_words_than_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "the dog runs .".split()
    parser = ChartParser(GRAMMAR)
    monkeypatch.setattr(parse_pcfg, "LONGEST", 4)
    assert parser.parse(words) is not None
    monkeypatch.setattr(parse_pcfg, "LONGEST", 3)
    assert parser.parse(words) is None


@pytest.mark.parametrize("text", ["(TOP (NN dog))", "(TOP (DT the) (NN dog))"])
def test_a_grammar_without_unary_or_binary_rules(text: str) -> None:
    tree = parse_tree(text)
    assert ChartParser(grammar_of([tree])).parse(tree.leaves()) == tree


def test_the_lexicon_by_hand() -> None:
    """Each estimate is the counts of a class plus one occurrence of the estimate before; rare words count once."""
    tokens = [
        word.split("/") for word in "the/D the/D dog/N dogs/N dogs/V runs/V Sings/V sings/N the/N".split()
    ]
    words: dict[str, Counter[str]] = {}
    for word, tag in tokens:
        words.setdefault(word, Counter())[tag] += 1
    lexicon = Lexicon(words | {"many": Counter(N=10**4 - 4)})
    tokens += [["many", "N"]] * (10**4 - 4)
    for word, starts in [
        *((word, False) for word in [*words, "The", "cats", "Rings", "x", ""]),
        ("The", True),
        ("Dog", True),
    ]:
        known = word if word in words or not starts else word.lower()
        single = [(other, tag) for other, tag in tokens if sum(words.get(other, {}).values()) == 1]
        counts = [[tag for other, tag in single if look in looks(other)] for look in looks(word)]
        share = {tag: sum(other == tag for _, other in tokens) / len(tokens) for tag in "DNV"}
        for tags in [*counts, [tag for other, tag in tokens if other == known]]:
            share = {tag: (tags.count(tag) + share[tag]) / (len(tags) + 1) for tag in share}
        expected = {
            tag: math.log(p * len(tokens) / sum(other == tag for _, other in tokens))
            for tag, p in share.items()
            if p >= 1e-4
        }
        assert lexicon.log_likelihoods(word, starts_sentence=starts) == pytest.approx(expected), word


@pytest.mark.parametrize(
    ("word", "spelling"),
    [
        ("Well-known", "first capitals  letters hyphen: n wn own"),
        ("1990", "no capitals digits  : 0 90"),
        ("1990s", "no capitals digits letters : s 0s 90s"),
        ("--", "no capitals   hyphen:"),
        ("-5", "no capitals digits  :"),
        ("IBM", "all capitals  letters : m"),
        ("I", "first capitals  letters :"),
        ("ibms", "no capitals  letters : s ms"),
    ],
)
def test_what_words_look_like(word: str, spelling: str) -> None:
    characters, _, suffixes = spelling.partition(":")
    assert looks(word) == ["", characters, *(f"{characters} -{suffix}" for suffix in suffixes.split())]


@settings(max_examples=20)  # each writes files
@given(st.lists(ODD, max_size=5))
def test_a_grammar_on_disk(tmp_path_factory: pytest.TempPathFactory, treebank: list[Tree]) -> None:
    path = tmp_path_factory.mktemp("grammar") / "grammar.json"
    grammar = grammar_of(treebank)
    grammar.save(path)
    assert Grammar.load(path) == grammar
    first = path.read_bytes()
    grammar_of(reversed(treebank)).save(path)
    assert path.read_bytes() == first
