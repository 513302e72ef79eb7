"""Train one run, or resume it from its last checkpoint.

    python src/transformer/training/train.py --config R/config.json --data D/tokenized/en-de \\
        --subwords D/subwords/en-de/subwords.model --output R
    torchrun --standalone --nproc-per-node 8 src/transformer/training/train.py …    on eight GPUs

After the last step, this writes R/training.json, R/metrics.jsonl and R/timing.json.
"""

import argparse
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch

from transformer.common.arguments import argument_parser, at_least
from transformer.common.artifacts import read_artifact, write_artifact
from transformer.common.checked import checked
from transformer.common.errors import UserError, lack_of_memory
from transformer.common.files import atomic_path, sha256_of
from transformer.common.locks import held
from transformer.common.notes import MUCH, say
from transformer.dataset.tokenized import TokenizedDataset, files_of
from transformer.model.arithmetic import possible_numerics
from transformer.model.positions import WordPositions
from transformer.model.storage import check_vocabulary
from transformer.model.trained_by import changed_code
from transformer.model.transformer import Transformer, parameter_count
from transformer.settings.run_settings import TransformerConfig
from transformer.subwords.vocabularies import Vocabularies, load_vocabularies
from transformer.training.checkpoints import WEIGHTS_FILE, Checkpoints, decisive, folder_of, step_of
from transformer.training.distributed import (
    ProcessGroup,
    is_first,
    is_launched,
    join_process_group,
    lost_processes,
    run_process,
)
from transformer.training.requeue import requeue
from transformer.training.tracking import curves
from transformer.training.trainer import Stopped, Trainer, TrainingConfig, Validate
from transformer.training.validation import Validation
from transformer.training.version import TRAINING_VERSION

# The keys of config.json that say which run this is; training.json has them, too.
IDENTITY = ("run", "pair", "scale", "seed")


def main() -> int:
    arguments = parse_arguments()
    if not is_first():
        return run(arguments)
    arguments.output.mkdir(parents=True, exist_ok=True)
    lock = arguments.output / ".lock"
    # Two trainings in one folder would write the same checkpoints.  The first of several processes cannot wait for
    # another training's end, since they must meet soon.
    with held(lock, "an earlier training (`kill` saves and ends it)", waits=not is_launched()):
        return run(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Train as the command line says; return the exit status."""
    advice = "make it with src/transformer/training/resolve_run.py"
    content = read_artifact(arguments.config, "config", advice)
    vocabularies = load_vocabularies(arguments.subwords, arguments.symbols)
    config = checked(TrainingConfig, content["training"], arguments.config, advice)
    sizes = {**vocabularies.sizes, **content["model"]}
    model_config = checked(TransformerConfig, sizes, arguments.config, advice)
    device: Literal["auto", "cuda", "cpu"] = "cpu" if config.numerics == "portable" else arguments.device
    # A training that fp32 has begun is not continued by portable numerics, nor the other way round.
    content["training"]["numerics"] = possible_numerics(config.numerics)
    config = config.model_copy(update={"numerics": content["training"]["numerics"]})
    torch.set_num_threads(config.threads)
    if arguments.deterministic:
        # Without it, cuBLAS may differ from run to run.
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        torch.use_deterministic_algorithms(True)
    group = join_process_group(device)
    data = {path.name: sha256_of(path) for path in files_of(arguments.data / "train")}
    with lost_processes():
        trainer = make_trainer(arguments, content, config, model_config, vocabularies, group, data)
    if group.is_main:
        if arguments.track:
            trainer.metrics.show = curves(arguments.track, trainer.metrics.path)
        note_complete(trainer)
        note_other_beginning(trainer)
    status = train(trainer, content["scale"])
    if status == 0 and group.is_main:
        identity = {key: content[key] for key in IDENTITY}
        publish(arguments.output, trainer, **identity, config_sha256=sha256_of(arguments.config), data=data)
    group.close()
    return status


def train(trainer: Trainer, scale: str) -> int:
    """Train to the last step, or until a signal; return the exit status.  Raises UserError when memory runs out."""
    try:
        with lost_processes():
            trainer.train()
    except (RuntimeError, MemoryError) as error:
        if not (memory := lack_of_memory(error)):
            raise
        raise UserError(
            f"{memory} ran out at step {trainer.state.step}, with {trainer.worklist.tokens} tokens a side at once; "
            f"set max_tokens to less in the settings of the scale {scale}, or run fewer jobs at a time, and run again "
            "to continue from the last checkpoint"
        ) from None
    except Stopped as stop:
        if trainer.group.is_main:
            print(
                f"stopped by {stop} after step {trainer.state.step}; run again to continue", file=sys.stderr
            )
            if stop.exit_code == 128 + signal.SIGUSR1:  # schedulers send it before the time limit
                requeue()
        return stop.exit_code
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--config", type=Path, required=True, help="resolved settings (R/config.json)")
    parser.add_argument("--data", type=Path, required=True, help="folder of the datasets train and dev")
    parser.add_argument("--subwords", type=Path, required=True, help="the data's subword model")
    parser.add_argument("--symbols", type=Path, help="the vocabulary of the trees' symbols, for a parser")
    parser.add_argument("--output", type=Path, required=True, help="the run's folder, R")
    parser.add_argument(
        "--device", choices=["auto", "cuda", "cpu"], default="auto", help="cuda: fail without GPUs"
    )
    parser.add_argument(
        "--max-tokens",
        type=at_least(1),
        help="tokens a side of a micro-batch (default: the whole batch)",
    )
    parser.add_argument(
        "--deterministic", action="store_true", help="repeat every bit on a GPU too, at some cost in speed"
    )
    parser.add_argument("--track", type=Path, metavar="FOLDER", help="draw curves for TensorBoard")
    return parser.parse_args()


def make_trainer(
    arguments: argparse.Namespace,
    content: dict[str, Any],
    config: TrainingConfig,
    model_config: TransformerConfig,
    vocabularies: Vocabularies,
    group: ProcessGroup,
    data: dict[str, str],
) -> Trainer:
    """Check that data and vocabularies belong together, and make a trainer at the run's newest checkpoint.

    ``content`` is that of config.json, and ``data`` has the sha256 of the training set's files.
    """
    train, dev = (TokenizedDataset.open(arguments.data / split) for split in ("train", "dev"))
    for dataset in (train, dev):
        check_vocabulary(arguments.data, dataset.vocabulary_sha256, vocabularies.sha256)
    if group.is_main and arguments.symbols:  # of translation, check_text.py says it
        note_long_pairs(train, config.max_length)
    torch.manual_seed(config.seed)  # every process initialises the same weights
    model = Transformer(model_config)
    if isinstance(model.positions, WordPositions):
        model.positions.set_words(*vocabularies.words)
    max_tokens = arguments.max_tokens or config.batch_tokens
    validate: Validate = Validation(dev, vocabularies, max_tokens, language=content["pair"].split("-")[1])
    # The identity of this training.  config.json leaves out newer settings at their defaults; the classes have them.
    determinants = {
        "model": {"target_vocab_size": None, **vocabularies.sizes, **content["model"]},
        "training": content["training"],
        "data": data,
        "version": TRAINING_VERSION,
    }
    folder, every = folder_of(arguments.output / "checkpoints", determinants), config.checkpoint_every_steps
    checkpoints = Checkpoints(folder, config.keep_checkpoints, every, decisive(determinants))
    if group.is_main:
        note_other_runs(checkpoints)
    return Trainer(model, train, config, group, checkpoints, validate, max_tokens)


def note_long_pairs(train: TokenizedDataset, most: int) -> None:
    """Say so if many pairs are too long to be trained on."""
    long = int((np.maximum(train.source.lengths, train.target.lengths) > most).sum())
    if MUCH * long > len(train.source.lengths):
        say(
            f"{long:,} of {len(train.source.lengths):,} training pairs have more than {most} tokens on a side "
            "(max_length) and are left out of training"
        )


def note_other_runs(checkpoints: Checkpoints) -> None:
    """Say that training starts at step 0 although there are checkpoints, which have other settings."""
    for step in checkpoints.other_steps():
        say(
            f"{checkpoints.folder.parent} has checkpoints up to step {step} of a training with other settings or data "
            "(settings.json beside them); they are not resumed, and this training starts at step 0"
        )


def note_complete(trainer: Trainer) -> None:
    """Say that no step is left, as for `snakemake --forcerun train`: days of training are not repeated by an option."""
    config = trainer.config
    if trainer.state.step == config.steps:
        say(
            f"this training is complete ({config.steps} steps) and is not repeated; to train again, "
            f"delete {trainer.checkpoints.folder} first"
        )
        measured = {json.loads(line)["step"] for line in trainer.metrics.path.read_text().splitlines()}
        every = config.validate_every_steps
        if not measured.issuperset((*range(every, config.steps, every), config.steps)):
            say(
                f"its development set was not measured at each {every} steps and at the end, and is not again"
            )


def note_other_beginning(trainer: Trainer) -> None:
    """Say that a training goes on in another precision, or by other code, than it began."""
    state, began = trainer.state, trainer.state.began
    if state.step == trainer.config.steps:
        return
    if (precision := trainer.here["precision"]) != began.get("precision", precision):
        say(
            f"this training began in {began['precision']}, and goes on from step {state.step} in {precision}, as "
            f"`numerics: {trainer.config.numerics}` chooses here"
        )
    if changed := changed_code(began):
        say(
            f"this training began by other code than goes on with it from step {state.step}: {', '.join(changed)} "
            f"changed; to train it by one code, delete {trainer.checkpoints.folder}"
        )


def publish(folder: Path, trainer: Trainer, **info: Any) -> None:
    """Write metrics, timing, and last ``training.json``, which includes ``info``, to the run's ``folder``.

    Only ``timing.json`` depends on the clock and the machine.
    """
    state = trainer.state
    with atomic_path(folder / "metrics.jsonl") as temporary:
        shutil.copyfile(trainer.metrics.path, temporary)
    timing = {
        "wall_seconds": round(state.seconds, 1),
        "tokens_per_second": round((state.source_tokens + state.target_tokens) / state.seconds),
        **state.began,
    }
    write_artifact(folder / "timing.json", timing)
    weights = {step_of(kept): kept / WEIGHTS_FILE for kept in trainer.checkpoints.kept()}
    training = {
        "format": 1,
        **info,
        "steps": state.step,
        "epochs": state.epoch,
        "source_tokens": state.source_tokens,
        "target_tokens": state.target_tokens,
        "training_flops": state.flops,
        "parameters": parameter_count(trainer.model),
        "numerics": trainer.config.numerics,
        "vocabulary_sha256": trainer.worklist.dataset.vocabulary_sha256,
        "model": trainer.model.config.to_dict(),
        "metrics_sha256": sha256_of(folder / "metrics.jsonl"),
        "checkpoints": [
            {"step": step, "path": str(path.relative_to(folder)), "sha256": sha256_of(path)}
            for step, path in weights.items()
        ],
    }
    write_artifact(folder / "training.json", training)


if __name__ == "__main__":
    run_process(main)
