"""Let a text in: join the parts of a split into its two sides, one sentence a line, in plain UTF-8, and report on it.

    python src/transformer/corpus/gather.py --source train.de.gz --target train.en.gz \\
        --output-source out/train.de --output-target out/train.en --report out/train.json --max-length 175

A part is two files, or two columns of one; each may be compressed, or lie in an archive: `corpus.tgz/v7/train.de`.  Its
content shows whether it is text or a test set with tags, as WMT and IWSLT ship them.  Unsuitable training pairs are
dropped; of a development or test set nothing is.  The report has the kinds of what was dropped, changed or odd, each
with its count and the numbers of the first lines.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from transformer.common.arguments import Output, argument_parser, at_least
from transformer.common.errors import UserError, run_script
from transformer.common.files import write_json
from transformer.common.notes import say
from transformer.common.progress import Progress
from transformer.corpus.cleaning import REASONS, Cleaner, CleaningRules
from transformer.corpus.pairs import pair_writer
from transformer.corpus.registry import verified
from transformer.corpus.report import found_in, text_notes
from transformer.corpus.text import Found, Part, read_pair_blocks


def main() -> None:
    parser = argument_parser(__doc__)
    about = "the texts of the source side, each a file or ARCHIVE/MEMBER"
    parser.add_argument("--source", nargs="+", type=Path, required=True, help=about)
    parser.add_argument("--target", nargs="+", type=Path, required=True, help="likewise for the target side")
    about = "for each text, 0 or the column to read, from 1; both sides are then columns of one file"
    parser.add_argument("--source-columns", nargs="+", type=int, help=about)
    parser.add_argument("--target-columns", nargs="+", type=int, help="likewise for the target side")
    parser.add_argument("--output-source", type=Output, required=True)
    parser.add_argument("--output-target", type=Output, required=True)
    parser.add_argument(
        "--report", type=Output, required=True, help="JSON file: the rules, and what was found"
    )
    parser.add_argument("--downloads", type=Path, help="folder whose files are checked against the registry")
    parser.add_argument("--max-length", type=at_least(1), help="most words on either side (no limit)")
    parser.add_argument("--max-ratio", type=float, help="greatest ratio of the sides' words (no limit)")
    parser.add_argument("--deduplicate", action="store_true", help="keep only the first of equal pairs")
    parser.add_argument("--max-pairs", type=at_least(1), help="most pairs to keep (default: all)")
    parser.add_argument("--keep-all", action="store_true", help="drop nothing, as for dev and test sets")
    arguments = parser.parse_args()
    files = (arguments.source, arguments.target)
    columns = [given or [0] * len(files[0]) for given in (arguments.source_columns, arguments.target_columns)]
    if len({len(values) for values in (*files, *columns)}) > 1:
        parser.error("--source, --target and both --…-columns need the same number of values")
    parts = [
        Part(source, target, (first, second) if first else None)
        for source, target, first, second in zip(*files, *columns, strict=True)
    ]
    limits = (arguments.max_length, arguments.max_ratio, arguments.deduplicate, arguments.max_pairs)
    rules = None if arguments.keep_all else CleaningRules(*limits)
    outputs = (arguments.output_source, arguments.output_target)
    with verified([*arguments.source, *arguments.target], arguments.downloads):
        report = gather(parts, outputs, rules)
    write_json(arguments.report, report)
    for note in text_notes(report, outputs[0].stem, [path.suffix[1:] for path in outputs]):
        say(note)


def gather(parts: Sequence[Part], outputs: tuple[Path, Path], rules: CleaningRules | None) -> dict[str, Any]:
    """Write the pairs of all ``parts``, in their order, to ``outputs`` (source, target), and return the report.

    Sentences are stripped at both ends.  If ``rules`` is None, nothing is dropped.  The text is read once, in memory
    that does not grow with it (except for ``deduplicate``).

    Raises UserError, and writes no output, when a part cannot be read (see :func:`read_pair_blocks`), or when no pair
    is left.
    """
    remarks: list[str] = []
    texts = [_Text(str(part.source), str(part.target)) for part in parts]
    blocks = (
        (text, block)
        for text, part in zip(texts, parts, strict=True)
        for block in read_pair_blocks(part, remarks.append)
    )
    cleaner, kept = Cleaner(rules), 0
    most = rules.max_pairs if rules else None
    with pair_writer(*outputs) as write, Progress(None, "pairs") as progress:
        for text, block in blocks:
            for line, pair in enumerate(cleaner.look_at(block), block.first):
                if kept == most:
                    break
                text.pairs += 1
                if reason := cleaner.why_dropped(pair):
                    text.found.add(f"dropped: {reason}", "both", [line])
                    continue
                text.kept += 1
                kept += 1
                write(pair)
            text.found.merge(block.found)
            progress.update(len(block.sources))
            if kept == most:
                break
        pairs = sum(text.pairs for text in texts)
        dropped = {
            reason: sum(text.found.count(f"dropped: {reason}", "both") for text in texts)
            for reason in REASONS
        }
        if kept == 0:
            reasons = ", ".join(f"{reason} {count}" for reason, count in dropped.items() if count)
            raise UserError(
                f"{parts[0].source} and {parts[0].target}: none of {pairs} pairs is left ({reasons}); loosen the rules"
            )
    return {
        "rules": rules and asdict(rules),
        "pairs": pairs,
        "kept": kept,
        "dropped": dropped,
        "remarks": remarks,
        "texts": [vars(text) | {"found": found_in(text.found)} for text in texts],
    }


@dataclass
class _Text:
    """What a report says of one text."""

    source: str
    target: str
    pairs: int = 0
    kept: int = 0
    found: Found = field(default_factory=Found)


if __name__ == "__main__":
    run_script(main)
