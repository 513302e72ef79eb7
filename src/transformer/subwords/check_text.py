"""Count what makes the scores of a language pair worth less, and write notes on large losses.

    python src/transformer/subwords/check_text.py --pair en-de --text D/clean/en-de --tokenized D/tokenized/en-de \\
        --sets dev test --max-lengths 256 --output en-de.json

Training pairs are counted that were dropped or are too long to be trained on; and in the development and test sets
empty sentences, those that stand in the training text, those with control or replacement characters, and those in
another Unicode normal form than the training text.  What is looked for besides, and only said if it is found: text that
a program has prepared, one language in both files, sets that share sentences, and sets that are written in another way
than the training text.  The tables show the notes, and which of their runs left out long pairs.  The training text is
read line by line, so memory does not grow with it.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, islice
from pathlib import Path
from typing import Any

import numpy as np

from transformer.common.arguments import argument_parser, language_pair
from transformer.common.artifacts import write_artifact
from transformer.common.errors import run_script
from transformer.common.files import read_json, read_lines
from transformer.common.lines import INVALID
from transformer.common.notes import MUCH, length_notes, say
from transformer.common.words import has_no_blanks
from transformer.corpus.odd_text import Oddities
from transformer.dataset.tokenized import TokenizedDataset

SAMPLE = 100_000  # training sentences that show how the text is written
FEWEST = 1000  # training sentences with which a set can be compared
FEW = 100  # one in so many sentences of a set is worth a note
GLUED = re.compile(r"\w[.,;?!](?: |$)")  # as in text that is not tokenized
UNSEEN = 3  # one in so many words that are not in the training text is worth a note
TRAIN = "train"
Texts = Mapping[tuple[str, str], Sequence[str]]  # the lines of each set, by its name and the side


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--pair", type=language_pair, required=True, help="a language pair, e.g. en-de")
    parser.add_argument("--text", type=Path, required=True, help="folder of the cleaned text")
    parser.add_argument("--tokenized", type=Path, required=True, help="folder of the tokenized text")
    parser.add_argument("--sets", nargs="+", required=True, help="the development and test sets in both")
    about = "the trainings' settings: longer pairs, in subwords, are left out"
    parser.add_argument("--max-lengths", nargs="+", type=int, required=True, help=about)
    parser.add_argument("--output", type=Path, required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    cleaned = read_json(arguments.text / "train.json")
    train = {key: cleaned[key] for key in ("pairs", "kept", "dropped")}
    train["over_max_length"] = over_max_length(arguments.tokenized, arguments.max_lengths)
    texts = read_texts(arguments.text, arguments.pair, arguments.sets)
    known = {side: known_keys(arguments.text, texts, side) for side in arguments.pair}
    sets = check_sets(texts, known, arguments.pair, arguments.sets)
    notes = [
        *training_notes(train),
        *set_notes(sets),
        *comparison_notes(texts, known, arguments.pair, arguments.sets),
    ]
    pair = "-".join(arguments.pair)
    notes = [f"{pair.upper()}: {note}." for note in notes]
    content = {"format": 1, "pair": pair, "train": train, "sets": sets, "notes": notes}
    write_artifact(arguments.output, content)
    trainings = dict.fromkeys(arguments.max_lengths, "the trainings with this setting")
    for note in [*notes, *length_notes(content, trainings)]:
        say(note)


def over_max_length(tokenized: Path, max_lengths: Iterable[int]) -> dict[str, int]:
    """Return how many training pairs have a side of more tokens than each of ``max_lengths``."""
    dataset = TokenizedDataset.open(tokenized / "train")
    longer = np.maximum(dataset.source.lengths, dataset.target.lengths)
    return {str(most): int((longer > most).sum()) for most in max_lengths}


def read_texts(folder: Path, pair: Sequence[str], names: Sequence[str]) -> Texts:
    """Return the lines of the sets, by name and side, and as ``train`` the first ones of the training text."""
    most = {**dict.fromkeys(names), TRAIN: SAMPLE}
    return {
        (name, side): list(islice(read_lines(folder / f"{name}.{side}"), count))
        for name, count in most.items()
        for side in pair
    }


def known_keys(folder: Path, texts: Texts, side: str) -> set[str]:
    """Return the keys of those sentences of all sets, on one side, that stand in the training text."""
    wanted = {
        key(line) for (name, own), lines in texts.items() if name != TRAIN and own == side for line in lines
    }
    return {found for line in read_lines(folder / f"{TRAIN}.{side}") if (found := key(line)) in wanted}


def count_known(lines: Iterable[str], known: Collection[str]) -> int:
    """Return how many of the lines have one of the ``known`` keys."""
    return sum(bool(line) and key(line) in known for line in lines)


def check_sets(
    texts: Texts, known: Mapping[str, set[str]], pair: Sequence[str], names: Sequence[str]
) -> dict[str, Any]:
    """Return the counts of each set: its sentences, those that stand in the training text, and others by language."""
    source = pair[0]
    usual = {side: usual_form(texts[TRAIN, side]) for side in pair}
    return {
        name: {
            "sentences": len(texts[name, source]),
            "in_training": count_known(texts[name, source], known[source]),
            "empty": {side: sum(not key(line) for line in texts[name, side]) for side in pair},
            "invalid": {side: sum(map(bool, map(INVALID.search, texts[name, side]))) for side in pair},
            "other_form": {side: in_other_form(texts[name, side], usual[side]) for side in pair},
        }
        for name in names
    }


def key(line: str) -> str:
    """Return a sentence so that the same in another normal form, or with other blanks, is equal; or nothing."""
    text = " ".join(line.split())
    if text.isascii():
        return text
    visible = any(unicodedata.category(character)[0] not in "CZ" for character in text)
    return unicodedata.normalize("NFC", text) if visible else ""


def form_of(line: str) -> str | None:
    """Return the normal form of a line, ``NFC``, ``NFD`` or, if it mixes them, ``no form``; None if they are the same.

    Letters that are never composed, as in Hindi, and the order of marks, as in Hebrew, do not count: keyboards differ.
    """
    if line.isascii():
        return None
    composed, decomposed = (unicodedata.is_normalized(form, line) for form in ("NFC", "NFD"))
    if not (composed or decomposed):
        text = "".join(unicodedata.normalize("NFC", character) for character in line)
        # Another order is as long.
        composed, decomposed = (
            len(unicodedata.normalize(form, text)) == len(text) for form in ("NFC", "NFD")
        )
    if composed and decomposed:
        return None
    return "NFC" if composed else "NFD" if decomposed else "no form"


def usual_form(lines: Iterable[str]) -> str | None:
    """Return the normal form of most lines that have one; None if none has."""
    forms = Counter(filter(None, map(form_of, lines)))
    return forms.most_common(1)[0][0] if forms else None


def in_other_form(lines: Iterable[str], usual: str | None) -> int:
    """Return how many lines are in another normal form than is ``usual``."""
    return sum(form not in (None, usual) for form in map(form_of, lines)) if usual else 0


def training_notes(train: Mapping[str, Any]) -> Iterable[str]:
    """Yield what is to be said of the training pairs."""
    dropped = {reason: count for reason, count in train["dropped"].items() if count}
    if MUCH * sum(dropped.values()) > train["pairs"]:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in dropped.items())
        yield f"{sum(dropped.values()):,} of {train['pairs']:,} training pairs were dropped in cleaning ({reasons})"


def set_notes(sets: Mapping[str, Any]) -> Iterable[str]:
    """Yield what is to be said of the development and test sets."""
    for name, counts in sets.items():
        size = counts["sentences"]
        if FEW * counts["in_training"] >= size:
            yield f"{counts['in_training']:,} of {size:,} {name} sentences are in the training text"
        for side, count in counts["empty"].items():
            if count:
                yield f"{count:,} of {size:,} {name} sentences are empty in {side}"
        for side, count in counts["invalid"].items():
            if count:
                yield (
                    f"{count:,} of {size:,} {name} sentences in {side} have a control or a replacement character, for "
                    "which a training pair is dropped"
                )
        for side, count in counts["other_form"].items():
            if FEW * count >= size:
                yield (
                    f"{count:,} of {size:,} {name} sentences in {side} are in another Unicode normal form than the "
                    "training text, and equal words do not match; convert them, e.g. with uconv -x nfc"
                )


def comparison_notes(
    texts: Texts, known: Mapping[str, set[str]], pair: Sequence[str], names: Sequence[str]
) -> Iterator[str]:
    """Yield what is odd in a text, or compared with its translation, another set, or the training text."""
    source, target = pair
    for name in (TRAIN, *names):
        for side in pair:
            yield from (f"{name} in {side}: {said}" for said in Oddities(texts[name, side]).notes())
        size = len(texts[name, source])
        same = sum(
            one == other != "" for one, other in zip(*(texts[name, side] for side in pair), strict=True)
        )
        if MUCH * same > size:
            yield f"{same:,} of {size:,} {name} sentences are the same in {source} and {target}"
    for name, other in combinations(names, 2):
        size = len(texts[other, source])
        count = count_known(texts[other, source], {*map(key, texts[name, source])} - {""})
        if FEW * count >= size:
            yield f"{count:,} of {size:,} {other} sentences are also in {name}"
    for name in names:
        size = len(texts[name, target])
        count = count_known(texts[name, target], known[target] - {""})
        if MUCH * count > size:
            yield f"{count:,} of {size:,} {name} sentences are in the training text, in {target}"
        for side in pair:
            if len(texts[TRAIN, side]) >= FEWEST:
                yield from difference_notes(texts[TRAIN, side], texts[name, side], f"{name} in {side}")


def difference_notes(usual: Sequence[str], lines: Sequence[str], name: str) -> Iterator[str]:
    """Yield that the lines of a set are written in another way than the training text, if they seem so."""
    advice = "look whether language, case, encoding and tokenization are the same"
    shares = [sum(map(bool, map(GLUED.search, text))) / len(text) for text in (usual, lines)]
    if abs(shares[0] - shares[1]) > 1 / 2:
        raw, apart = ("it", "the training text") if shares[1] > shares[0] else ("the training text", "it")
        yield f"{name}: punctuation marks stand at the words in {raw}, and apart in {apart}; {advice}"
    characters = set(chain.from_iterable(usual))
    odd = [line for line in lines if not characters.issuperset(line)]
    if MUCH * len(odd) > len(lines):
        example = next(character for character in odd[0] if character not in characters)
        yield (
            f"{name}: {len(odd):,} of {len(lines):,} lines have characters that are not in the training text, as "
            f"{example!r}; {advice}"
        )
    elif not has_no_blanks(usual[:FEWEST]):
        words = set(chain.from_iterable(map(str.split, usual)))
        running = list(chain.from_iterable(map(str.split, lines)))
        count = sum(word not in words for word in running)
        if UNSEEN * count > len(running):
            yield f"{name}: {count:,} of {len(running):,} words are not in the training text; {advice}"


if __name__ == "__main__":
    run_script(main)
