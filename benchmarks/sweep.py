"""Try settings for a scale: train variants of a run, decode the development set, and append rows to a CSV file.

    snakemake --cores all data/demo/clean/en-fr/{train,dev,test}.json --config scale=demo
    python benchmarks/sweep.py --scale demo --work /tmp/sweep --csv docs/demo-sweep.csv --run base --pair en-fr
    python benchmarks/sweep.py … --change batch_tokens=500 warmup_steps=400 --sentences 20000 --vocab 1500 \\
        --steps 1500 2000 --window 5x25 5x50

A variant has the run's settings in config/, with the changes.  It is trained once, to the last of ``--steps``; since
the learning rate does not depend on the number of steps, the weights at an earlier one are those of a shorter training.
A row is written for each of these steps and each window of averaged checkpoints: 5x50 is five, 50 steps apart, and 1x50
the last one alone.
Training resumes where it was interrupted or ended, and rows that the CSV file has are not made again.

Seconds are of processor time, so that other programs on the machine count little.
"""

import argparse
import csv
import json
import math
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch
import yaml

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.files import read_json
from transformer.common.json_artifacts import write_artifact
from transformer.common.malloc import training_environment
from transformer.corpus.pairs import read_pairs
from transformer.dataset.tokenized import TokenizedDataset
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.translation import BATCH_TOKENS, translate
from transformer.model.config import TransformerConfig
from transformer.model.device import default_device
from transformer.model.transformer import Transformer
from transformer.scoring.bleu import all_measures, headline_measure
from transformer.settings.settings import load_settings
from transformer.subwords.subwords import load_subwords
from transformer.training.average_checkpoints import average
from transformer.training.checkpoints import fingerprint
from transformer.training.distributed import ProcessGroup
from transformer.training.score_perplexity import negative_log_likelihood
from transformer.training.trainer import TrainingConfig

SOURCE = Path(__file__).resolve().parents[1] / "src"
# Shown in the CSV file.  A value is that of the variant, whether or not it was changed.
SHOWN = (
    "N d_model d_ff h dropout attention_dropout relu_dropout label_smoothing batch_tokens buckets_per_doubling "
    "learning_rate_scale warmup_steps adam_beta2 numerics"
).split()
COLUMNS = [
    *"run pair seed split sentences vocab".split(),
    *SHOWN,
    *"steps window epochs tokens parameters flops cpu_seconds bleu bleu_lowercased perplexity".split(),
]
# The names of all settings, since a run's config.json leaves out newer ones at their defaults.
GROUPS = {"training": TrainingConfig.__annotations__, "model": TransformerConfig.__annotations__}
KEEP = 1000  # checkpoints; all of them
LIKE_THE_RULE = {  # the environment of the rule `train`
    **training_environment(),
    "OMP_NUM_THREADS": "1",
}


def main() -> None:
    arguments = parse_arguments()
    torch.set_num_threads(1)
    settings = load_settings({"scale": arguments.scale, "seed": arguments.seed}, SOURCE.parent)
    config = settings.run(arguments.run, arguments.pair)
    for name, value in arguments.change:
        group = next((group for group, names in GROUPS.items() if name in names), None)
        if group is None:
            raise UserError(f"--change {name}: a run has no such setting")
        config[group][name] = value
    hardware = settings.hardware(arguments.run, arguments.pair)
    every = math.gcd(*(spacing for _, spacing in arguments.window), *arguments.steps)
    config["training"] |= {
        "steps": max(arguments.steps),
        "checkpoint_every_steps": every,
        "keep_checkpoints": KEEP,
        "validate_every_steps": max(arguments.steps),
    }
    subwords = settings.subwords[arguments.pair] | (
        {"vocab_size": arguments.vocab} if arguments.vocab else {}
    )
    clean = arguments.clean or SOURCE.parent / "data" / arguments.scale / "clean"
    data = make_data(arguments.work, clean / arguments.pair, arguments.sentences, subwords)
    row = {
        "run": arguments.run, "pair": arguments.pair, "seed": arguments.seed, "split": arguments.split,
        "sentences": len(TokenizedDataset.open(data / "train")), "vocab": subwords["vocab_size"],
        **{name: (config["model"] | config["training"]).get(name) for name in SHOWN},
    }  # fmt: skip
    folder = train(arguments.work, data, config, hardware["max_tokens"], arguments.processes)
    done = {identity(old) for old in read_rows(arguments.csv)}
    for steps in arguments.steps:
        for window in arguments.window:
            text = "x".join(map(str, window))
            new = row | {"steps": steps, "window": text}
            if identity(new) not in done:
                new |= measure(folder, data, arguments.split, steps, *window)
                append(arguments.csv, new)


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--scale", default="demo", help="a file of config/ (demo)")
    parser.add_argument("--clean", type=Path, help="folder of the scale's clean text (data/SCALE/clean)")
    parser.add_argument("--work", type=Path, required=True, help="folder for data and checkpoints")
    parser.add_argument("--csv", type=Path, required=True, help="the CSV file that grows")
    parser.add_argument("--run", default="base", help="a run of config/runs.yaml (base)")
    parser.add_argument("--pair", default="en-fr", help="en-de or en-fr")
    parser.add_argument("--seed", type=int, default=1, help="the seed of training (1)")
    parser.add_argument("--processes", type=int, default=1, help="processes that train together (1)")
    parser.add_argument("--change", nargs="*", default=[], type=change, metavar="SETTING=VALUE")
    parser.add_argument("--sentences", type=int, help="the first so many of the training set")
    parser.add_argument("--vocab", type=int, help="entries of the vocabulary")
    parser.add_argument("--steps", type=int, nargs="+", default=[840], help="where to measure")
    parser.add_argument("--window", type=window, nargs="+", default=[(5, 20)], help="COUNTxSPACING (5x20)")
    parser.add_argument("--split", default="dev", choices=["dev", "test"], help="test only to confirm")
    return parser.parse_args()


def change(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    return name, yaml.safe_load(value)


def window(text: str) -> tuple[int, int]:
    count, spacing = map(int, text.split("x"))
    return count, spacing


def make_data(work: Path, clean: Path, sentences: int | None, subwords: dict[str, Any]) -> Path:
    """Encode the first ``sentences`` pairs (None: all) with subwords learned from them; return the folder."""
    pair = clean.name
    source, target = pair.split("-")
    folder = work / "-".join([pair, str(sentences or "all"), str(subwords["vocab_size"])])
    if (folder / "test.json").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    for side in (source, target):
        for split in ("train", "dev", "test"):
            lines = (clean / f"{split}.{side}").read_text(encoding="utf-8").split("\n")
            kept = lines[:sentences] if split == "train" and sentences else lines[:-1]
            (folder / f"{split}.{side}").write_text("\n".join([*kept, ""]), encoding="utf-8")
    kind = ["--kind", subwords["kind"], "--vocab-size", subwords["vocab_size"]]
    texts = [folder / f"train.{side}" for side in (source, target)]
    script("subwords/learn_subwords.py", *kind, "--seed", 1, "--output", folder, *texts)
    for split in ("train", "dev", "test"):
        sides = ["--source", folder / f"{split}.{source}", "--target", folder / f"{split}.{target}"]
        script(
            "subwords/encode.py", "--subwords", folder / "subwords.model", *sides, "--output", folder / split
        )
    return folder


def train(work: Path, data: Path, config: dict[str, Any], max_tokens: int, processes: int) -> Path:
    """Train to the last step, unless that is done; return the run's folder, whose name is a hash of the settings."""
    without = {
        key: value
        for key, value in config["training"].items()
        if key not in ("steps", "validate_every_steps")
    }
    name = fingerprint({"model": config["model"], "training": without, "data": data.name})
    folder = work / "runs" / name
    folder.mkdir(parents=True, exist_ok=True)
    done = folder / "training.json"
    if done.exists() and read_json(done)["steps"] >= config["training"]["steps"]:
        return folder
    write_artifact(folder / "config.json", config)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    script(
        "transformer/training/train.py", "--config", folder / "config.json", "--data", data, "--max-tokens", max_tokens,
        "--subwords", data / "subwords.model", "--output", folder, "--processes", processes,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # A training that was continued from an earlier step has several lines.
    with (folder / "cpu.jsonl").open("a") as file:
        file.write(json.dumps({"steps": config["training"]["steps"], "seconds": seconds}) + "\n")
    return folder


def measure(folder: Path, data: Path, split: str, steps: int, count: int, spacing: int) -> dict[str, Any]:
    """Average the checkpoints of a window and return BLEU (beam 4, α 0.6) and perplexity, and what training cost.

    The cost of a number of steps before the last is a share of that of the last.
    """
    training = read_json(folder / "training.json")
    paths = {checkpoint["step"]: folder / checkpoint["path"] for checkpoint in training["checkpoints"]}
    model = Transformer(TransformerConfig(**training["model"])).to(default_device()).eval()
    model.load_state_dict(average([paths[steps - spacing * number] for number in range(count)]))
    source, target = data.name.split("-")[:2]
    texts = data / f"{split}.{source}", data / f"{split}.{target}"
    figures = quality(model, data / "subwords.model", data / split, texts)
    lines = [json.loads(line) for line in (folder / "cpu.jsonl").read_text().splitlines()]
    share = steps / training["steps"]
    header = TokenizedDataset.open(data / "train").header
    seen = training["source_tokens"] + training["target_tokens"]
    return {
        "epochs": round(share * seen / (header["source_tokens"] + header["target_tokens"]), 2),
        "tokens": round(share * seen),
        "parameters": training["parameters"],
        "flops": f"{share * training['training_flops']:.2e}",
        "cpu_seconds": round(share * sum(line["seconds"] for line in lines), 1),
        **figures,
    }


def quality(model: Transformer, subwords: Path, dataset: Path, texts: tuple[Path, Path]) -> dict[str, float]:
    """Return BLEU (beam 4, α 0.6) and perplexity of a model; ``texts`` are source and reference of ``dataset``."""
    vocabulary = load_subwords(subwords)
    nll, tokens = negative_log_likelihood(
        model, TokenizedDataset.open(dataset), 4096, ProcessGroup(0, 1, model.embedding.device)
    )
    sources, references = zip(*read_pairs(*texts), strict=True)
    ids = [vocabulary.encode(text) for text in sources]
    hypotheses = translate(
        model, ids, BeamConfig(beam_size=4, alpha=0.6, max_extra_tokens=50), BATCH_TOKENS["cpu"]
    )
    language = texts[1].suffix.removeprefix(".")
    measures = all_measures([vocabulary.decode(each) for each in hypotheses], references, language)
    bleu = {each.name: each.score(each.statistics.sum(axis=0)).value for each in measures}
    return {
        "bleu": round(bleu[headline_measure(language)], 2),
        "bleu_lowercased": round(bleu["multi_bleu_lowercased"], 2),
        "perplexity": round(math.exp(nll / tokens), 4),
    }


def script(name: str, *arguments: object) -> None:
    environment = os.environ | LIKE_THE_RULE | {"PYTHONPATH": str(SOURCE)}
    command = [sys.executable, str(SOURCE / name), *map(str, arguments)]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)


def identity(row: dict[str, Any]) -> tuple[str, ...]:
    """Return the values of a row that are settings, as text."""
    names = COLUMNS[: COLUMNS.index("epochs")]
    return tuple("" if row[name] is None else str(row[name]) for name in names)


def read_rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def append(path: Path, row: dict[str, Any]) -> None:
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)
    print(" ".join(f"{name}={row[name]}" for name in COLUMNS), flush=True)


if __name__ == "__main__":
    run_script(main)
