"""JSON files of a run as the pipeline leaves them, with made-up content and their checksums."""

import json
import math
from pathlib import Path
from typing import Any

from transformer.common.artifacts import CHECKSUM, write_artifact
from transformer.common.files import sha256_of

DECODING = {"search": {"beam_size": 4, "alpha": 0.6, "max_extra_tokens": 50, "precision": "fp32"}}


def change(path: Path, **changes: Any) -> None:
    """Change keys of a JSON file, and mend its checksum."""
    content = json.loads(path.read_text())
    del content[CHECKSUM]
    write_artifact(path, content | changes)


def write_training(folder: Path, **changes: Any) -> None:
    """Write the training.json of the run whose config.json is in the folder, with its metrics if there are any."""
    metrics = folder / "metrics.jsonl"
    config = json.loads((folder / "config.json").read_text())
    content = {"format": 1, **{key: config[key] for key in ("run", "pair", "scale", "seed")}, "data": {}}
    content |= {"config_sha256": sha256_of(folder / "config.json"), "vocabulary_sha256": "b" * 64}
    content |= {"steps": 9, "epochs": 1, "source_tokens": 90, "target_tokens": 90}
    content |= {"training_flops": 1, "parameters": 1, "numerics": "fp32"}
    content["model"] = {"N": 1, "d_model": 12, "positions": "sinusoidal"}
    content["metrics_sha256"] = sha256_of(metrics) if metrics.exists() else "e" * 64
    content["checkpoints"] = [{"step": 9, "path": "x", "sha256": "c" * 64}]
    write_artifact(folder / "training.json", content | changes)


def write_timing(folder: Path, **changes: Any) -> None:
    """Write the timing.json of a run."""
    content = {"wall_seconds": 61.7, "devices": 1, "device_name": "Epyc 7763", "hardware": "x"}
    content |= {"precision": "fp32", "threads": 1, "tokens_per_second": 1000}
    write_artifact(folder / "timing.json", content | changes)


def write_perplexity(path: Path, **splits: float) -> None:
    """Write the perplexity of each split, of ten sentences that are all alike."""
    figures = {split: {"perplexity": value, "tokens": 100, "nll": 4.0} for split, value in splits.items()}
    lines = [
        f"{split},{number},10,{10 * math.log(value):.6f}\n"
        for split, value in splits.items()
        for number in range(1, 11)
    ]
    sentences = path.with_suffix(".csv")
    sentences.parent.mkdir(parents=True, exist_ok=True)
    sentences.write_text("".join(["split,sentence,tokens,nll\n", *lines]))
    record = {"name": sentences.name, "sha256": sha256_of(sentences)}
    content = {"format": 2, "model_sha256": "d" * 64, **figures, "per_sentence": record}
    write_artifact(path, content)


def write_metrics(path: Path, *lines: dict[str, Any]) -> None:
    """Write metrics.jsonl, and training.json, which has its sha256, beside it."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    if (path.parent / "training.json").exists():
        change(path.parent / "training.json", metrics_sha256=sha256_of(path))
        return
    if not (path.parent / "config.json").exists():
        write_artifact(
            path.parent / "config.json", {"run": "base", "pair": "en-de", "scale": "demo", "seed": 1}
        )
    write_training(path.parent)
