"""Draw the training curves of runs: the losses of training batches and of the development set by step.

python src/figures/plot_training_curves.py --runs results/demo/runs/{base,big}/{en-de,en-fr} \\
    --output-dir results/demo/figures
"""

import json
from pathlib import Path
from typing import Any

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.files import read_json, read_lines
from transformer.figures.curves import plot_training_curves


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--runs", type=Path, nargs="+", required=True, metavar="FOLDER", help="trained runs")
    parser.add_argument("--output-dir", type=Path, required=True, help="folder for the figure")
    arguments = parser.parse_args()
    curves: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for folder in arguments.runs:
        config = read_json(folder / "config.json")
        curves.setdefault(config["pair"], {})[config["run"]] = read_metrics(folder / "metrics.jsonl")
    plot_training_curves(curves, arguments.output_dir / "training_curves")


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a run's metrics.jsonl.  Raises UserError with file and line when a line is not JSON."""
    lines = []
    for number, line in enumerate(read_lines(path), start=1):
        try:
            lines.append(json.loads(line))
        except json.JSONDecodeError as error:
            raise UserError(
                f"{path}, line {number}: not valid JSON ({error.msg}); train the run again"
            ) from None
    return lines


if __name__ == "__main__":
    run_script(main)
