"""Compare the sets of a language pair with its training text, and write the report on all of its text, with its notes.

    python src/transformer/subwords/check_text.py --pair en-de --text D/clean/en-de --tokenized D/tokenized/en-de \\
        --sets dev test --max-lengths 256 --output en-de.json

It has what `gather.py` found in each text; how many training pairs are too long to be trained on; and how many
sentences of each set stand in the training text or in another set, or are written in another way than the training
text.  The tables show the notes.  The training text is read once, line by line, so memory does not grow with it.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np

from transformer.common.arguments import Output, argument_parser, language_pair
from transformer.common.artifacts import write_artifact
from transformer.common.errors import run_script
from transformer.common.files import read_json, read_lines
from transformer.common.notes import say
from transformer.common.words import has_no_blanks
from transformer.corpus.cleaning import is_empty
from transformer.corpus.report import length_notes, note, segmentation_note, spacing_note, text_notes
from transformer.dataset.tokenized import TokenizedDataset

SAMPLE = 100_000  # training sentences that show how the text is written
FEWEST = 1000  # training sentences with which a set can be compared
BLOCK = 50  # sentences of a set whose words are compared with those of the training text
LONGEST_MEAN = 7  # letters a word, more than in text that is divided into words
GLUED = re.compile(r"\w[.,;?!](?: |$)")  # as in text that is not tokenized
Sets = Mapping[str, Sequence[str]]  # the lines of each set, on one side


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--pair", type=language_pair, required=True, help="a language pair, e.g. en-de")
    parser.add_argument("--text", type=Path, required=True, help="folder of the cleaned text and its reports")
    parser.add_argument("--tokenized", type=Path, required=True, help="folder of the tokenized text")
    parser.add_argument("--sets", nargs="+", required=True, help="the development and test sets in both")
    about = "the trainings' settings: longer pairs, in subwords, are left out"
    parser.add_argument("--max-lengths", nargs="+", type=int, required=True, help=about)
    parser.add_argument("--output", type=Output, required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    names = ["train", *arguments.sets]
    reports = {name: read_json(arguments.text / f"{name}.json") for name in names}
    of_texts = [said for name in names for said in text_notes(reports[name], Path(name).name, arguments.pair)]
    compared, of_sets = compare(arguments.text, arguments.pair, arguments.sets)
    train, *sets = (reports[name] | compared.get(name, {}) for name in names)
    train["over_max_length"] = over_max_length(arguments.tokenized, arguments.max_lengths)
    pair = "-".join(arguments.pair)
    content = {
        "format": 2,
        "pair": pair,
        "train": train,
        "sets": dict(zip(arguments.sets, sets, strict=True)),
        "notes": [f"{pair.upper()}: {said}." for said in [*of_texts, *of_sets]],
    }
    write_artifact(arguments.output, content)
    trainings = dict.fromkeys(arguments.max_lengths, "the trainings with this setting")
    for said in [*of_sets, *length_notes(content, trainings)]:  # gather.py has said the others
        say(said)


def over_max_length(tokenized: Path, max_lengths: Iterable[int]) -> dict[str, int]:
    """Return how many training pairs have a side of more tokens than each of ``max_lengths``."""
    dataset = TokenizedDataset.open(tokenized / "train")
    longer = np.maximum(dataset.source.lengths, dataset.target.lengths)
    return {str(most): int((longer > most).sum()) for most in max_lengths}


def compare(folder: Path, pair: Sequence[str], names: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Return what is counted in each set, by language, and the notes on it."""
    counted: dict[str, Any] = {name: {} for name in names}
    notes = list[str]()
    for side in pair:
        sets = {name: list(read_lines(folder / f"{name}.{side}")) for name in names}
        for name, kind, count, said in _compared(folder / f"train.{side}", sets, side, side == pair[1]):
            counted[name].setdefault(kind, {})[side] = count
            notes += said
    return counted, notes


def _compared(
    train: Path, sets: Sets, side: str, is_target: bool
) -> Iterator[tuple[str, str, int, Iterable[str]]]:
    """Yield set, kind, count of sentences or words, and the notes on it."""
    keys = {name: [key(line) for line in lines] for name, lines in sets.items()}
    wanted = set(chain.from_iterable(keys.values())) - {""}
    usual, known = list[str](), set[str]()
    for line in read_lines(train):
        if len(usual) < SAMPLE:
            usual.append(line)
        if (found := key(line)) in wanted:
            known.add(found)
    words = set() if has_no_blanks(usual[:FEWEST]) else set(chain.from_iterable(map(str.split, usual)))
    characters, usually_glued = set(chain.from_iterable(usual)), glued(usual)
    for name, lines in sets.items():
        size, running = len(lines), [word for line in lines for word in line.split()]
        where, of_words = f"{name} sentences in {side}", f"{name} words in {side}"
        kind, count = (
            "target_in_training" if is_target else "in_training",
            sum(map(known.__contains__, keys[name])),
        )
        yield name, kind, count, note(kind, where, count, size)
        unknown = unknown_words(words, running) if words else Counter()
        count = unknown["other_form"]
        yield name, "other_form", count, note("other_form", of_words, count, len(running))
        if is_target and not has_no_blanks(lines):
            count = sum(0 < len(line.split()) < 4 for line in lines)
            yield name, "short", count, note("short", where, count, size)
        if len(usual) < FEWEST:
            continue
        count = glued(lines)
        yield (
            name,
            "spacing",
            count,
            spacing_note(f"{name} in {side}", count / size, usually_glued / len(usual)),
        )
        odd = [line for line in lines if not characters.issuperset(line)]
        example = next((character for character in odd[0] if character not in characters), "") if odd else ""
        yield (
            name,
            "other_characters",
            len(odd),
            note("other_characters", where, len(odd), size, example=example),
        )
        for kind in ("other_case", "new") if words else ():
            yield name, kind, unknown[kind], note(kind, of_words, unknown[kind], len(running))
        if first := otherwise_divided(lines, usual):
            letters = [words_of(text)[0] for text in (lines[first - 1 :][:BLOCK], usual)]
            yield name, "otherwise_divided", first, segmentation_note(f"{name} in {side}", first, *letters)
    for name, other in combinations(sets, 2):
        there = {*keys[name]} - {""}
        count = sum(line in there for line in keys[other])
        where = f"{other} sentences in {side}"
        yield other, "in_other_set", count, note("in_other_set", where, count, len(sets[other]), other=name)


def otherwise_divided(lines: Sequence[str], usual: Sequence[str]) -> int:
    """Return the first line of a set from which words are half or twice as long as those of ``usual`` text; 0 if none.

    Chinese has 1.7 letters a word where it is
    divided, and 8.7 where it is not.  In Multi30k, newstest and Europarl, blocks have 0.83 to 1.28 of their text's
    mean, and in Tatoeba, which is sorted, 0.72 to 1.55.
    """
    expected, usual_words = words_of(usual)
    for first in range(0, max(1, len(lines) - BLOCK + 1), BLOCK):
        letters, words = words_of(lines[first : first + BLOCK])
        shorter, longer = sorted((expected, letters))
        # A sentence without blanks is a word, whatever its length.
        if longer > 2 * shorter and shorter < LONGEST_MEAN and max(words, usual_words) >= 2:
            return first + 1
    return 0


def words_of(lines: Sequence[str]) -> tuple[float, float]:
    """Return letters a word, and words a line."""
    words = [word for line in lines for word in line.split()]
    return sum(map(len, words)) / max(len(words), 1), len(words) / max(len(lines), 1)


def glued(lines: Iterable[str]) -> int:
    """Return how many lines have a punctuation mark that stands at a word."""
    return sum(GLUED.search(line) is not None for line in lines)


def unknown_words(known: Set[str], words: Iterable[str]) -> Counter[str]:
    """Count the ``words`` that are not ``known``: known in another Unicode normal form, in another case, or new.

    >>> unknown_words({"se\u00f1or", "Hund"}, ["sen\u0303or", "se\u00f1or", "hund", "Katze", "SEN\u0303OR"])
    Counter({'other_case': 2, 'other_form': 1, 'new': 1})
    """
    composed = {unicodedata.normalize("NFC", word) for word in known}
    folded = {word.casefold() for word in composed}
    counts = Counter[str]()
    for word in words:
        if word not in known:
            form = unicodedata.normalize("NFC", word)
            counts[
                "other_form" if form in composed else "other_case" if form.casefold() in folded else "new"
            ] += 1
    return counts


def key(line: str) -> str:
    """Return a sentence so that the same in another normal form, or with other blanks, is equal; or nothing."""
    text = " ".join(line.split())
    return "" if is_empty(text) else unicodedata.normalize("NFC", text)


if __name__ == "__main__":
    run_script(main)
