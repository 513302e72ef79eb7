"""Make the training trees of the semi-supervised parser from silver trees that were given, and the treebank's.

    python src/transformer/parsing/mix_silver.py --silver given.trees --gold train.trees --oversample 50 --seed 1 \\
        --output train.mixed.trees --report silver.json

All silver trees are used as they are; select_silver.py selects and resamples those of our own parsers.  The gold trees
are added --oversample times, and all are shuffled.
"""

import re
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.files import atomic_writer, file_record, read_lines, write_json
from transformer.parsing.silver import histogram, mixed

FORMAT = 1
TERMINAL = re.compile(r"[^()]\)")  # the end of a word; the end of a constituent follows another bracket


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument(
        "--silver", type=Path, required=True, help="trees of prepare_treebank.py, one per line"
    )
    parser.add_argument("--gold", type=Path, required=True, help="the treebank's trees, one per line")
    parser.add_argument("--oversample", type=int, required=True, help="times that each gold tree is added")
    parser.add_argument("--seed", type=int, required=True, help="seed of the shuffling")
    parser.add_argument("--output", type=Path, required=True, help="file for silver and gold trees, shuffled")
    parser.add_argument("--report", type=Path, required=True, help="JSON file for the numbers of trees")
    arguments = parser.parse_args()
    if arguments.oversample < 1:
        parser.error(f"--oversample {arguments.oversample}: must be at least 1")
    silver, gold = (list(read_lines(path)) for path in (arguments.silver, arguments.gold))
    for path, trees in ((arguments.silver, silver), (arguments.gold, gold)):
        if not trees:
            raise UserError(f"{path}: the file is empty; expected one tree per line")
    training = mixed(silver, gold, arguments.oversample, arguments.seed)
    with atomic_writer(arguments.output) as file:
        file.writelines(f"{tree}\n" for tree in training)
    report = {
        "format": FORMAT,
        "oversample": arguments.oversample,
        "seed": arguments.seed,
        "silver": len(silver),
        "gold": len(gold),
        "training": len(training),
        "lengths": {
            name: histogram(len(TERMINAL.findall(tree)) for tree in trees)
            for name, trees in (("silver", silver), ("gold", gold))
        },
        "files": {name: file_record(getattr(arguments, name)) for name in ("silver", "gold")},
    }
    write_json(arguments.report, report)
    print(f"{len(silver):,} silver trees, and {arguments.oversample} times {len(gold):,} gold ones")


if __name__ == "__main__":
    run_script(main)
