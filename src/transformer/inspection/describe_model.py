"""Write the architecture of a run's model, step by step, as the JSON file that Figures 1 and 2 are drawn from.

python src/transformer/inspection/describe_model.py --config R/config.json --output architecture.json
"""

from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.json_artifacts import read_artifact, write_artifact
from transformer.inspection.architecture import architecture
from transformer.model.config import TransformerConfig

VOCAB_SIZE = 8  # no figure shows it


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--config", type=Path, required=True, help="a run's config.json")
    parser.add_argument("--output", type=Path, required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    try:
        config = TransformerConfig(
            vocab_size=VOCAB_SIZE, **read_artifact(arguments.config, "config")["model"]
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{arguments.config}: not the settings of a run ({error})") from None
    write_artifact(arguments.output, architecture(config))


if __name__ == "__main__":
    run_script(main)
