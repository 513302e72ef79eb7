"""Clean a parallel corpus: drop bad pairs, count them by reason, keep the two files aligned."""

from dataclasses import asdict
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.files import write_json
from transformer.corpus.cleaning import CleaningRules, clean_corpus


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--output-source", type=Path, required=True)
    parser.add_argument("--output-target", type=Path, required=True)
    parser.add_argument("--report", type=Path, required=True, help="JSON file: the rules, and what they drop")
    parser.add_argument("--max-length", type=int, help="most words on either side (default: no limit)")
    parser.add_argument(
        "--max-ratio", type=float, help="greatest ratio of the sides' words (default: no limit)"
    )
    parser.add_argument("--deduplicate", action="store_true", help="keep only the first of equal pairs")
    parser.add_argument("--max-pairs", type=int, help="most pairs to keep (default: all)")
    parser.add_argument("--processes", type=int, default=1, help="number of processes (1)")
    parser.add_argument("--keep-all", action="store_true", help="only check, as for dev and test sets")
    arguments = parser.parse_args()

    rules = CleaningRules(
        arguments.max_length, arguments.max_ratio, arguments.deduplicate, arguments.max_pairs
    )
    if arguments.keep_all and rules != CleaningRules():
        parser.error("--keep-all drops nothing, so it cannot be combined with limits")
    if arguments.processes < 1:
        parser.error(f"--processes {arguments.processes}: must be at least 1")
    report = clean_corpus(
        (arguments.source, arguments.target),
        (arguments.output_source, arguments.output_target),
        None if arguments.keep_all else rules,
        arguments.processes,
    )
    write_json(arguments.report, {"rules": None if arguments.keep_all else asdict(rules), **asdict(report)})


if __name__ == "__main__":
    run_script(main)
