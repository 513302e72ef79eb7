"""Score predicted constituency trees against gold ones as the EVALB program does, and write scores.json.

    python src/parsing/score_parses.py --gold gold.trees --predicted predicted.trees --output scores.json \\
        --per-sentence per.csv

Both files hold one bracketed tree a line, of the same sentences.  The same files give the same bytes: nothing in
scores.json depends on time, machine or folder.
"""

import argparse
import csv
import io
from dataclasses import astuple, fields
from itertools import zip_longest
from pathlib import Path

from transformer.common.errors import UserError, run_script
from transformer.common.files import read_json, sha256_of, write_json, write_text
from transformer.parsing.evalb import Sentence, score_sentence, summary
from transformer.parsing.trees import Tree, read_trees, replace_terminals, terminals

FORMAT = 1


def main() -> None:
    """Read, score, write, and print the summary."""
    arguments = parse_arguments()
    sentences = score_files(arguments.gold, arguments.predicted, arguments.gold_tags)
    scores = {
        "format": FORMAT,
        "parameters": "COLLINS.prm",
        "tags": "gold" if arguments.gold_tags else "predicted",
        **summary(sentences),
    }
    if arguments.decoding:
        scores["malformed"] = malformed(arguments.decoding, len(sentences))
    scores["files"] = {
        kind: {"name": path.name, "sha256": sha256_of(path)}
        for kind in ("gold", "predicted", "decoding", "checkpoint", "config")
        if (path := getattr(arguments, kind)) is not None
    }
    if arguments.per_sentence:
        write_text(arguments.per_sentence, per_sentence_csv(sentences))
    write_json(arguments.output, scores)
    for title, figures in (("all", scores["all"]), ("up to 40 words", scores["up_to_40"])):
        print(
            f"{title}: F1 {figures['f1']:.2f}, precision {figures['precision']:.2f}, recall {figures['recall']:.2f}, "
            f"complete {figures['complete_match']:.2f}, tags {figures['tagging_accuracy']:.2f}"
        )
    print(f"{scores['valid']} valid, {scores['errors']} with other words, {scores['skipped']} without any")


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gold", type=Path, required=True, help="the right trees, one a line")
    parser.add_argument("--predicted", type=Path, required=True, help="a parser's trees, one a line")
    parser.add_argument("--output", type=Path, required=True, help="the JSON file to write")
    parser.add_argument("--per-sentence", type=Path, help="a CSV file to write, one line a sentence")
    parser.add_argument(
        "--gold-tags",
        action="store_true",
        help="put the gold trees' tags into the predicted ones: what is deleted as punctuation is then the same",
    )
    parser.add_argument(
        "--decoding", type=Path, help="JSON with `sentences` decoded, and how many `malformed`"
    )
    parser.add_argument("--checkpoint", type=Path, help="model that parsed; its sha256 is recorded")
    parser.add_argument("--config", type=Path, help="config of that model's run; its sha256 is recorded")
    return parser.parse_args()


def score_files(gold: Path, predicted: Path, gold_tags: bool) -> list[Sentence]:
    """Every pair of trees.  Raises UserError when a file is empty, malformed, or shorter than the other."""
    sentences = []
    for number, (right, ours) in enumerate(zip_longest(read_trees(gold), read_trees(predicted)), start=1):
        if right is None or ours is None:
            shorter, longer = (gold, predicted) if right is None else (predicted, gold)
            total = sum(1 for _ in read_trees(longer))
            raise UserError(
                f"{shorter} has {number - 1} trees but {longer} has {total}; each line of the one must be a tree "
                "of the same sentence as that line of the other"
            )
        sentences.append(score_sentence(right, with_tags_of(right, ours) if gold_tags else ours))
    if not sentences:
        raise UserError(f"{gold}: the file is empty; expected one tree a line")
    return sentences


def with_tags_of(gold: Tree, tree: Tree) -> Tree:
    """``tree`` with the tags of ``gold``, or as it is where it has other words."""
    right, ours = list(terminals(gold)), list(terminals(tree))
    if [word.word for word in right] != [word.word for word in ours]:
        return tree
    return replace_terminals(tree, right)


def malformed(decoding: Path, sentences: int) -> dict[str, int]:
    """How many outputs were no tree before they were repaired, as the program that decoded them counted.

    Raises UserError when the file says something else, or speaks of other than ``sentences`` sentences.
    """
    match read_json(decoding):
        case {"sentences": int(total), "malformed": int(count)} if 0 <= count <= total == sentences:
            return {"count": count, "sentences": total}
    raise UserError(
        f"{decoding}: expected `sentences`, {sentences} as there are trees, and `malformed`, at most as many; "
        "decode them again"
    )


def per_sentence_csv(sentences: list[Sentence]) -> str:
    """One line a sentence, numbered from 1."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["sentence", *(field.name for field in fields(Sentence))])
    for number, sentence in enumerate(sentences, start=1):
        writer.writerow([number, *map(int, astuple(sentence))])
    return text.getvalue()


if __name__ == "__main__":
    run_script(main)
