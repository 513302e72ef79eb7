"""Run folders as the pipeline leaves them, small enough to read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from made_artifacts import DECODING, write_perplexity, write_timing, write_training

from transformer.common.artifacts import write_artifact
from transformer.common.files import file_record, sha256_of
from transformer.scoring.multi_bleu import COUNTS
from transformer.tables.runs import LAST, Run, read_runs

ROOT = Path(__file__).parents[2]
LITERATURE = ROOT / "resources" / "literature.yaml"
PAPER = yaml.safe_load((ROOT / "config" / "runs.yaml").read_text())
PAPER_SETTINGS = {run: PAPER["base"] | changes for run, changes in PAPER.items()}
MakeRun = Callable[..., Path]


def write(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON file of the pipeline, with its checksum."""
    write_artifact(path, content)


def write_config(path: Path, **config: Any) -> None:
    """Write a run's config.json; its model and training are those of the paper's base."""
    model = {key: PAPER["base"][key] for key in ("N", "d_model", "d_ff", "h", "d_k", "d_v", "positions")}
    write(path, {"pair": "en-de", **config, "model": model | config.get("model", {})})


def measure(value: float) -> dict[str, Any]:
    interval = {"low": max(0.0, value - 1.5), "high": value + 1.25, "level": 0.95, "samples": 1000, "seed": 0}
    return {
        "value": value,
        "interval": interval,
        "signature": "nrefs:1",
        "precisions": [],
        "brevity_penalty": 1.0,
    }


def write_sentences(path: Path, matched: int) -> None:
    """The counts of forty sentences of 25 tokens, of which this many match in the four n-grams."""
    rows = [[n, 25, 25, *(matched + n % 3,) * 4, 25, 24, 23, 22] for n in range(1, 41)]
    pd.DataFrame(rows, columns=["sentence", *COUNTS]).to_csv(path, index=False)


def make_run(
    run: str,
    pair: str,
    *,
    bleu: float = 71.234,
    corpus: str = "synthetic grammar corpus",
    scale: str = "demo",
    encoder_layer: str = "self-attention",
    max_length: int = 256,
    seed: int = 1,
) -> Path:
    """Write a run folder below the working directory; give its relative path."""
    folder = Path("results") / scale / "runs" / (run if seed == 1 else f"{run}-seed{seed}") / pair
    config = {"run": run, "pair": pair, "scale": scale, "corpus": corpus, "seed": seed}
    config |= {"training": {"max_length": max_length}}
    write_config(folder / "config.json", **config, model={"encoder_layer": encoder_layer})
    write_training(folder, training_flops=123_456_789_012_345, parameters=1_234_567)
    write_timing(folder)
    write_perplexity(folder / "perplexity.json", test=1.5)
    write_scores(folder, folder / "config.json", pair, bleu)
    return folder


def write_scores(folder: Path, config: Path, pair: str, bleu: float) -> None:
    """Write what score_bleu.py writes of the forty sentences of a test set."""
    headline, other = ("multi_bleu_split", "multi_bleu")[:: 1 if pair == "en-de" else -1]
    cased = {headline: bleu, other: bleu - 0.5, "sacrebleu": bleu - 1}
    measures = {name: measure(value) for name, value in cased.items()}
    measures |= {f"{name}_lowercased": measure(value + 0.25) for name, value in cased.items()}
    files = {"config": {"name": "config.json", "sha256": sha256_of(config)}}
    files["hypothesis"] = {"name": "test.de", "sha256": "b" * 64}
    scores = {"format": 2, "language": "de", "sentences": 40, "headline": headline, "measures": measures}
    scores |= {"files": files, "decoding": DECODING}
    folder.mkdir(parents=True, exist_ok=True)
    write_sentences(folder / "scores.csv", round(bleu / 5))
    write(folder / "scores.json", scores | {"per_sentence": file_record(folder / "scores.csv")})


def parses(f1: float, *, low: float, high: float, errors: int = 0) -> dict[str, Any]:
    """What score_parses.py writes of 500 sentences, all of them short."""
    figures = {
        "valid": 500 - errors,
        "precision": f1 + 1,
        "recall": f1 - 1,
        "f1": f1,
        "complete_match": 40.125,
        "average_crossing": 0.5,
        "tagging_accuracy": 97.5,
        "interval": {"low": low, "high": high, "level": 0.95, "samples": 1000, "seed": 0},
    }
    counts = {"sentences": 500, "valid": 500 - errors, "errors": errors, "skipped": 0}
    return {"format": 2, "tags": "predicted", **counts, "all": figures, "up_to_40": figures}


def make_parser(
    run: str,
    *,
    f1: float = 95.25,
    treebank: str = "grammar trees",
    scale: str = "demo",
    data: dict[str, Any] | None = None,
    seed: int = 1,
    **model: Any,
) -> Path:
    """Write a parser's run folder below the working directory; give its relative path."""
    folder = Path("results") / scale / "runs" / (run if seed == 1 else f"{run}-seed{seed}") / "trees"
    used: dict[str, Any] = {
        "name": treebank,
        "input_tags": "none",
        "words": "tags",
        "shared_vocabulary": False,
    }
    used |= {"constituents": 0, "copies": 1, "bpe_dropout": 0, "vocab_size": 16_000}
    if run == "parser-semi":
        used |= {"vocab_size": 32_000, "silver": {"text": "file", "min_f1": 100, "oversample": 50}}
    used |= data or {}
    write_config(folder / "config.json", run=run, pair="trees", scale=scale, treebank=used, seed=seed)
    model = {"N": 4, "d_model": 1024, "positions": "sinusoidal"} | model
    write_training(folder, model=model)
    write_timing(folder)
    files = {"config": {"name": "config.json", "sha256": sha256_of(folder / "config.json")}}
    files["predicted"] = {"name": "test.trees", "sha256": "b" * 64}
    rows = [[n, int(n % 5 == 0), round(f1 / 5) - n % 2, 20, 20] for n in range(1, 501)]
    columns = "sentence status matched gold predicted".split()
    pd.DataFrame(rows, columns=columns).to_csv(folder / "parses.csv", index=False)
    files_of_scores = {"files": files, "per_sentence": file_record(folder / "parses.csv")}
    write(folder / "parses.json", parses(f1, low=94.0, high=96.0) | files_of_scores)
    unconstrained = parses(f1 - 1, low=92.5, high=95.0, errors=3)
    decoding = DECODING | {"constrained": False, "sentences": 500, "malformed": 12}
    write(folder / "unconstrained.json", unconstrained | {"decoding": decoding, "files": files})
    return folder


def make_last_run(
    folder: Path, run: str, *, seed: int = 1, bleu: float = 20.0, perplexity: float = 5.0, **changes: Any
) -> Run:
    """A run folder as Table 3 reads it, every width a quarter of the paper's; a run that it lacks is base, changed."""
    ours: dict[str, Any] = PAPER_SETTINGS.get(run, PAPER_SETTINGS["base"])
    ours = ours | {name: max(1, ours[name] // 4) for name in ("d_model", "d_ff", "d_k", "d_v")} | changes
    config = {"run": run, "pair": folder.name, "scale": "demo", "corpus": "grammar corpus", "seed": seed}
    write_config(folder / "config.json", **config, model=ours, training=ours)
    write_training(folder, parameters=1_639_936)
    write_timing(folder)
    write_perplexity(folder / "last" / "perplexity.json", dev=perplexity)
    files = {"config": {"name": "config.json", "sha256": sha256_of(folder / "config.json")}}
    files["hypothesis"] = {"name": "dev.de", "sha256": "b" * 64}
    measures = {"multi_bleu_split": measure(bleu)}
    scores = {"format": 2, "language": "de", "sentences": 40, "headline": "multi_bleu_split"}
    scores |= {"measures": measures, "files": files, "decoding": DECODING}
    write_sentences(folder / "last" / "scores.csv", round(bleu / 5))
    write(
        folder / "last" / "scores.json",
        scores | {"per_sentence": file_record(folder / "last" / "scores.csv")},
    )
    return read_runs([folder], LAST)[0]
