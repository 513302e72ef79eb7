"""Show training curves in TensorBoard or DVCLive: of trainings that run, and of those that have ended.

    python src/transformer/training/track.py --tool tensorboard --runs results/demo/runs --output logs/demo/tracking

With `--follow`, it goes on until its standard input ends (Ctrl-D).  Snakemake starts it so if the key `track` is set.
"""

import os
import select
import sys
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.optional_packages import TRACK, require
from transformer.training.tracking import CURVES, Observer


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--tool", choices=list(CURVES), required=True)
    parser.add_argument("--runs", type=Path, required=True, help="folder of the runs of a scale")
    parser.add_argument(
        "--output", type=Path, required=True, help="folder to write; a folder RUN.PAIR in it is replaced"
    )
    parser.add_argument("--follow", action="store_true", help="go on until standard input ends")
    parser.add_argument("--every", type=float, default=5.0, help="seconds between two looks (5)")
    arguments = parser.parse_args()
    require(arguments.tool, TRACK)
    observer = Observer(arguments.runs, arguments.output, CURVES[arguments.tool])
    observer.look()
    while arguments.follow and not input_ends(arguments.every):
        observer.look()
    observer.look()
    observer.close()


def input_ends(seconds: float) -> bool:
    """Wait so long at most, and return whether standard input has ended."""
    readable, _, _ = select.select([sys.stdin], [], [], seconds)
    return bool(readable) and not os.read(sys.stdin.fileno(), 4096)


if __name__ == "__main__":
    run_script(main)
