"""Labelled bracketing as the EVALB program counts it (Sekine and Collins), with the parameters of its ``COLLINS.prm``.

Precision, recall and F of the brackets of a predicted tree against a gold one.  As in the program, punctuation is
deleted by its tag, sentences whose words differ are left out and counted apart, and ADVP equals PRT.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from transformer.parsing.trees import Node, Terminal, Tree, terminals
from transformer.scoring.bootstrap import SAMPLES, percentile_interval

# COLLINS.prm
DELETED = frozenset(["TOP", "-NONE-", ",", ":", "``", "''", "."])  # tags and labels
DELETED_FOR_LENGTH = frozenset(["-NONE-"])
EQUAL = {"PRT": "ADVP"}
CUTOFF = 40  # words, for the second summary

Bracket = tuple[int, int, str]  # first word, the word behind the last, label


class Status(IntEnum):
    """Whether a sentence counts."""

    VALID = 0
    ERROR = 1  # the words are not those of the gold tree
    SKIPPED = 2  # no word is left in the predicted tree


@dataclass(frozen=True)
class Sentence:
    """What one pair of trees counts; everything but the length is 0 where it is not valid."""

    length: int  # words of the gold tree, punctuation included
    status: Status
    matched: int = 0
    gold: int = 0  # brackets
    predicted: int = 0
    crossing: int = 0  # predicted brackets that cross a gold one
    words: int = 0  # of those that are not deleted
    correct_tags: int = 0


def score_sentence(gold: Tree, predicted: Tree) -> Sentence:
    """Compare two trees of one sentence."""
    gold_words, gold_brackets = _flatten(gold)
    words, brackets = _flatten(predicted)
    length = sum(terminal.tag not in DELETED_FOR_LENGTH for terminal in terminals(gold))
    if not words:
        return Sentence(length, Status.SKIPPED)
    if [terminal.word for terminal in words] != [terminal.word for terminal in gold_words]:
        return Sentence(length, Status.ERROR)
    matched = (Counter(map(_comparable, gold_brackets)) & Counter(map(_comparable, brackets))).total()
    return Sentence(
        length,
        Status.VALID,
        matched,
        len(gold_brackets),
        len(brackets),
        sum(_crosses_any(bracket, gold_brackets) for bracket in brackets),
        len(words),
        sum(one.tag == other.tag for one, other in zip(gold_words, words, strict=True)),
    )


def _flatten(tree: Tree) -> tuple[list[Terminal], list[Bracket]]:
    """The words that are not deleted, and the brackets over them; not recursive, for trees of any depth."""
    words: list[Terminal] = []
    brackets: list[Bracket] = []
    rest: list[Node | tuple[str, int]] = [
        tree
    ]  # a pair: the label of a constituent to be closed, and its first word
    while rest:
        item = rest.pop()
        if isinstance(item, Terminal):
            if item.tag not in DELETED:
                words.append(item)
        elif isinstance(item, Tree):
            rest.append((item.label, len(words)))
            rest += reversed(item.children)
        else:
            label, start = item
            label = _cut(label)
            if len(words) > start and label not in DELETED:
                brackets.append((start, len(words), label))
    return words, brackets


def _cut(label: str) -> str:
    """Without what the treebank adds: ``NP-SBJ=2`` is ``NP``."""
    return label.split("-", 1)[0].split("=", 1)[0]


def _comparable(bracket: Bracket) -> Bracket:
    start, end, label = bracket
    return start, end, EQUAL.get(label, label)


def _crosses_any(bracket: Bracket, others: Sequence[Bracket]) -> bool:
    start, end, _ = bracket
    return any(a < start < b < end or start < a < end < b for a, b, _ in others)


def summary(sentences: Sequence[Sentence], *, samples: int = SAMPLES, seed: int = 0) -> dict[str, Any]:
    """What EVALB prints at its end, in percent: of ``all`` sentences and of those ``up_to_40`` words.

    F1 of both has a bootstrap interval over their valid sentences, where there is one.
    """
    statuses = Counter(sentence.status for sentence in sentences)
    short = [sentence for sentence in sentences if sentence.length <= CUTOFF]
    return {
        "sentences": len(sentences),
        "valid": statuses[Status.VALID],
        "errors": statuses[Status.ERROR],
        "skipped": statuses[Status.SKIPPED],
        "all": _figures(sentences, samples, seed),
        f"up_to_{CUTOFF}": _figures(short, samples, seed),
    }


def _figures(sentences: Sequence[Sentence], samples: int, seed: int) -> dict[str, Any]:
    valid = [sentence for sentence in sentences if sentence.status is Status.VALID]
    matched, gold, predicted, crossing, words, tags = (
        sum(getattr(sentence, name) for sentence in valid)
        for name in ("matched", "gold", "predicted", "crossing", "words", "correct_tags")
    )
    complete = sum(one.matched == one.gold == one.predicted for one in valid)
    figures = {
        "valid": len(valid),
        "precision": _percent(matched, predicted),
        "recall": _percent(matched, gold),
        "f1": _f1(matched, gold, predicted),
        "complete_match": _percent(complete, len(valid)),
        "average_crossing": crossing / len(valid) if valid else 0.0,
        "tagging_accuracy": _percent(tags, words),
    }
    if valid:
        counts = np.array([[one.matched, one.gold, one.predicted] for one in valid])
        interval = percentile_interval(counts, lambda sums: _f1(*sums), samples=samples, seed=seed)
        figures["interval"] = asdict(interval)
    return figures


def _percent(part: float, whole: float) -> float:
    return 100.0 * part / whole if whole else 0.0


def _f1(matched: float, gold: float, predicted: float) -> float:
    """The harmonic mean of unrounded precision and recall."""
    return 200.0 * matched / (gold + predicted) if gold + predicted else 0.0
