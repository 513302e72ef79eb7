"""Draw the training curves of runs: the losses of training batches and of the development set by step.

python src/transformer/figures/plot_training_curves.py --runs results/demo/runs/{base,big}/{en-de,en-fr} \\
    --output-dir results/demo/figures
"""

from pathlib import Path
from typing import Any

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.json_artifacts import read_artifact
from transformer.common.metrics_file import read_metrics
from transformer.figures.curves import plot_training_curves


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--runs", type=Path, nargs="+", required=True, metavar="FOLDER", help="trained runs")
    parser.add_argument("--output-dir", type=Path, required=True, help="folder for the figure")
    arguments = parser.parse_args()
    curves: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for folder in arguments.runs:
        config = read_artifact(folder / "config.json", "config")
        lines = read_metrics(folder / "metrics.jsonl", "loss", "dev_perplexity")
        curves.setdefault(config["pair"], {})[config["run"]] = lines
    plot_training_curves(curves, arguments.output_dir / "training_curves")


if __name__ == "__main__":
    run_script(main)
