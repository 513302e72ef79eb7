"""The figures of each run in two forms that programs read: its scores as JSON, its training curve as CSV."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transformer.tables.runs import Run
from transformer.tables.table2 import MEASURES

CURVE = ("step", "loss", "dev_perplexity")
SCORES = ("dev_bleu", "dev_f1")  # of a translation, of a parser


def metrics(runs: Sequence[Run], parsers: Sequence[Run] = ()) -> dict[str, Any]:
    """Run → pair → BLEU by measure and perplexity per subword by split; parser → F1 and complete match.

    All rounded to four decimals.
    """
    result: dict[str, Any] = {}
    for run in runs:
        bleu = {name: round(run.measure(name)["value"], 4) for name in MEASURES}
        perplexity = {
            split: round(run.content["perplexity"][split]["perplexity"], 4) for split in ("dev", "test")
        }
        result.setdefault(run.name, {})[run.pair] = {"bleu": bleu, "perplexity": perplexity}
    for run in parsers:
        figures = run.content["parses"]["all"]
        result[run.name] = {name: round(figures[name], 4) for name in ("f1", "complete_match")}
    return result


def curve_csv(path: Path) -> str:
    """The lines of a run's metrics.jsonl, without what depends on the clock."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    scores = [name for name in SCORES if any(name in line for line in lines)]
    text = io.StringIO()
    writer = csv.DictWriter(text, [*CURVE, *scores], extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()
