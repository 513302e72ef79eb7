"""Measure how the quality of a translation run grows with time, on the development set, and draw the curve.

    python benchmarks/time_to_quality.py --run results/small/runs/base/en-de --data data/small --last 12000 \\
        --csv docs/small-quality.csv --figure docs/small-quality

The run must have kept its checkpoints (`keep_checkpoints` in the scale's settings).  Every thousand updates, the last
checkpoints of the window are averaged, and the development set is translated with beam 4 and scored.  Minutes are those
of the clock since the training began, from the run's metrics.jsonl; they include its measurements of the development
set, but not those of this script.
"""

import argparse
import csv
import json
from pathlib import Path
from typing import Any

import torch
from matplotlib.figure import Figure
from sweep import quality, read_rows, window

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.files import read_json
from transformer.figures.style import COLUMN, colour, render
from transformer.model.config import TransformerConfig
from transformer.model.transformer import Transformer
from transformer.subwords.subwords import load_subwords
from transformer.training.average_checkpoints import average

COLUMNS = "run pair step window minutes tokens bleu bleu_lowercased perplexity".split()


def main() -> None:
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    rows = read_rows(arguments.csv)
    for step in range(arguments.every, arguments.last + 1, arguments.every):
        for count, spacing in arguments.window:
            row = where(arguments.run, step, f"{count}x{spacing}")
            if identity(row) not in map(identity, rows) and step >= count * spacing:
                steps = [step - spacing * number for number in range(count)]
                paths = [find(arguments.checkpoints or arguments.run / "checkpoints", each) for each in steps]
                rows.append(row | measure(arguments.run, arguments.data, paths))
                write_rows(arguments.csv, rows)
                print(" ".join(f"{name}={rows[-1][name]}" for name in COLUMNS), flush=True)
    if arguments.figure:
        draw_curves(rows, arguments.figure)


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument(
        "--run", type=Path, required=True, help="the folder of a run, e.g. results/small/runs/base/en-de"
    )
    parser.add_argument("--checkpoints", type=Path, help="folder of its checkpoints (RUN/checkpoints)")
    parser.add_argument("--data", type=Path, required=True, help="the data of its scale, e.g. data/small")
    parser.add_argument("--every", type=int, default=1000, help="updates between measurements (1000)")
    parser.add_argument("--last", type=int, required=True, help="the update of the last measurement")
    parser.add_argument("--window", type=window, nargs="+", default=[(5, 250)], help="COUNTxSPACING (5x250)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--csv", type=Path, required=True, help="the CSV file that grows")
    parser.add_argument("--figure", type=Path, help="draw the curves as FIGURE.svg and FIGURE.pdf")
    return parser.parse_args()


def where(run: Path, step: int, window: str) -> dict[str, Any]:
    """Return a row without its scores: the minutes and tokens are those of the update at which they were logged."""
    config = read_json(run / "config.json")
    logs = [run / "metrics.jsonl", *run.glob("checkpoints/*/metrics.jsonl")]
    path = next((path for path in logs if path.exists()), None)
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path else []
    line = next((line for line in lines if line["step"] == step), None)
    if line is None:
        raise UserError(
            f"{run}: metrics.jsonl has no line for step {step}; choose --every and --last by its steps"
        )
    minutes = round(line["seconds"] / 60, 1)
    return {
        "run": config["run"], "pair": config["pair"], "step": step, "window": window,
        "minutes": minutes, "tokens": line["tokens"],
    }  # fmt: skip


def find(checkpoints: Path, step: int) -> Path:
    """Return the weights of a checkpoint."""
    found = sorted(checkpoints.glob(f"**/step-{step:07d}/model.safetensors"))
    if not found:
        raise UserError(f"{checkpoints}: no checkpoint of step {step}; train with keep_checkpoints: 1000")
    return found[0]


def measure(run: Path, data: Path, paths: list[Path]) -> dict[str, Any]:
    """Return BLEU (beam 4, α 0.6) and perplexity of the averaged checkpoints on the development set."""
    config = read_json(run / "config.json")
    pair = config["pair"]
    source, target = pair.split("-")
    subwords = data / "subwords" / pair / "subwords.model"
    sizes = {"vocab_size": load_subwords(subwords).vocab_size}
    model = Transformer(TransformerConfig(**sizes, **config["model"])).eval()
    model.load_state_dict(average(paths))
    texts = data / "clean" / pair / f"dev.{source}", data / "clean" / pair / f"dev.{target}"
    return quality(model, subwords, data / "tokenized" / pair / "dev", texts)


def draw_curves(rows: list[dict[str, Any]], stem: Path) -> None:
    """Draw lower-cased BLEU against minutes, one curve for each run, pair and window."""

    def draw(figure: Figure) -> None:
        axes = figure.add_axes((0.13, 0.18, 0.84, 0.79))
        names = list(dict.fromkeys((row["run"], row["pair"], row["window"]) for row in rows))
        for number, name in enumerate(names):
            points = [row for row in rows if (row["run"], row["pair"], row["window"]) == name]
            run, pair, window = name
            axes.plot(
                [float(row["minutes"]) for row in points],
                [float(row["bleu_lowercased"]) for row in points],
                color=colour(number), marker="o", markersize=2, label=f"{run} {pair.upper()}, {window}",
            )  # fmt: skip
        axes.set(xlabel="minutes", ylabel="BLEU, development set", xlim=(0, None))
        axes.legend(loc="lower right")

    render(stem, COLUMN, 2.2, draw)


def identity(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("run", "pair", "step", "window"))


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    run_script(main)
