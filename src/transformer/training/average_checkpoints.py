"""Average the last checkpoints of a trained run into one model (section 6.1).

python src/transformer/training/average_checkpoints.py --training R/training.json --last 5 --output R/averaged
"""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from transformer.common.arguments import Output, argument_parser
from transformer.common.artifacts import check_sha256, read_artifact
from transformer.common.errors import UserError, run_script
from transformer.model.storage import load_tensors, model_config, save_model
from transformer.model.transformer import Transformer


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--training", type=Path, required=True, help="training.json of the run")
    parser.add_argument("--last", type=int, required=True, help="how many (paper: base 5, big 20)")
    parser.add_argument("--output", type=Output, required=True, help="folder of the averaged model")
    arguments = parser.parse_args()
    training = read_artifact(arguments.training, "training")
    kept = training["checkpoints"]
    if not 1 <= arguments.last <= len(kept):
        raise UserError(
            f"{arguments.training}: has {len(kept)} checkpoints, but --last is {arguments.last}; "
            "write them more often (checkpoint_every_steps) or keep more (keep_checkpoints)"
        )
    checkpoints = kept[-arguments.last :]
    paths = [arguments.training.parent / checkpoint["path"] for checkpoint in checkpoints]
    for path, checkpoint in zip(paths, checkpoints, strict=True):
        advice = f"delete {arguments.training} and train again"
        check_sha256(path, checkpoint["sha256"], arguments.training, advice)
    model = Transformer(model_config(training["model"], arguments.training))
    with torch.no_grad():
        model.load_state_dict(average(paths))
    steps = [checkpoint["step"] for checkpoint in checkpoints]
    save_model(arguments.output, model, training["vocabulary_sha256"], training["numerics"], steps=steps)


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


if __name__ == "__main__":
    run_script(main)
