"""What is said of a text, at the terminal, in logs, below tables and on the page: every sentence is made here.

A report is a JSON object: the numbers of pairs read and kept, of those dropped by reason, and for each text that was
read the kinds of what was found in it, each with its count and the numbers of the first lines.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from transformer.common.notes import MUCH
from transformer.corpus.cleaning import LONG
from transformer.corpus.text import Found

FEW = 100  # one in so many sentences of a development or test set
ANY = 1 << 60  # a single line is
_DIFFERS = "look whether language, case, encoding and tokenization are the same"

# What was found in some lines: of which share of the lines it is said, one in so many, and what.
KINDS: dict[str, tuple[int, str]] = {
    "marks": (MUCH, "had byte order marks or NULs, which were taken out"),
    "returns": (ANY, "have a carriage return (CR) inside"),
    "columns": (ANY, "do not have as many columns as line 1; a stray tab shifts the columns behind it"),
    "doubled": (
        ANY,
        "are in quotes with doubled quotes inside, as spreadsheets write them; write the text without quoting",
    ),
    "quoted": (2, "are in quotes, as spreadsheets write them; write the text without quoting"),
    "tabs": (MUCH, "have a tab; if the file has columns, name it as `tsv`"),
    "divided": (MUCH, "are divided into subwords; put these together: sed -E 's/@@( |$)//g'"),
    "pieces": (MUCH, "are divided into subwords; put these together: sed 's/ //g; s/▁/ /g'"),
    "entities": (20, "have entities, as in &apos;; write characters"),
    "tags": (20, "are tags; take them out of both languages"),
    "no_text": (20, "are `nan`, `null` or the like, which programs write where there is no text"),
    "same": (MUCH, "are the same in both languages"),
    "empty": (ANY, "are empty"),
    "invalid": (
        ANY,
        "have a control or replacement character (U+FFFD); text to learn from that has one is dropped",
    ),
    "long": (ANY, f"have more than {LONG:,} characters; put each sentence on a line of its own"),
    "in_training": (FEW, "are in the training text"),
    "target_in_training": (MUCH, "are in the training text"),
    "in_other_set": (FEW, "are also in {other}"),
    "other_characters": (
        MUCH,
        f"have characters that are not in the training text, as {{example!r}}; {_DIFFERS}",
    ),
    "short": (
        2,
        "have fewer than four words; BLEU needs four right words in a row, so without longer sentences it is 0",
    ),
}
# Likewise of some words.
OF_WORDS = {
    "other_form": (
        FEW,
        "are in the training text in another Unicode normal form, so that equal words do not match; convert both, "
        "for example by uconv -x nfc",
    ),
    "new": (3, f"are not in the training text; {_DIFFERS}"),
    "other_case": (10, "are known in another case; write the set as the training text is written"),
}


def found_in(found: Found) -> list[dict[str, Any]]:
    """Return what was found in a text, as a report has it."""
    return [
        {"kind": kind, "side": side, "count": count, "lines": lines}
        for (kind, side), (count, lines) in found.items()
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
            first.setdefault(key, _first(file, found["lines"], found["count"]))
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
                yield from note(kind, name, language, count, report["pairs"], lines=first[kind, side])


def found_notes(found: Found, path: str, size: int) -> Iterator[str]:
    """Yield what is to be said of a text of ``size`` lines that is read by itself."""
    for (kind, _), (count, numbers) in found.items():
        yield from note(kind, "", path, count, size, lines=_first("lines", numbers, count))


def note(
    kind: str,
    name: str,
    language: str,
    count: int,
    size: int,
    unit: str = "lines",
    lines: str = "",
    **values: str,
) -> Iterator[str]:
    """Yield the sentence that says what ``count`` of ``size`` lines, sentences or words are, if they are enough.

    They are those of the text ``name``, in one ``language`` or, if that is empty, in both.
    """
    share, what = (OF_WORDS if unit == "words" else KINDS)[kind]
    if count and share * count >= size:
        where = f"{name} {unit}".strip() + (f" in {language}" if language else "")
        yield f"{count:,} of {size:,} {where}{lines} {what.format(**values)}"


def _first(file: str, lines: Sequence[int], count: int) -> str:
    listed = ", ".join(f"{line:,}" for line in lines)
    return f" ({os.path.basename(file)}: {listed}{' …' if count > len(lines) else ''})"


def spacing_note(name: str, language: str, glued: float, usual: float) -> Iterator[str]:
    """Yield that a set is tokenized and the training text is not, or the reverse, from the shares of raw lines."""
    if abs(glued - usual) > 1 / 2:
        raw, apart = ("it", "the training text") if glued > usual else ("the training text", "it")
        yield f"{name} in {language}: punctuation marks stand at the words in {raw}, and apart in {apart}; {_DIFFERS}"


def held_out_note(left_out: int, pairs: int, sets: Iterable[str]) -> Iterator[str]:
    """Yield that many training pairs are in no set, because they share a sentence with a set that was cut."""
    if MUCH * left_out > pairs:
        yield (
            f"{left_out:,} of {pairs:,} pairs are in no set, since they share a sentence with a pair of "
            f"{' or '.join(sets)}; give files for these, or smaller numbers"
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
