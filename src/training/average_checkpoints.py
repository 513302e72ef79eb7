"""Average the last checkpoints of a trained run into one model (section 6.1).

python src/training/average_checkpoints.py --training R/training.json --last 5 --output R/averaged
"""

from pathlib import Path

import torch

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.files import read_json, sha256_of
from transformer.model.config import TransformerConfig
from transformer.model.storage import save_model
from transformer.model.transformer import Transformer
from transformer.training.averaging import average


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--training", type=Path, required=True, help="training.json of the run")
    parser.add_argument("--last", type=int, required=True, help="how many (paper: base 5, big 20)")
    parser.add_argument("--output", type=Path, required=True, help="folder of the averaged model")
    arguments = parser.parse_args()
    if arguments.last < 1:
        raise UserError(f"--last is {arguments.last}; it must be at least 1")
    training = read_json(arguments.training)
    if not isinstance(training, dict) or training.get("format") != 1 or "checkpoints" not in training:
        raise UserError(f"{arguments.training}: not a training.json of format 1 from src/training/train.py")
    checkpoints = training["checkpoints"][-arguments.last :]
    if len(checkpoints) < arguments.last:
        raise UserError(
            f"{arguments.training}: has {len(checkpoints)} checkpoints, but --last is {arguments.last}; "
            "write them more often (checkpoint_every_steps) or keep more (keep_checkpoints)"
        )
    paths = [arguments.training.parent / checkpoint["path"] for checkpoint in checkpoints]
    for path, checkpoint in zip(paths, checkpoints, strict=True):
        if not path.exists() or sha256_of(path) != checkpoint["sha256"]:
            raise UserError(
                f"{path}: missing, or not the file that training wrote; delete {arguments.training} and train again"
            )
    model = Transformer(TransformerConfig(**training["model"]))
    with torch.no_grad():
        model.load_state_dict(average(paths))
    save_model(arguments.output, model, training["vocabulary_sha256"], steps=[c["step"] for c in checkpoints])


if __name__ == "__main__":
    run_script(main)
