"""What is said of a text, at the terminal, in logs, below tables and on the page: every sentence is made here.

A report is a JSON object: the numbers of pairs read and kept, of those dropped by reason, and for each text that was
read the kinds of odd lines in it, each with its count and the numbers of the first three.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from transformer.common.notes import MUCH
from transformer.corpus.cleaning import LONG
from transformer.corpus.text import Odd

FEW = 100  # one in so many sentences of a development or test set
ANY = 1 << 60  # a single line is
_DIFFERS = "look whether language, case, encoding and tokenization are the same"

# Of which share of the lines or words it is said, one in so many, and what.
KINDS: dict[str, tuple[int, str]] = {
    "marks": (MUCH, "had byte order marks or NULs, which were taken out"),
    "returns": (ANY, "have a carriage return (CR) inside"),
    "columns": (ANY, "do not have as many columns as line 1; a stray tab shifts the columns behind it"),
    "tabs": (MUCH, "have a tab; if the file has columns, name it as `tsv`"),
    "same": (MUCH, "are the same in both languages"),
    "unrelated": (
        FEW,
        "do not belong together by their lengths; is line n of one the translation of the other's?",
    ),
    "empty": (ANY, "are empty"),
    "invalid": (ANY, "have a control or replacement character (U+FFFD); training pairs with one are dropped"),
    "long": (ANY, f"have more than {LONG:,} characters; put each sentence on a line of its own"),
    "in_training": (FEW, "are in the training text"),
    "target_in_training": (MUCH, "are in the training text"),
    "in_other_set": (FEW, "are also in {other}"),
    "other_characters": (
        MUCH,
        f"have characters that are not in the training text, as {{example!r}}; {_DIFFERS}",
    ),
    "short": (2, "have fewer than four words; BLEU needs four right words in a row, so it may be 0"),
    "other_form": (
        FEW,
        "are in the training text in another Unicode normal form and do not match; convert both: uconv -x nfc",
    ),
    "new": (3, f"are not in the training text; {_DIFFERS}"),
    "other_case": (10, "are known in another case; write the set as the training text is written"),
    "left_out": (MUCH, "are in no set: they share a sentence with a set; give files or smaller numbers"),
}


def odd_lines(odd: Odd) -> list[dict[str, Any]]:
    """Return what is odd in a text, as a report has it."""
    return [
        {"kind": kind, "side": side, "count": count, "lines": odd.first[kind, side]}
        for (kind, side), count in odd.items()
    ]


def text_notes(report: Mapping[str, Any], name: str, pair: Sequence[str]) -> Iterator[str]:
    """Yield what is to be said of a text called ``name``, such as ``train``, from its report."""
    yield from report["remarks"]
    counts: dict[tuple[str, str], int] = {}
    first: dict[tuple[str, str], str] = {}
    for text in report["texts"]:
        for found in text["found"]:
            key = found["kind"], found["side"]
            counts[key] = counts.get(key, 0) + found["count"]
            file = text["target" if found["side"] == "target" else "source"]
            first.setdefault(key, _first(os.path.basename(file), found["lines"], found["count"]))
    dropped = sum(report["dropped"].values())
    if MUCH * dropped > report["pairs"]:
        reasons = ", ".join(
            f"{reason} {count:,}{first.get((f'dropped: {reason}', 'both'), '')}"
            for reason, count in report["dropped"].items()
            if count
        )
        yield f"{dropped:,} of {report['pairs']:,} {name} pairs were dropped: {reasons}; see `clean`"
    for kind in KINDS:
        for side, language in (("source", pair[0]), ("target", pair[1]), ("both", "")):
            if count := counts.get((kind, side)):
                where = f"lines in {language}" if language else "lines"
                yield from note(kind, f"{name} {where}{first[kind, side]}", count, report["pairs"])


def odd_notes(odd: Odd, path: object, size: int) -> Iterator[str]:
    """Yield what is to be said of a text of ``size`` lines that is read by itself."""
    for (kind, side), count in odd.items():
        yield from note(kind, f"lines in {path}{_first('lines', odd.first[kind, side], count)}", count, size)


def note(kind: str, where: str, count: int, size: int, **values: str) -> Iterator[str]:
    """Yield the sentence that says what ``count`` of ``size`` lines, sentences or words are, if they are enough."""
    share, what = KINDS[kind]
    if count and share * count >= size:
        yield f"{count:,} of {size:,} {where} {what.format(**values)}"


def _first(file: str, lines: Sequence[int], count: int) -> str:
    listed = ", ".join(f"{line:,}" for line in lines)
    return f" ({file}: {listed}{' …' if count > len(lines) else ''})"


def spacing_note(where: str, glued: float, usual: float) -> Iterator[str]:
    """Yield that a set is tokenized and the training text is not, or the reverse, from the shares of raw lines."""
    if abs(glued - usual) > 1 / 2:
        raw, apart = ("it", "the training text") if glued > usual else ("the training text", "it")
        yield f"{where}: punctuation marks stand at the words in {raw}, and apart in {apart}; {_DIFFERS}"


def segmentation_note(where: str, line: int, letters: float, usual: float) -> Iterator[str]:
    """Yield that from a ``line`` of a set on, words have not as many letters as in the training text."""
    yield (
        f"{where} has {letters:.1f} letters a word from line {line:,} on, and the training text {usual:.1f}; divide "
        "both into words, or neither"
    )


def length_notes(counted: Mapping[str, Any], trainings: Mapping[int, str]) -> Iterator[str]:
    """Yield what is to be said of training pairs that are too long, from the content that ``check_text.py`` writes.

    ``trainings`` has the name of those trainings that left out pairs of more than so many subwords.
    """
    train = counted["train"]
    for most, training in sorted(trainings.items()):
        count = train["over_max_length"].get(str(most), 0)
        if MUCH * count > train["kept"]:
            yield (
                f"{counted['pair'].upper()}: {count:,} of {train['kept']:,} training pairs have more than {most} "
                f"subwords on a side (max_length) and were left out of {training}."
            )
