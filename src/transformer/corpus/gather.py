"""Let a text in: join the parts of a split into its two sides, one sentence a line, in plain UTF-8, and report on it.

    python src/transformer/corpus/gather.py --source train.de.gz --target train.en.gz \\
        --output-source out/train.de --output-target out/train.en --report out/train.json --max-length 175

A part is two files, or two columns of one; each may be compressed, or lie in an archive: `corpus.tgz/v7/train.de`.  Its
content shows whether it is text or a test set with tags, as WMT and IWSLT ship them.  Unsuitable training pairs are
dropped; of a development or test set nothing is.  The report has what was dropped, changed or odd by its kind, with the
count and the numbers of the first lines.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from transformer.common.arguments import Output, argument_parser, at_least
from transformer.common.errors import UserError, run_script
from transformer.common.files import write_json
from transformer.common.notes import say
from transformer.common.progress import Progress
from transformer.corpus.cleaning import REASONS, Cleaner, CleaningRules, Lengths, look
from transformer.corpus.pairs import pair_writer
from transformer.corpus.registry import verify_downloads
from transformer.corpus.report import odd_lines, text_notes
from transformer.corpus.text import Odd, Part, read_pairs_of


def main() -> None:
    parser = argument_parser(__doc__)
    about = "the texts of the source side, each a file or ARCHIVE/MEMBER"
    parser.add_argument("--source", nargs="+", type=Path, required=True, help=about)
    parser.add_argument("--target", nargs="+", type=Path, required=True, help="likewise for the target side")
    about = "the columns of both sides, from 1, if each text is one file that both sides name"
    parser.add_argument("--columns", nargs=2, type=at_least(1), metavar=("SOURCE", "TARGET"), help=about)
    parser.add_argument("--output-source", type=Output, required=True)
    parser.add_argument("--output-target", type=Output, required=True)
    about = "JSON file: the rules, and what was dropped, changed or odd"
    parser.add_argument("--report", type=Output, required=True, help=about)
    parser.add_argument("--downloads", type=Path, help="folder whose files are checked against the registry")
    parser.add_argument("--max-length", type=at_least(1), help="most words on either side (no limit)")
    parser.add_argument("--max-ratio", type=float, help="greatest ratio of the sides' words (no limit)")
    parser.add_argument("--deduplicate", action="store_true", help="keep only the first of equal pairs")
    parser.add_argument("--max-pairs", type=at_least(1), help="most pairs to keep (default: all)")
    parser.add_argument("--keep-all", action="store_true", help="drop nothing, as for dev and test sets")
    arguments = parser.parse_args()
    if len(arguments.source) != len(arguments.target):
        parser.error("--source and --target need the same number of texts")
    columns = tuple(arguments.columns) if arguments.columns else None
    if columns and arguments.source != arguments.target:
        parser.error("--columns are those of one file, which both --source and --target name")
    parts = [
        Part(source, target, columns)
        for source, target in zip(arguments.source, arguments.target, strict=True)
    ]
    limits = (arguments.max_length, arguments.max_ratio, arguments.deduplicate, arguments.max_pairs)
    rules = None if arguments.keep_all else CleaningRules(*limits)
    outputs = (arguments.output_source, arguments.output_target)
    verify_downloads([*arguments.source, *arguments.target], arguments.downloads)
    report = gather(parts, outputs, rules)
    write_json(arguments.report, report)
    for note in text_notes(report, outputs[0].stem, [path.suffix[1:] for path in outputs]):
        say(note)


def gather(parts: Sequence[Part], outputs: tuple[Path, Path], rules: CleaningRules | None) -> dict[str, Any]:
    """Write the pairs of all ``parts``, in their order, to ``outputs`` (source, target), and return the report.

    Sentences are stripped at both ends.  If ``rules`` is None, nothing is dropped.  The text is read once, in memory
    that does not grow with it (except for ``deduplicate``).

    Raises UserError, and writes no output, when a part cannot be read (see :func:`read_pairs_of`), or when no pair
    is left.
    """
    remarks: list[str] = []
    texts: list[dict[str, Any]] = []
    dropped = dict.fromkeys(REASONS, 0)
    cleaner, kept, most = rules and Cleaner(rules), 0, rules and rules.max_pairs
    with pair_writer(*outputs) as write, Progress(None, "pairs") as progress:
        for part in parts:
            odd, before, number = Odd(), kept, 0
            lengths = Lengths(odd)
            for number, lines in enumerate(read_pairs_of(part, odd, remarks.append), start=1):
                pair = (lines[0].strip(), lines[1].strip())
                look(pair, number, odd, is_set=rules is None)
                lengths.add(pair, number)
                progress.update(1)
                if cleaner and (reason := cleaner.why_dropped(pair)):
                    odd.add(f"dropped: {reason}", "both", number)
                    dropped[reason] += 1
                    continue
                write(pair)
                kept += 1
                if kept == most:
                    break
            lengths.judge()
            counts = {"pairs": number, "kept": kept - before, "found": odd_lines(odd)}
            texts.append({"source": str(part.source), "target": str(part.target)} | counts)
            if kept == most:
                break
        pairs = sum(text["pairs"] for text in texts)
        if kept == 0:
            reasons = ", ".join(f"{reason} {count}" for reason, count in dropped.items() if count)
            raise UserError(
                f"{parts[0].source} and {parts[0].target}: none of {pairs} pairs is left ({reasons}); loosen the rules"
            )
    counts = {"pairs": pairs, "kept": kept, "dropped": dropped}
    return {"rules": rules and asdict(rules)} | counts | {"remarks": remarks, "texts": texts}


if __name__ == "__main__":
    run_script(main)
