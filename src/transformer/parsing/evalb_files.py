"""Score a file of predicted trees against a file of gold trees, sentence by sentence."""

from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError
from transformer.common.json_artifacts import read_artifact
from transformer.parsing.evalb import Sentence, score_lines
from transformer.parsing.evalb_lines import read_tree_lines


def score_files(gold: Path, predicted: Path, gold_tags: bool) -> list[Sentence]:
    """Score every pair of trees; ``gold_tags`` puts the gold trees' tags into the predicted ones first.

    As in EVALB, a line without a word counts: as skipped if the predicted tree has none, as an error if only the gold
    tree has none.  Raises UserError when a file is empty, malformed, or shorter than the other.
    """
    sentences = []
    pairs = zip_longest(read_tree_lines(gold), read_tree_lines(predicted))
    for number, (right, ours) in enumerate(pairs, start=1):
        if right is None or ours is None:
            shorter, longer = (gold, predicted) if right is None else (predicted, gold)
            total = sum(1 for _ in read_tree_lines(longer))
            raise UserError(
                f"{shorter} has {number - 1} trees but {longer} has {total}; "
                "each line of both must be a tree of the same sentence"
            )
        if gold_tags and right.words == ours.words:
            ours = replace(ours, tags=right.tags)
        sentences.append(score_lines(right, ours))
    if not sentences:
        raise UserError(f"{gold}: the file is empty; expected one tree per line")
    return sentences


def read_decoding(path: Path, sentences: int) -> dict[str, Any]:
    """Read the report of parse.py: its search, and how many outputs were not trees before they were repaired.

    Raises UserError when the file holds anything else, or counts another number of sentences.
    """
    decoding = read_artifact(path, "decoding", "parse again with src/parsing/parse.py --report")
    if decoding.get("sentences") == sentences and decoding["malformed"] <= sentences:
        return decoding
    raise UserError(
        f"{path}: expected `sentences` to be {sentences}, the number of trees, and `malformed` no more; "
        "parse again with src/parsing/parse.py --report"
    )
