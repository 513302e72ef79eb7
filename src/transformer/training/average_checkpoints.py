"""Average the last checkpoints of a trained run into one model (section 6.1).

    python src/transformer/training/average_checkpoints.py --training R/training.json --last 5 --output R/averaged

With --best-of R/metrics.jsonl, the checkpoints are not the last ones but those that follow each other and have the best
mean F1 on the development set: the number of steps of a parser is chosen there.  The test set plays no part in it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from transformer.common.arguments import argument_parser
from transformer.common.checksums import check_sha256
from transformer.common.errors import UserError, run_script
from transformer.common.json_artifacts import read_artifact
from transformer.model.storage import model_config, save_model
from transformer.model.transformer import Transformer
from transformer.training.averaging import average, best_window, read_dev_f1


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--training", type=Path, required=True, help="training.json of the run")
    parser.add_argument("--last", type=int, required=True, help="how many (paper: base 5, big 20)")
    parser.add_argument(
        "--best-of", type=Path, help="metrics.jsonl of a parser, whose F1 chooses the checkpoints"
    )
    parser.add_argument("--output", type=Path, required=True, help="folder of the averaged model")
    arguments = parser.parse_args()
    if arguments.last < 1:
        raise UserError(f"--last is {arguments.last}; it must be at least 1")
    training = read_artifact(arguments.training, "training")
    kept = training["checkpoints"]
    if len(kept) < arguments.last:
        raise UserError(
            f"{arguments.training}: has {len(kept)} checkpoints, but --last is {arguments.last}; "
            "write them more often (checkpoint_every_steps) or keep more (keep_checkpoints)"
        )
    scores = dev_f1(arguments.best_of, kept) if arguments.best_of else {}
    steps = [checkpoint["step"] for checkpoint in kept]
    start = best_window(steps, scores, arguments.last) if scores else len(kept) - arguments.last
    checkpoints = kept[start : start + arguments.last]
    paths = [arguments.training.parent / checkpoint["path"] for checkpoint in checkpoints]
    for path, checkpoint in zip(paths, checkpoints, strict=True):
        advice = f"delete {arguments.training} and train again"
        check_sha256(path, checkpoint["sha256"], arguments.training, advice)
    model = Transformer(model_config(training["model"], arguments.training))
    with torch.no_grad():
        model.load_state_dict(average(paths))
    info: dict[str, Any] = {"steps": [checkpoint["step"] for checkpoint in checkpoints]}
    if scores:
        info["dev_f1"] = {str(step): scores[step] for step in steps}
        print(f"steps {info['steps'][0]} to {info['steps'][-1]} of {steps[-1]} have the best mean F1")
    save_model(arguments.output, model, training["vocabulary_sha256"], **info)


def dev_f1(metrics: Path, checkpoints: Sequence[Mapping[str, Any]]) -> dict[int, float]:
    """Return F1 on the development set by step.  Raises UserError when that of a checkpoint is missing."""
    scores = read_dev_f1(metrics)
    for checkpoint in checkpoints:
        if checkpoint["step"] not in scores:
            raise UserError(
                f"{metrics}: no dev_f1 at step {checkpoint['step']}, where a checkpoint was written; "
                "make checkpoint_every_steps a multiple of validate_every_steps and train again"
            )
    return scores


if __name__ == "__main__":
    run_script(main)
