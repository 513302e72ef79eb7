"""Run folders as the pipeline leaves them, small enough to read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from transformer.files import sha256_of

ROOT = Path(__file__).parents[2]
LITERATURE = ROOT / "config" / "literature.yaml"
SCHEMA = ROOT / "workflow" / "schemas" / "literature.schema.yaml"
MakeRun = Callable[..., Path]


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def measure(value: float) -> dict[str, Any]:
    interval = {"low": value - 1.5, "high": value + 1.25, "level": 0.95, "samples": 1000, "seed": 0}
    return {
        "value": value,
        "interval": interval,
        "signature": "nrefs:1",
        "precisions": [],
        "brevity_penalty": 1.0,
    }


def make_run(
    run: str,
    pair: str,
    *,
    bleu: float = 71.234,
    corpus: str = "synthetic grammar corpus",
    scale: str = "demo",
    wall_seconds: float = 61.7,
    device_name: str = "Epyc 7763",
) -> Path:
    """Write a run folder below the working directory; give its relative path."""
    folder = Path("results") / scale / "runs" / run / pair
    write(folder / "config.json", {"run": run, "pair": pair, "scale": scale, "corpus": corpus, "seed": 1})
    write(
        folder / "training.json",
        {
            "training_flops": 123_456_789_012_345,
            "parameters": 1_234_567,
            "checkpoints": [{"step": 9, "path": "x", "sha256": "c"}],
        },
    )
    write(folder / "timing.json", {"wall_seconds": wall_seconds, "devices": 2, "device_name": device_name})
    write(folder / "perplexity.json", {"test": {"perplexity": 1.5, "tokens": 10, "nll": 4.0}})
    measures = {"multi_bleu_split": measure(bleu), "sacrebleu": measure(bleu - 1)}
    files = {"config": {"name": "config.json", "sha256": sha256_of(folder / "config.json")}}
    write(folder / "scores.json", {"format": 1, "measures": measures, "files": files})
    return folder
