"""Average the last checkpoints of a trained run into one model (section 6.1).

    python src/transformer/training/average_checkpoints.py --training R/training.json --last 5 --output R/averaged

With --best-of R/metrics.jsonl, the checkpoints are not the last ones but those that follow each other and have the best
mean F1 on the development set: the number of steps of a parser is chosen there.  The test set plays no part in it.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from transformer.common.arguments import Output, argument_parser
from transformer.common.artifacts import check_sha256, read_artifact, read_metrics
from transformer.common.errors import UserError, run_script
from transformer.model.storage import load_tensors, model_config, save_model
from transformer.model.transformer import Transformer


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--training", type=Path, required=True, help="training.json of the run")
    parser.add_argument("--last", type=int, required=True, help="how many (paper: base 5, big 20)")
    parser.add_argument(
        "--best-of", type=Path, help="metrics.jsonl of a parser, whose F1 chooses the checkpoints"
    )
    parser.add_argument("--output", type=Output, required=True, help="folder of the averaged model")
    arguments = parser.parse_args()
    training = read_artifact(arguments.training, "training")
    kept = training["checkpoints"]
    if not 1 <= arguments.last <= len(kept):
        raise UserError(
            f"{arguments.training}: has {len(kept)} checkpoints, but --last is {arguments.last}; "
            "write them more often (checkpoint_every_steps) or keep more (keep_checkpoints)"
        )
    steps = [checkpoint["step"] for checkpoint in kept]
    f1 = dev_f1(arguments.best_of, steps) if arguments.best_of else {}
    start = best_window(steps, f1, arguments.last) if f1 else len(kept) - arguments.last
    checkpoints = kept[start : start + arguments.last]
    paths = [arguments.training.parent / checkpoint["path"] for checkpoint in checkpoints]
    for path, checkpoint in zip(paths, checkpoints, strict=True):
        advice = f"delete {arguments.training} and train again"
        check_sha256(path, checkpoint["sha256"], arguments.training, advice)
    model = Transformer(model_config(training["model"], arguments.training))
    with torch.no_grad():
        model.load_state_dict(average(paths))
    info: dict[str, Any] = {"steps": [checkpoint["step"] for checkpoint in checkpoints]}
    if f1:
        info["dev_f1"] = {str(step): f1[step] for step in steps}
        print(f"steps {info['steps'][0]} to {info['steps'][-1]} of {steps[-1]} have the best mean F1")
    save_model(arguments.output, model, training["vocabulary_sha256"], training["numerics"], **info)


def average(paths: Sequence[Path]) -> dict[str, Tensor]:
    """Return the mean of the weights in the safetensors files of one model, in float32, summed in float64.

    One file is open at a time, so the memory is that of five models (float64 counts twice).
    """
    mean: dict[str, Tensor] = {}
    for path in paths:
        for name, weight in load_tensors(path).items():
            share = weight.double() / len(paths)
            mean[name] = mean[name] + share if name in mean else share
    return {name: weight.float() for name, weight in mean.items()}


def best_window(steps: Sequence[int], f1: Mapping[int, float], size: int) -> int:
    """Return where in ``steps`` the ``size`` checkpoints that follow each other with the best mean F1 begin.

    ``f1`` is F1 on the development set by step.  The mean over the window is less a matter of luck than the F1 of its
    last checkpoint; of equal windows, the earliest is taken.
    """
    starts = range(len(steps) - size + 1)
    return max(starts, key=lambda start: math.fsum(f1[step] for step in steps[start : start + size]))


def dev_f1(metrics: Path, steps: Sequence[int]) -> dict[int, float]:
    """Return F1 on the development set by step.  Raises UserError when that of one of ``steps`` is missing."""
    f1 = {line["step"]: line["dev_f1"] for line in read_metrics(metrics) if "dev_f1" in line}
    for step in steps:
        if step not in f1:
            raise UserError(
                f"{metrics}: no dev_f1 at step {step}, where a checkpoint was written; "
                "make checkpoint_every_steps a multiple of validate_every_steps and train again"
            )
    return f1


if __name__ == "__main__":
    run_script(main)
