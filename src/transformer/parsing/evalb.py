"""Labelled bracketing scores as the EVALB program (Sekine and Collins) computes them with its ``COLLINS.prm``.

They are precision, recall and F1 of the brackets of a predicted tree against a gold one.  As in the program,
punctuation is deleted by its tag, sentences whose words differ are counted but not scored, and ADVP equals PRT, as a
label and as a tag.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import accumulate, compress
from typing import Any

import numpy as np
from nltk.tree import Tree

from transformer.parsing.trees import OPEN, WORD, walk
from transformer.scoring.bootstrap import percentile_interval

Bracket = tuple[int, int, str]  # first word, the word after the last, label

# COLLINS.prm
DELETED = frozenset(["TOP", "-NONE-", ",", ":", "``", "''", "."])  # tags and labels
DELETED_FOR_LENGTH = frozenset(["-NONE-"])
EQUAL = {"PRT": "ADVP"}
CUTOFF = 40  # words; the second summary covers sentences no longer than this


@dataclass(frozen=True)
class TreeLine:
    """What EVALB reads of a line: tags and words from left to right, and brackets that count these words."""

    tags: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    brackets: list[Bracket] = field(default_factory=list)


def line_of(nodes: Iterable[Tree]) -> TreeLine:
    """Return the words and brackets of a line's nodes, which :func:`parse_nodes` reads."""
    line = TreeLine()
    starts: list[int] = []  # the first words of the constituents that are open
    for event, node in (visit for outermost in nodes for visit in walk(outermost)):
        if event == WORD:
            line.tags.append(node.label())
            line.words.append(node[0])
        elif event == OPEN:
            starts.append(len(line.words))
        else:
            line.brackets.append((starts.pop(), len(line.words), node.label()))
    return line


class Status(IntEnum):
    """Whether a sentence counts."""

    VALID = 0
    ERROR = 1  # the words differ from the gold tree's, of which there may be none
    SKIPPED = 2  # no word is left in the predicted tree, whatever the gold tree has


@dataclass(frozen=True)
class Sentence:
    """The counts of one pair of trees; everything but the length is 0 when the pair is not valid."""

    length: int  # words of the gold tree, punctuation included
    status: Status
    matched: int = 0
    gold: int = 0  # brackets
    predicted: int = 0
    crossing: int = 0  # predicted brackets that cross a gold one
    words: int = 0  # words that are not deleted
    correct_tags: int = 0


def score_sentence(gold: Tree, predicted: Tree) -> Sentence:
    """Compare two trees of one sentence."""
    return score_lines(line_of([gold]), line_of([predicted]))


def score_lines(gold: TreeLine, predicted: TreeLine) -> Sentence:
    """Compare two lines, of which each is a tree, or what EVALB takes besides."""
    length = sum(tag not in DELETED_FOR_LENGTH for tag in gold.tags)
    right, ours = _counted(gold), _counted(predicted)
    if not ours.words:
        return Sentence(length, Status.SKIPPED)
    if ours.words != right.words:
        return Sentence(length, Status.ERROR)
    return Sentence(
        length,
        Status.VALID,
        (Counter(right.brackets) & Counter(ours.brackets)).total(),
        len(right.brackets),
        len(ours.brackets),
        sum(_crosses_any(bracket, right.brackets) for bracket in ours.brackets),
        len(ours.words),
        sum(one == other for one, other in zip(right.tags, ours.tags, strict=True)),
    )


def _counted(line: TreeLine) -> TreeLine:
    """Return what counts of a line: no deleted terminals and labels, no empty brackets; equal labels become one."""
    kept = [tag not in DELETED for tag in line.tags]
    before = list(accumulate(kept, initial=0))  # how many of the words before each one are kept
    brackets = []
    for start, end, label in line.brackets:
        label = label.split("-", 1)[0].split("=", 1)[0]  # no function tags and indices: NP-SBJ=2 is NP
        if before[start] < before[end] and label not in DELETED:
            brackets.append((before[start], before[end], EQUAL.get(label, label)))
    tags = [EQUAL.get(tag, tag) for tag in compress(line.tags, kept)]
    return TreeLine(tags, list(compress(line.words, kept)), brackets)


def _crosses_any(bracket: Bracket, others: Sequence[Bracket]) -> bool:
    start, end, _ = bracket
    return any(a < start < b < end or start < a < end < b for a, b, _ in others)


def summary(sentences: Sequence[Sentence]) -> dict[str, Any]:
    """Return EVALB's final summary, in percent, of ``all`` sentences and of those of ``up_to_40`` words.

    Both have a bootstrap interval of F1 over their valid sentences, if there are any.
    """
    statuses = Counter(sentence.status for sentence in sentences)
    short = [sentence for sentence in sentences if sentence.length <= CUTOFF]
    return {
        "sentences": len(sentences),
        "valid": statuses[Status.VALID],
        "errors": statuses[Status.ERROR],
        "skipped": statuses[Status.SKIPPED],
        "all": _figures(sentences),
        f"up_to_{CUTOFF}": _figures(short),
    }


def _figures(sentences: Sequence[Sentence]) -> dict[str, Any]:
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
        figures["interval"] = percentile_interval(counts, lambda sums: _f1(*sums))
    return figures


def _percent(part: float, whole: float) -> float:
    return 100.0 * part / whole if whole else 0.0


def _f1(matched: float, gold: float, predicted: float) -> float:
    """Return the harmonic mean of unrounded precision and recall, in percent."""
    return 200.0 * matched / (gold + predicted) if gold + predicted else 0.0
