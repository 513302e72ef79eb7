"""Draw the learning-rate schedule of runs, with the paper's values and with ours.

python src/transformer/figures/plot_learning_rate.py --configs results/demo/runs/{base,big}/en-de/config.json \\
    --paper-settings config/runs.yaml --output-dir results/demo/figures
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.json_artifacts import read_artifact
from transformer.common.yaml_files import read_yaml
from transformer.figures.curves import Curve, plot_learning_rate
from transformer.training.schedule import learning_rate

POINTS = 100  # on a curve


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--configs", type=Path, nargs="+", required=True, help="config.json of each run")
    parser.add_argument(
        "--paper-settings",
        type=Path,
        required=True,
        help="config/runs.yaml, which has each run at the paper's size",
    )
    parser.add_argument("--output-dir", type=Path, required=True, help="folder for the figure")
    arguments = parser.parse_args()
    paper_settings = read_yaml(arguments.paper_settings)
    paper, ours = {}, {}
    for config in (read_artifact(path, "config") for path in arguments.configs):
        name = config["run"]
        paper[name] = curve(paper_settings["base"] | paper_settings[name])
        ours[name] = curve(config["model"] | config["training"])
    plot_learning_rate(paper, ours, arguments.output_dir / "learning_rate")


def curve(settings: Mapping[str, Any]) -> Curve:
    """Return the schedule from the first step to the last, at steps with evenly spaced logarithms, and at its peak."""
    last, warmup = settings["steps"], settings["warmup_steps"]
    steps = {round(math.exp(math.log(last) * point / POINTS)) for point in range(POINTS + 1)}
    steps |= {warmup} if warmup < last else set()
    ordered = sorted(steps)
    scale = settings["learning_rate_scale"]
    return ordered, [learning_rate(step, settings["d_model"], warmup, scale) for step in ordered]


if __name__ == "__main__":
    run_script(main)
