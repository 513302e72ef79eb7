"""Train one run, or go on with it from its last checkpoint.

    python src/training/train.py --config R/config.json --data D/tokenized/en-de \\
        --subwords D/subwords/en-de/subwords.model --output R
    python src/training/train.py --processes 8 …         the same on eight GPUs, up to rounding
    python src/training/train.py --nodes 2 --processes 8 --rendezvous node1:29500 …      started on each of two machines

Publishes R/training.json, R/metrics.jsonl and R/timing.json when the last step is done.
"""

import argparse
import ast
import hashlib
import itertools
import platform
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import sacrebleu
import torch

from transformer.common.errors import UserError, is_launched, run_script
from transformer.common.files import atomic_path, read_json, sha256_of, write_json
from transformer.dataset.tokenized import TokenizedDataset, TokenizedSide
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.translation import translate
from transformer.model.config import TransformerConfig
from transformer.model.positions import WordPositions
from transformer.model.storage import check_vocabulary
from transformer.model.transformer import Transformer, parameter_count
from transformer.parsing.evalb import score_sentence, summary
from transformer.parsing.linearised import WORD, is_word, tree_of
from transformer.parsing.parser import parse
from transformer.parsing.vocabularies import Symbols, Vocabularies, load_vocabularies
from transformer.training.checkpoints import Checkpoints, fingerprint, step_of
from transformer.training.compilation import compile_layers, compiler_errors
from transformer.training.distributed import Processes, check_devices, join_processes, lost_processes
from transformer.training.evaluation import negative_log_likelihood
from transformer.training.launch import Layout, launch, requeue
from transformer.training.loop import Stopped, Trainer, TrainingConfig

# These do not decide which checkpoints there are nor what is in them: training goes on when they are changed.
INDECISIVE = {"steps", "validate_every_steps"}

# What trains, below src/transformer/; an edit there starts training anew.
DECISIVE_CODE = ("model/*.py", "training/*.py", "dataset/*.py")

IDENTITY = ("run", "pair", "scale", "seed")  # what training.json repeats of the config

# Validation decodes greedily: it runs often, and is there to be watched.
GREEDY = BeamConfig(beam_size=1, alpha=0.0, max_extra_tokens=50)
GREEDY_PARSE = BeamConfig(beam_size=1, alpha=0.0, max_extra_tokens=300)


def main() -> int:
    arguments = parse_arguments()
    layout = Layout(arguments.nodes, arguments.processes, arguments.rendezvous)
    if not layout.is_single and not is_launched():
        check_devices(arguments.device, layout.processes)
        return launch(layout, [str(Path(__file__)), *sys.argv[1:]])
    config = read_json(arguments.config)
    try:
        identity = {key: config[key] for key in IDENTITY}
        settings = TrainingConfig(**config["training"])
        vocabularies = load_vocabularies(arguments.subwords, arguments.symbols)
        model_config = TransformerConfig(**vocabularies.sizes, **config["model"])
    except KeyError as error:
        raise UserError(
            f"{arguments.config}: missing key {error}; make it with src/training/resolve_run.py"
        ) from None
    except (TypeError, ValueError) as error:
        raise UserError(f"{arguments.config}: {error}; make it with src/training/resolve_run.py") from None
    torch.set_num_threads(settings.threads)
    processes = join_processes(arguments.device)
    try:
        torch.manual_seed(settings.seed)  # every process draws the same first weights
        data = hashes(arguments.data)
        with lost_processes():
            trainer = make_trainer(arguments, settings, model_config, vocabularies, processes, data)
        try:
            with lost_processes(), compiler_errors():
                trainer.train()
        except torch.OutOfMemoryError:
            raise UserError(
                f"the GPU's memory ran out at step {trainer.position.step}; lower max_tokens (now "
                f"{settings.max_tokens}): the batch is then reached in more passes"
            ) from None
        except Stopped as stop:
            if processes.is_main:
                step = trainer.position.step
                print(f"stopped by {stop} after step {step}; run again to go on", file=sys.stderr)
                if stop.exit_code == 128 + signal.SIGUSR1:  # what schedulers send before the time limit
                    requeue()
            return stop.exit_code
        if processes.is_main:
            publish(arguments, identity, trainer, data)
    finally:
        processes.close()
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--config", type=Path, required=True, help="resolved settings of the run (R/config.json)"
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="folder of the tokenized datasets train and dev"
    )
    parser.add_argument(
        "--subwords", type=Path, required=True, help="the subword model the data was encoded with"
    )
    parser.add_argument("--symbols", type=Path, help="for a parser: the vocabulary of its trees' symbols")
    parser.add_argument("--output", type=Path, required=True, help="the run's folder, R")
    parser.add_argument("--processes", type=int, default=1, help="on each node, one a GPU (1)")
    parser.add_argument("--nodes", type=int, default=1, help="machines that train together (1)")
    parser.add_argument("--rendezvous", help="HOST:PORT of the first node, where several meet; SLURM tells")
    parser.add_argument("--device", choices=["auto", "cuda"], default="auto", help="cuda: fail without GPUs")
    parser.add_argument("--compile", action="store_true", help="the layers, for faster steps on a GPU")
    return parser.parse_args()


def make_trainer(
    arguments: argparse.Namespace,
    settings: TrainingConfig,
    model_config: TransformerConfig,
    vocabularies: Vocabularies,
    processes: Processes,
    data: dict[str, str],
) -> Trainer:
    """Open the data, check that all belongs together, and stand where the newest checkpoint is."""
    train, dev = (TokenizedDataset.open(arguments.data / split) for split in ("train", "dev"))
    for store in (train, dev):
        check_vocabulary(arguments.data, store.vocabulary_sha256, vocabularies.sha256)
    decisive = {
        "model": model_config.to_dict(),
        "training": {k: v for k, v in vars(settings).items() if k not in INDECISIVE},
        "data": data,
        "code": meaning_of_code(),
    }
    folder = arguments.output / "checkpoints" / fingerprint(decisive)
    model = Transformer(model_config)
    if isinstance(model.positions, WordPositions):
        model.positions.set_words(*vocabularies.words)

    def validation(model: Transformer) -> dict[str, float]:
        return validate(model, dev, vocabularies, settings)

    if arguments.compile:
        compile_layers(model)
        # Without gradients it would be compiled anew, which takes longer than it does.
        validation = torch.compiler.set_stance("force_eager")(validation)
    return Trainer(
        model,
        train,
        settings,
        processes,
        Checkpoints(folder, settings.keep_checkpoints),
        validation,
    )


def hashes(data: Path) -> dict[str, str]:
    """The sha256 of each file of the training store, by name."""
    return {file.name: sha256_of(file) for file in sorted(data.glob("train.*")) if file.is_file()}


def meaning_of_code() -> str:
    """A hash of the code that decides the weights, comments and docstrings left out.

    Without it an edited model would go on from, or pass for, what the old code had trained.
    """
    library = Path(__file__).parents[1] / "transformer"
    digest = hashlib.sha256()
    for path in sorted(itertools.chain.from_iterable(library.glob(files) for files in DECISIVE_CODE)):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
                node.body = node.body[1:]
        digest.update(ast.dump(tree).encode())
    return digest.hexdigest()


def validate(
    model: Transformer, dev: TokenizedDataset, vocabularies: Vocabularies, settings: TrainingConfig
) -> dict[str, float]:
    """On the development set, perplexity per token, and what greedy decoding scores."""
    nll, tokens = negative_log_likelihood(model, dev, settings.max_tokens, settings.precision)
    perplexity = torch.tensor(nll / tokens, dtype=torch.float64).exp()
    score = greedy_f1 if isinstance(vocabularies.target, Symbols) else greedy_bleu
    return {"dev_perplexity": round(float(perplexity), 4)} | score(model, dev, vocabularies, settings)


def greedy_bleu(
    model: Transformer, dev: TokenizedDataset, vocabularies: Vocabularies, settings: TrainingConfig
) -> dict[str, float]:
    """sacreBLEU of translations."""
    decode = vocabularies.target.decode
    hypotheses = translate(model, without_ends(dev.source), GREEDY, settings.max_tokens, settings.precision)
    references = [decode(ids) for ids in without_ends(dev.target)]
    bleu = sacrebleu.corpus_bleu([decode(ids) for ids in hypotheses], [references], force=True)
    return {"dev_bleu": round(bleu.score, 2)}


def greedy_f1(
    model: Transformer, dev: TokenizedDataset, vocabularies: Vocabularies, settings: TrainingConfig
) -> dict[str, float]:
    """F1 of trees, punctuation included where the symbols have no tags: to be watched, and not EVALB's figure."""
    assert isinstance(vocabularies.target, Symbols)
    symbols = [vocabularies.target.decode(ids).split() for ids in without_ends(dev.target)]
    # The words do not matter to brackets, only their number does.
    sentences = [[WORD] * sum(map(is_word, tree)) for tree in symbols]
    sources = without_ends(dev.source)
    parses = parse(
        model,
        vocabularies.target,
        sources,
        sentences,
        GREEDY_PARSE,
        settings.max_tokens,
        True,
        settings.precision,
    )
    gold = map(tree_of, symbols, sentences)
    sentence_scores = [
        score_sentence(*pair) for pair in zip(gold, (parse.tree for parse in parses), strict=True)
    ]
    return {"dev_f1": round(summary(sentence_scores)["all"]["f1"], 2)}


def without_ends(side: TokenizedSide) -> list[list[int]]:
    """The ids of every sentence, without EOS."""
    return [side[i][:-1].tolist() for i in range(len(side))]


def publish(
    arguments: argparse.Namespace, identity: dict[str, Any], trainer: Trainer, data: dict[str, str]
) -> None:
    """Write what later steps read.  ``training.json`` comes last: where it is, all is there."""
    R, position, processes = arguments.output, trainer.position, trainer.processes
    with atomic_path(R / "metrics.jsonl") as temporary:
        shutil.copyfile(trainer.metrics.path, temporary)
    tokens = position.source_tokens + position.target_tokens
    write_json(
        R / "timing.json",
        {
            "wall_seconds": round(position.seconds, 1),
            "devices": processes.world,
            "device_name": device_name(processes.device),
            "hardware": f"{platform.machine()} {platform.system()}, torch {torch.__version__}",
            "precision": trainer.precision,
            "threads": trainer.settings.threads,
            "tokens_per_second": round(tokens / position.seconds),
        },
    )
    write_json(
        R / "training.json",
        {
            "format": 1,
            **identity,
            "steps": position.step,
            "epochs": position.epoch,
            "source_tokens": position.source_tokens,
            "target_tokens": position.target_tokens,
            "training_flops": position.flops,
            "parameters": parameter_count(trainer.model),
            "config_sha256": sha256_of(arguments.config),
            "vocabulary_sha256": trainer.store.vocabulary_sha256,
            "data": data,
            "model": trainer.model.config.to_dict(),
            "checkpoints": [
                {
                    "step": step_of(folder),
                    "path": str((folder / "model.safetensors").relative_to(R)),
                    "sha256": sha256_of(folder / "model.safetensors"),
                }
                for folder in trainer.checkpoints.kept()
            ],
        },
    )


def device_name(device: torch.device) -> str:
    """The GPU's or the processor's name."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "CPU"


if __name__ == "__main__":
    run_script(main)
