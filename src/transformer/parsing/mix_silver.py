"""Make the training trees of the semi-supervised parser from silver trees that were given, and the treebank's.

    python src/transformer/parsing/mix_silver.py --silver given.trees --gold train.trees --oversample 50 --seed 1 \\
        --output train.mixed.trees --report silver.json

All silver trees are used as they are; select_silver.py selects and resamples those of our own parsers.
"""

from pathlib import Path

from transformer.common.arguments import Output, argument_parser, at_least
from transformer.common.errors import run_script
from transformer.common.files import file_record, write_json
from transformer.parsing.select_silver import histogram, mixed, read_kept, write_kept


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--silver", type=Path, required=True, help="made by prepare_treebank.py")
    parser.add_argument("--gold", type=Path, required=True, help="the treebank's trees, one per line")
    parser.add_argument(
        "--oversample", type=at_least(1), required=True, help="times that each gold tree is added"
    )
    parser.add_argument("--seed", type=int, required=True, help="seed of the shuffling")
    parser.add_argument(
        "--output", type=Output, required=True, help="file for silver and gold trees, shuffled"
    )
    parser.add_argument("--report", type=Output, required=True, help="JSON file for the numbers of trees")
    arguments = parser.parse_args()
    silver, gold = read_kept(arguments.silver), read_kept(arguments.gold)
    training = mixed(silver, gold, arguments.oversample, arguments.seed)
    write_kept(arguments.output, training)
    report = {
        "format": 1,
        "oversample": arguments.oversample,
        "seed": arguments.seed,
        "silver": len(silver),
        "gold": len(gold),
        "training": len(training),
        "lengths": {"silver": histogram(silver), "gold": histogram(gold)},
        "files": {name: file_record(getattr(arguments, name)) for name in ("silver", "gold")},
    }
    write_json(arguments.report, report)


if __name__ == "__main__":
    run_script(main)
