"""Write a run's architecture as JSON that the figures are drawn from: what its model does, step by step.

python src/inspection/describe_model.py --config results/demo/runs/base/en-de/config.json --output architecture.json
"""

import argparse
from pathlib import Path

from transformer.common.errors import UserError, run_script
from transformer.common.files import read_json, write_json
from transformer.inspection.architecture import architecture
from transformer.model.config import TransformerConfig

VOCABULARY = 8  # entries: no figure shows how many there are


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--config", type=Path, required=True, help="a run's config.json")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    try:
        config = TransformerConfig(vocab_size=VOCABULARY, **read_json(arguments.config)["model"])
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{arguments.config}: not the settings of a run ({error})") from None
    write_json(arguments.output, architecture(config))


if __name__ == "__main__":
    run_script(main)
