"""The readers of trees and vocabularies, and the rules that make such files for the fuzzer (see ``fuzz.py``)."""

import functools
import json
import random
import re
from pathlib import Path

from fuzz_damage import damaged_value, deep, odd_text
from fuzz_target import Input, Misaligned, Target

from transformer.common.files import read_lines, write_text
from transformer.parsing.linearise import constituents, linearise, source_text, tree_of
from transformer.parsing.prepare_treebank import prepare, read_treebank, wsj_files
from transformer.parsing.trees import parse_tree, read_trees, words_of, write_tree
from transformer.subwords.learn_subwords import learn_bpe, learn_word_pieces
from transformer.subwords.subwords import load_subwords
from transformer.subwords.symbols import read_sentence, split
from transformer.subwords.vocabularies import load_symbols

LABELS = [*"S NP VP NP-SBJ=2 PP-LOC-1 -LRB- TOP X=1 =2 N\xa0P ADVP|PRT".split(" "), "", "A" * 300]
TAGS = ["NN", "DT", "-NONE-", "-LRB-", ".", "$", "XX", "", "N\u3000N"]
WORDS = [*"dog *T*-1 0 -RRB- a\u2028b a\x85b \ufeff AT&T 日本 \x1c e\u0301".split(" "), "w" * 2000]


def tree(rng: random.Random, levels: int = 4) -> str:
    """Return a tree in brackets, some of whose labels are odd."""
    label = rng.choice(LABELS[:5] if rng.random() < 0.95 else LABELS)
    if levels == 0 or rng.random() < 0.2:
        tag = rng.choice(TAGS[:3] if rng.random() < 0.95 else TAGS)
        return f"({tag} {rng.choice(WORDS[:3] if rng.random() < 0.9 else WORDS)})"
    space = rng.choice((" ", " ", "\n  ", "\n", "", "\t"))
    return f"({label}{space}{space.join(tree(rng, levels - 1) for _ in range(rng.randint(1, 3)))})"


def treebank(rng: random.Random) -> Input:
    """Return a file of trees as the Penn Treebank has them, of which some are no trees."""
    parts = [f"( {tree(rng)} )" for _ in range(rng.randrange(4))]
    if rng.random() < 0.3:
        parts.insert(rng.randint(0, len(parts)), rng.choice(_ODD_TREES)(rng))
    return "\n\n".join(parts).encode("utf-8", "surrogatepass") + rng.choice((b"", b"\n"))


_ODD_TREES = [
    lambda rng: "",
    lambda rng: "()",
    lambda rng: "(())",
    lambda rng: "(S)",
    lambda rng: "(NN dog)",
    lambda rng: "dog",
    lambda rng: "(S (NN dog)",
    lambda rng: "(S (NN dog)))",
    lambda rng: "(S (NN dog) cat)",
    lambda rng: "(S dog (NN cat))",
    lambda rng: "( (S (-NONE- 0)) )",
    lambda rng: "(X " * (depth := rng.choice((50, 499, 500, 2000))) + "(NN dog)" + ")" * depth,
    lambda rng: "(" * 50_000,
    lambda rng: ")" * 50_000,
    lambda rng: "(S " + "(NN dog) " * 5000 + ")",
    lambda rng: f"(S (NN {odd_text(rng)}))",
    lambda rng: f"({odd_text(rng)} (NN dog))",
]


def read_treebank_file(path: Path) -> None:
    """Prepare the trees as the pipeline does; their words must be those of the file, at each step."""
    prepared = [tree for tree in map(prepare, read_treebank(path)) if tree is not None]
    text = path.read_text(encoding="utf-8")
    wanted = [
        word
        for tag, word in re.findall(r"\(\s*([^\s()]+)\s+([^\s()]+)\s*\)", text, re.ASCII)
        if tag != "-NONE-"
    ]
    if [word for one in prepared for word in words_of(one)] != wanted:
        raise Misaligned("other words than in the file")
    lines = path.parent / "prepared.trees"
    write_text(lines, "".join(write_tree(tree) + "\n" for tree in prepared))
    again = list(read_trees(lines))
    if list(map(write_tree, again)) != list(map(write_tree, prepared)):
        raise Misaligned("other trees when they are written and read")
    for one in again:
        for part in [one, *list(constituents(one))[:50]]:
            check_tree(part)


def check_tree(one: object) -> None:
    """Write a tree as symbols and its sentence as text, and read both."""
    from nltk.tree import Tree

    assert isinstance(one, Tree)
    words = words_of(one)
    for tagged in (False, True):
        text = source_text(one, tagged)
        if read_sentence(text, tagged, "text") != words:
            raise Misaligned("other words in the sentence")
    symbols = linearise(one, True)
    if split(" ".join(symbols)) != symbols:
        raise Misaligned("a symbol that is not one word")
    rebuilt, _ = tree_of(symbols, words)
    if words_of(rebuilt) != words or linearise(rebuilt, True) != symbols:
        raise Misaligned("another tree from its symbols")


def tree_lines(rng: random.Random) -> Input:
    """Return a file with one tree a line."""
    lines = [" ".join(tree(rng).split("\n")) for _ in range(rng.randrange(4))]
    if rng.random() < 0.3:
        lines.insert(rng.randint(0, len(lines)), rng.choice(_ODD_TREES)(rng))
    return "\n".join(lines).encode("utf-8", "surrogatepass") + b"\n"


def read_tree_lines(path: Path) -> None:
    """Read the trees; there must be as many as lines, and each must be the same when written and read."""
    trees = list(read_trees(path))
    if len(trees) != len(list(read_lines(path))):
        raise Misaligned("another number of trees than of lines")
    for one in trees:
        if write_tree(parse_tree(write_tree(one))) != write_tree(one):
            raise Misaligned("another tree when it is written and read")


def wsj(rng: random.Random) -> Input:
    """Return a folder with the sections of a treebank, which may be named in odd ways."""
    chosen = {"22/wsj_2201.mrg", "22/wsj_2202.mrg", rng.choice(("23.mrg", "wsj_23.mrg", "23/wsj_2301.mrg"))}
    if rng.random() < 0.5:
        odd = "22/wsj_2301.mrg 22/.mrg 22/a.mrg 22/wsj_22ab.mrg 24/x 22.mrg wsj_23.mrg README"
        chosen = set(rng.sample(sorted(chosen), rng.randint(1, 3))) | {rng.choice(odd.split())}
    return {name: f"( {tree(rng)} )\n".encode() for name in sorted(chosen)}


def read_wsj(folder: Path) -> None:
    """Read the trees of two sections."""
    files = wsj_files(str(folder), [22, 23])
    if len(set(files)) != len(files) or not all(
        re.search("2[23]", str(file.relative_to(folder))) for file in files
    ):
        raise Misaligned("other files than those of the sections")
    for file in files:
        list(read_treebank(file))


SENTENCES = ["a dog runs .", "the dog läuft schnell", "Hund und Katze", "12 dogs ( 日本 )", "x y z"] * 4
TEXTS = [*"|a dog| a  b |Hund 日本 😀|▁a|\ue000|a\u2028b\x85|</s>|<pad>|\x00|ﬁ".split("|"), "x" * 500]


@functools.cache
def models() -> tuple[bytes, bytes]:
    """Return a vocabulary of each kind, learned from a few sentences."""
    return learn_bpe(iter(SENTENCES), 300), learn_word_pieces(iter(SENTENCES), 300)


def subword_model(rng: random.Random) -> Input:
    """Return a vocabulary; its JSON is sometimes damaged."""
    model = models()[rng.randrange(2)]
    if model.startswith(b"{") and rng.random() < 0.5:
        model = json.dumps(damaged_value(rng, json.loads(model))).encode()
    return model


def read_subword_model(path: Path) -> None:
    """Load the vocabulary, and encode and decode texts."""
    subwords = load_subwords(path)
    for text, ids in zip(TEXTS, subwords.encode_batch(TEXTS), strict=True):
        if not all(0 <= id < subwords.vocab_size for id in ids):
            raise Misaligned("an id that the vocabulary does not have")
        assert isinstance(subwords.decode(ids), str), text
    for id in range(subwords.vocab_size):
        subwords.piece(id)
        subwords.begins_word(id)


def symbols(rng: random.Random) -> Input:
    """Return a vocabulary of symbols."""
    value = {
        "format": 2,
        "first_id": rng.choice((3, 300)),
        "symbols": ["(S", ")S", "XX", "(NP", ")NP"],
        "tags": ["NN"],
    }
    value = damaged_value(rng, value) if rng.random() < 0.8 else value
    if rng.random() < 0.02:
        return rng.choice((b"[" * 100_000, json.dumps(deep(rng, 100)).encode(), b'{"a":' * 100_000))
    return json.dumps(value).encode()


def read_symbols(path: Path) -> None:
    """Load the vocabulary of symbols, and encode each symbol."""
    found, _ = load_symbols(path)
    text = " ".join(found.symbols)
    if found.decode(found.encode(text)) != text:
        raise Misaligned("other symbols when they are encoded and decoded")


def sentences(rng: random.Random) -> Input:
    """Return lines of words, each after its tag."""
    lines = [" ".join(rng.choices([*TAGS, *WORDS], k=2 * rng.randint(1, 3))) for _ in range(3)]
    return "\n".join(lines).encode()


def read_sentences(path: Path) -> None:
    """Read the tagged sentences."""
    for number, line in enumerate(read_lines(path), start=1):
        if not read_sentence(line, True, f"{path}, line {number}"):
            raise Misaligned("no words")


TARGETS = [
    Target("treebank", treebank, read_treebank_file, file="wsj.mrg", damaged=0.3),
    Target("tree_lines", tree_lines, read_tree_lines, file="own.trees", damaged=0.3),
    Target("wsj", wsj, read_wsj, names=("input", ".mrg"), damaged=0.2),
    Target("tagged", sentences, read_sentences),
    Target("subwords", subword_model, read_subword_model, file="subwords.model"),
    Target("symbols", symbols, read_symbols, file="symbols.json"),
]
