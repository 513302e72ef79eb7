"""The corpus as a whole: its sentences are published, so each of them is determined."""

import hashlib
from itertools import islice
from pathlib import Path

from demo_grammar import MAX_TOKENS, generate, splits
from demo_grammar.plain_text import split_english

CORPUS_SHA256 = "6f473e60a6e29574019325ee9a82e02b91356180544bbf6791bd1234b274170e"  # 4000 examples of seed 1
RECORDED = Path(__file__).with_name("recorded.tsv")  # the first 200 of them, to see what a change does


def test_the_corpus_is_the_recorded_one() -> None:
    """Any change of the grammar changes every score that was measured on the corpus."""
    lines = ["\t".join((e.english, e.german, e.french, e.tree)) for e in islice(generate(seed=1), 4000)]
    assert lines[:200] == RECORDED.read_text(encoding="utf-8").splitlines()
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest() == CORPUS_SHA256


def test_splits_share_no_sentence_and_depend_on_the_seed_only() -> None:
    sizes = {"train": 700, "dev": 50, "test": 50}
    corpus = splits(3, sizes)
    assert {name: len(examples) for name, examples in corpus.items()} == sizes
    assert len({example.english for examples in corpus.values() for example in examples}) == 800
    assert all(len(split_english(example.english)) <= MAX_TOKENS for example in corpus["train"])
    assert corpus == splits(3, sizes)
    assert corpus["test"] != splits(4, sizes)["test"]
