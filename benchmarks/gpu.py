"""Measure training and decoding on a GPU, and compare what it computes with what the CPU computes.

    PYTHONPATH=src python benchmarks/gpu.py --output gpu.jsonl
    PYTHONPATH=src python benchmarks/gpu.py --output gpu.jsonl --device cpu

The second command tries everything with tiny models, where there is no GPU.

Each measurement calls the project's scripts, in processes of their own, on generated text.  It prints a row of a table
and appends a JSON line to the output.  The row of one that fails says why, and the others go on.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from tokenizers import pre_tokenizers

from transformer.common.arguments import Output, argument_parser
from transformer.common.artifacts import write_artifact
from transformer.common.errors import UserError, run_script
from transformer.common.files import read_json, read_lines
from transformer.common.special_tokens import SPECIAL_PIECES
from transformer.model.device import device_name
from transformer.model.storage import load_tensors, save_model
from transformer.model.transformer import Transformer
from transformer.settings.run_settings import Numerics, TransformerConfig
from transformer.subwords.subwords import load_subwords
from transformer.subwords.wordpiece import word_piece_tokenizer

ROOT = Path(__file__).parents[1]
SEED = 1
RUN = {"run": "gpu", "pair": "en-de", "scale": "gpu", "seed": SEED}
TRAINING = {"keep_checkpoints": 1, "threads": 1, "seed": SEED}
LIMIT = 240  # seconds for one call of a script
# Subwords of a sentence without EOS: the logarithm's mean and deviation, near those of WMT 2014 EN-DE.
LOG_MEAN, LOG_DEVIATION = 3.15, 0.6
LONGEST = 250
# Relative differences of loss and gradient, the latter as one vector.  ReLU jumps at 0, where rounding decides.
BOUNDS = {"fp32": (1e-4, 1e-3), "bf16": (1e-2, 1e-1)}
COMPARED_TOKENS = 2000  # a side of an update
COMPARED = 48  # sentences
ALIKE = 0.95  # share of their translations: where two have nearly the same score, rounding decides

Figures = dict[str, Any]


@dataclass(frozen=True)
class Sizes:
    """How large everything is.  Settings of a model that are not named here are those of the paper's base."""

    models: dict[str, dict[str, Any]]
    vocabulary: int
    pairs: int
    batch_tokens: int  # a side of an update
    steps: tuple[int, int]  # of two trainings, whose difference is timed
    sentences: int  # to translate


TINY_MODEL = {"N": 1, "d_model": 16, "d_ff": 32, "h": 2, "d_k": 8, "d_v": 8}
TINY = Sizes({"base": TINY_MODEL, "big": TINY_MODEL}, 500, 300, 300, (2, 12), 100)
BIG = {"d_model": 1024, "d_ff": 4096, "h": 16, "dropout": 0.3}
PAPER = Sizes({"base": {}, "big": BIG}, 37_000, 80_000, 25_000, (10, 60), 3003)


@dataclass
class Bench:
    """The folder of all files, the device that is measured, and the ways to call the project's scripts."""

    folder: Path
    device: str  # cuda or cpu
    sizes: Sizes
    gigabytes: float | None = None  # of the GPU that the last script used, if they are known

    def call(self, device: str, script: str, *options: object) -> float:
        """Run a script on a device and return its seconds.

        Raises RuntimeError with the script's last line when it fails, and TimeoutExpired.
        """
        command = [sys.executable, str(ROOT / "src" / "transformer" / script), *map(str, options)]
        environment = os.environ | ({"CUDA_VISIBLE_DEVICES": ""} if device == "cpu" else {})
        log, started = self.folder / "log", perf_counter()
        with open(log, "wb") as messages, memory_in_use(device) as used:
            done = subprocess.run(command, env=environment, stdout=messages, stderr=messages, timeout=LIMIT)
        seconds = perf_counter() - started
        if done.returncode:
            last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            raise RuntimeError(f"{script} ended with {done.returncode}: {''.join(last)}")
        self.gigabytes = round((max(used) - used[0]) * 2**20 / 1e9, 1) if used else None
        return seconds

    def train(self, name: str, device: str, *options: str, model: str = "base", **settings: Any) -> Path:
        """Train from the last checkpoint on, and return the folder of the new one."""
        run = self.folder / name
        training = TRAINING | {"validate_every_steps": settings["steps"]} | settings
        config = RUN | {"model": self.sizes.models[model], "training": training}
        # A script replaces no file that it wrote.
        (run / "config.json").unlink(missing_ok=True)
        write_artifact(run / "config.json", config)
        self.call(
            device, "training/train.py", "--config", run / "config.json", "--data", self.folder / "tokenized",
            "--subwords", self.folder / "subwords.model", "--output", run, "--device", device, *options,
        )  # fmt: skip
        (checkpoint,) = run.glob("checkpoints/*/st*-*")
        return checkpoint

    def translate(self, device: str, numerics: Numerics, sentences: int) -> tuple[list[str], float]:
        """Translate with a base model of random weights; return the translations, and the seconds of the script.

        They do not end by themselves, and get as many tokens as their source, about as many as a trained model's have.
        """
        model, text, output = (self.folder / name for name in ("model", "text", "output"))
        subwords = load_subwords(self.folder / "subwords.model")
        torch.manual_seed(SEED)
        config = TransformerConfig(vocab_size=subwords.vocab_size, **self.sizes.models["base"])
        shutil.rmtree(model, ignore_errors=True)
        save_model(model, Transformer(config), subwords.sha256, numerics)
        lines = list(read_lines(self.folder / "test.en"))[:sentences]
        text.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        seconds = self.call(
            device, "decoding/translate.py", "--model", model, "--subwords", self.folder / "subwords.model",
            "--max-extra-tokens", 0, "--input", text, "--output", output,
        )  # fmt: skip
        return list(read_lines(output)), seconds


@contextlib.contextmanager
def memory_in_use(device: str) -> Iterator[list[int]]:
    """Yield a list that grows by the MiB in use on the first visible GPU; it stays empty without nvidia-smi."""
    used: list[int] = []
    ended = threading.Event()
    gpu = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    query = ["nvidia-smi", f"--id={gpu}", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]

    def watch() -> None:
        while device == "cuda" and shutil.which(query[0]) and not ended.wait(0.1):
            answer = subprocess.run(query, capture_output=True).stdout.strip()
            if answer.isdigit():
                used.append(int(answer))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield used
    finally:
        ended.set()
        thread.join()


def prepare(bench: Bench) -> None:
    """Write a vocabulary of made-up words, and text of them with lengths as in WMT, encoded by encode.py."""
    folder, sizes, rng = bench.folder, bench.sizes, np.random.default_rng(SEED)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = sizes.vocabulary - len(SPECIAL_PIECES) - len(alphabet)
    pieces = [*SPECIAL_PIECES, *alphabet, *(f"Ġw{number}" for number in range(words))]
    tokenizer = word_piece_tokenizer({piece: number for number, piece in enumerate(pieces)})
    (folder / "subwords.model").write_text(tokenizer.to_str(), encoding="utf-8")
    # Training ends with a measurement on the development set, so this has one sentence.
    for split, count in (("train", sizes.pairs), ("dev", 1), ("test", sizes.sentences)):
        source = rng.lognormal(LOG_MEAN, LOG_DEVIATION, count)
        target = source * rng.lognormal(0, 0.2, count)
        for language, lengths in (("en", source), ("de", target)):
            with open(folder / f"{split}.{language}", "w", encoding="utf-8") as file:
                for length in np.clip(lengths.astype(int), 1, LONGEST):
                    numbers = (words * rng.random(length) ** 3).astype(int)  # small ones are more frequent
                    print(" ".join(f"w{number}" for number in numbers), file=file)
        bench.call(
            "cpu", "subwords/encode.py", "--subwords", folder / "subwords.model", "--source", folder / f"{split}.en",
            "--target", folder / f"{split}.de", "--output", folder / "tokenized" / split,
        )  # fmt: skip


def training_speed(bench: Bench, model: str, numerics: str) -> Figures:
    """Measure a long training less a short one, so that what happens once, as loading kernels, does not count."""
    states = []
    for steps in bench.sizes.steps:
        # Weights that hardly change let both trainings translate the development set alike.
        checkpoint = bench.train(
            f"{model}-{numerics}-{steps}", bench.device, model=model, steps=steps, checkpoint_every_steps=steps,
            numerics=numerics, batch_tokens=bench.sizes.batch_tokens, learning_rate_scale=1e-9,
        )  # fmt: skip
        states.append(read_json(checkpoint / "training_state.json"))
    short, long = states
    seconds = long["seconds"] - short["seconds"]
    tokens = sum(long[side] - short[side] for side in ("source_tokens", "target_tokens"))
    return {
        "tokens a second": round(tokens / seconds),
        "ms a step": round(1000 * seconds / (long["step"] - short["step"]), 1),
        "tokens of a batch, a side": bench.sizes.batch_tokens,
        "GB": bench.gigabytes,
    }


def decoding_speed(bench: Bench, numerics: Numerics) -> Figures:
    """Measure the beam search without the start of the script, which the first sentence alone shows."""
    _, start = bench.translate(bench.device, numerics, sentences=1)
    _, seconds = bench.translate(bench.device, numerics, bench.sizes.sentences)
    return {
        "sentences a second": round((bench.sizes.sentences - 1) / (seconds - start), 1),
        "seconds": round(seconds, 1),
        "of them the start": round(start, 1),
        "GB": bench.gigabytes,
    }


def same_gradient(bench: Bench, numerics: str) -> Figures:
    """Compare the first step with that of the CPU in fp32; dropout has the same masks on every device."""
    losses, gradients = [], []
    for place, device, precision in (("here", "cpu", "fp32"), ("there", bench.device, numerics)):
        name = f"{place}-{numerics}"
        checkpoint = bench.train(name, device, steps=1, numerics=precision, batch_tokens=COMPARED_TOKENS)
        losses.append(json.loads((bench.folder / name / "metrics.jsonl").read_text())["loss"])
        # After one step, Adam's first moment is a tenth of the gradient.
        moments = load_tensors(checkpoint / "optimizer.safetensors")
        parts = [moments[key].flatten() for key in sorted(moments) if key.endswith(".exp_avg")]
        gradients.append(torch.cat(parts).double())
    loss = abs(losses[1] / losses[0] - 1)
    gradient = float((gradients[1] - gradients[0]).norm() / gradients[0].norm())
    agrees = loss <= BOUNDS[numerics][0] and gradient <= BOUNDS[numerics][1]
    return {"agrees": agrees, "loss": float(f"{loss:.2g}"), "gradient": float(f"{gradient:.2g}")}


def same_translations(bench: Bench) -> Figures:
    """Compare the translations in fp32 with those of the CPU."""
    here, there = (bench.translate(device, "fp32", COMPARED)[0] for device in ("cpu", bench.device))
    same = sum(a == b for a, b in zip(here, there, strict=True))
    return {"agrees": same >= ALIKE * COMPARED, "same": same, "of": COMPARED}


def exact_resume(bench: Bench) -> Figures:
    """Compare weights and moments of a training of 8 steps with those of one that stops after 4, bit by bit."""
    sums = []
    for name, ends in (("whole", [8]), ("resumed", [4, 8])):
        for steps in ends:
            checkpoint = bench.train(
                name, bench.device, "--deterministic", steps=steps, checkpoint_every_steps=4, numerics="fp32",
                batch_tokens=COMPARED_TOKENS,
            )  # fmt: skip
        sums.append(read_json(checkpoint / "training_state.json")["sha256"])
    return {"agrees": sums[0] == sums[1]}


# The most valuable first.
MEASUREMENTS: dict[str, Callable[[Bench], Figures]] = {
    "training, base, bf16": partial(training_speed, model="base", numerics="bf16"),
    "training, big, bf16": partial(training_speed, model="big", numerics="bf16"),
    "decoding, base, bf16": partial(decoding_speed, numerics="bf16"),
    "loss and gradient, fp32": partial(same_gradient, numerics="fp32"),
    "loss and gradient, bf16": partial(same_gradient, numerics="bf16"),
    "beam search, fp32": same_translations,
    "exact resume, fp32": exact_resume,
    "training, base, fp32": partial(training_speed, model="base", numerics="fp32"),
    "training, big, fp32": partial(training_speed, model="big", numerics="fp32"),
    "decoding, base, fp32": partial(decoding_speed, numerics="fp32"),
}


def main() -> int:
    parser = argument_parser(__doc__)
    parser.add_argument("--output", type=Output, required=True, help="file to which JSON lines are appended")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda", help="cpu: tiny models (cuda)")
    parser.add_argument("--only", nargs="+", default=[""], help="measure what has such a text in its name")
    arguments = parser.parse_args()
    if arguments.device == "cuda" and not torch.cuda.is_available():
        raise UserError("torch finds no GPU; try the script with tiny models: --device cpu")
    sizes = PAPER if arguments.device == "cuda" else TINY
    machine = {"device": device_name(torch.device(arguments.device)), "torch": torch.__version__}
    with tempfile.TemporaryDirectory() as folder, open(arguments.output, "a", encoding="utf-8") as output:
        print(json.dumps(machine), file=output, flush=True)
        print(f"{', torch '.join(machine.values())}\n\n| measurement | result |\n|---|---|", flush=True)
        bench, passed = Bench(Path(folder), arguments.device, sizes), True
        prepare(bench)
        for name in (name for name in MEASUREMENTS if any(text in name for text in arguments.only)):
            try:
                figures = MEASUREMENTS[name](bench)
                passed = passed and figures.get("agrees", True)
            except Exception as error:  # the others go on
                figures, passed = {"error": f"{type(error).__name__}: {error}"}, False
            print(json.dumps({"measurement": name, **figures}), file=output, flush=True)
            shown = ", ".join(f"{key}: {value}" for key, value in figures.items())
            print(f"| {name} | {shown} |", flush=True)
    return 0 if passed else 1


if __name__ == "__main__":
    run_script(main)
