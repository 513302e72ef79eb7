"""Write the settings of one run as JSON for training: those of config/, after the scale's divisors are applied."""

from transformer.common.arguments import argument_parser
from transformer.common.artifacts import write_artifact
from transformer.common.errors import run_script
from transformer.settings.settings import load_settings


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--scale", required=True, help="a file of config/, without .yaml")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the run (1)")
    parser.add_argument("--run", required=True, help="a run of config/runs.yaml, or base-seed2 for seed 2")
    parser.add_argument("--pair", required=True, help="a language pair of the scale, e.g. en-de")
    silver = parser.add_mutually_exclusive_group()
    silver.add_argument(
        "--own-silver-trees", action="store_true", help="the key silver_trees is set, to whatever file"
    )
    silver.add_argument(
        "--own-silver-text", action="store_true", help="the key silver_text is set, to whatever file"
    )
    parser.add_argument("--output", required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    own = {  # Table 4 needs no more than that one of them is set
        "silver_trees": "FILE" if arguments.own_silver_trees else None,
        "silver_text": "FILE" if arguments.own_silver_text else None,
    }
    values = {"scale": arguments.scale, "seed": arguments.seed, **own}
    write_artifact(arguments.output, load_settings(values).run(arguments.run, arguments.pair))


if __name__ == "__main__":
    run_script(main)
