"""Clean a parallel corpus: drop bad pairs, count them by reason, keep the two files aligned."""

from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path

from transformer.common.arguments import argument_parser, at_least
from transformer.common.errors import UserError, run_script
from transformer.common.files import write_json
from transformer.common.lines import INVALID, MARKS, without_marks
from transformer.common.notes import MUCH, say
from transformer.common.parallel import blocks, ordered_map
from transformer.common.words import count_words, has_no_blanks
from transformer.corpus.pairs import Pair, digest, pair_writer, read_pairs


@dataclass
class CleaningRules:
    """Which pairs to drop.  A limit of None drops none.  Words are counted by :func:`count_words`.

    Limits of 175 words and a ratio of 1.5 reduce the 40.8M EN-FR pairs to the paper's 36M; docs/protocol.md says why
    EN-DE has another ratio.
    """

    max_length: int | None = None  # words of either side
    max_ratio: float | None = None  # words of the longer side to words of the shorter
    deduplicate: bool = False  # keep the first of equal pairs; each takes about 100 bytes of memory
    max_pairs: int | None = None  # keep the first so many pairs, and do not read what follows


REASONS = ("empty", "invalid", "too_long", "ratio", "duplicate")  # in the order in which they are tested
# Pairs that are tested together.  The first so many show whether a side has blanks between words.
BLOCK = 10_000
NoBlanks = tuple[bool, bool]  # whether each side is written without blanks between words


@dataclass
class CleaningReport:
    """Number of pairs that were read, of pairs kept, and of pairs dropped by reason (the first that applies).

    ``byte_order_marks`` counts the lines, of both sides, from which such marks or NULs were taken out.
    """

    byte_order_marks: int = 0
    pairs: int = 0
    kept: int = 0
    dropped: dict[str, int] = field(default_factory=lambda: dict.fromkeys(REASONS, 0))

    @property
    def reasons(self) -> str:
        """The reasons for which pairs were dropped, with their numbers."""
        return ", ".join(f"{reason} {count}" for reason, count in self.dropped.items() if count)


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--output-source", type=Path, required=True)
    parser.add_argument("--output-target", type=Path, required=True)
    parser.add_argument("--report", type=Path, required=True, help="JSON file: the rules, and what they drop")
    parser.add_argument("--max-length", type=at_least(1), help="most words on either side (no limit)")
    parser.add_argument("--max-ratio", type=float, help="greatest ratio of the sides' words (no limit)")
    parser.add_argument("--deduplicate", action="store_true", help="keep only the first of equal pairs")
    parser.add_argument("--max-pairs", type=at_least(1), help="most pairs to keep (default: all)")
    parser.add_argument("--processes", type=at_least(1), default=1, help="number of processes (1)")
    parser.add_argument("--keep-all", action="store_true", help="only check, as for dev and test sets")
    arguments = parser.parse_args()
    rules = None
    if not arguments.keep_all:
        limits = (arguments.max_length, arguments.max_ratio, arguments.deduplicate, arguments.max_pairs)
        rules = CleaningRules(*limits)
    sources = (arguments.source, arguments.target)
    outputs = (arguments.output_source, arguments.output_target)
    report = clean_corpus(sources, outputs, rules, arguments.processes)
    write_json(arguments.report, {"rules": rules and asdict(rules), **asdict(report)})
    if MUCH * (report.pairs - report.kept) > report.pairs:
        say(
            f"{report.pairs - report.kept:,} of {report.pairs:,} pairs were dropped ({report.reasons}); see `clean`"
        )
    if MUCH * report.byte_order_marks > 2 * report.pairs:
        say(f"{report.byte_order_marks:,} lines had byte order marks or NULs, which were taken out")


def why_dropped(
    rules: CleaningRules, source: str, target: str, no_blanks: NoBlanks = (False, False)
) -> str | None:
    """Return why a stripped pair is dropped, one of ``REASONS`` except the last, or None when it is kept."""
    if not source or not target:
        return "empty"
    if INVALID.search(source) or INVALID.search(target):
        return "invalid"
    shorter, longer = sorted(map(count_words, (source, target), no_blanks))
    if rules.max_length is not None and longer > rules.max_length:
        return "too_long"
    if rules.max_ratio is not None and longer > rules.max_ratio * shorter:
        return "ratio"
    return None


def clean_block(
    rules: CleaningRules | None, no_blanks: NoBlanks, pairs: list[Pair]
) -> list[tuple[Pair, str | None, int]]:
    """Return the pairs without marks and blanks around them, each with the reason for which it is dropped, or None.

    The last number is that of its lines that had marks.
    """
    cleaned = []
    for read in pairs:
        source, target = (without_marks(line).strip() for line in read)
        reason = why_dropped(rules, source, target, no_blanks) if rules else None
        cleaned.append(((source, target), reason, sum(MARKS.search(line) is not None for line in read)))
    return cleaned


def clean_corpus(
    sources: tuple[Path, Path], outputs: tuple[Path, Path], rules: CleaningRules | None, processes: int = 1
) -> CleaningReport:
    """Write the pairs of ``sources`` that pass ``rules`` to ``outputs`` (source, target), stripped at both ends.

    If ``rules`` is None, nothing is dropped and the files are only checked, as for development and test sets.  Byte
    order marks and NULs are taken out.  The corpus is read once, in memory that does not grow with it (except for
    ``deduplicate``).  The result is the same for any number of ``processes``.

    Raises UserError, and writes no output, when the files differ in their number of lines, are empty or not UTF-8, or
    when no pair is left.
    """
    report = CleaningReport()
    seen: set[bytes] = set()
    pairs = read_pairs(*sources)
    first = list(islice(pairs, BLOCK))
    source, target = zip(*first, strict=True)
    no_blanks = has_no_blanks(source), has_no_blanks(target)
    parts = chain([first], blocks(pairs, BLOCK))
    cleaned = ordered_map(partial(clean_block, rules, no_blanks), parts, processes)
    with pair_writer(*outputs) as write:
        for pair, reason, marked in chain.from_iterable(cleaned):
            if rules is not None and report.kept == rules.max_pairs:
                break
            report.pairs += 1
            report.byte_order_marks += marked
            if reason is None and rules is not None and rules.deduplicate:
                reason = "duplicate" if (key := digest(pair)) in seen else None
                seen.add(key)
            if reason is not None:
                report.dropped[reason] += 1
                continue
            report.kept += 1
            write(pair)
        if report.kept == 0:
            raise UserError(
                f"{sources[0]} and {sources[1]}: none of {report.pairs} pairs is left ({report.reasons}); "
                "loosen the rules"
            )
    return report


if __name__ == "__main__":
    run_script(main)
