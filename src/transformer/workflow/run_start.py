"""Say at the start of a run which models it trains, and what of its command is not read."""

import textwrap
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError


def announce(workflow: Any) -> None:
    """Log the trainings of a run of Snakemake's ``workflow``, if it has any, and apart those that are complete."""
    from snakemake.logging import logger

    trainings = [job for job in workflow.dag.needrun_jobs() if job.rule.name == "train"]
    if not trainings:
        return
    new: list[str] = []
    complete: list[str] = []
    for job in trainings:
        name = f"{job.wildcards.run} {job.wildcards.source}-{job.wildcards.target}"
        (complete if all(Path(file).exists() for file in job.output) else new).append(name)
    texts = []
    if new:
        texts.append(
            f"Trainings: {', '.join(sorted(new))}.  The target results/plan.md estimates how long each takes."
        )
    if complete:
        # Only the job itself sees whether it has to train again: data and settings may be made anew, and be the same.
        texts.append(
            f"Complete, and trained again only if their data or settings have changed: {', '.join(sorted(complete))}."
        )
    if any(job.resources.get("gpu") for job in trainings):
        texts.append("On a GPU, no rebuild has the same bits (docs/protocol.md).")
    lines = (textwrap.fill(text, 100, subsequent_indent="    ", break_on_hyphens=False) for text in texts)
    logger.info("\n".join(lines), extra={"result": False})


def check_config_once(words: Sequence[str]) -> None:
    """Raise UserError when --config, or one of its keys, stands twice in a command: Snakemake forgets the first."""
    options = [
        number
        for number, word in enumerate(words)
        if word == "--config" or word.startswith(("--config=", "-C"))
    ]
    if len(options) > 1:
        raise UserError(
            "--config is given twice, and Snakemake takes the last only; give all keys behind one"
        )
    entries = takewhile(lambda word: not word.startswith("-"), words[options[0] + 1 :]) if options else ()
    counts = Counter(entry.partition("=")[0] for entry in entries)
    if twice := [key for key, count in counts.items() if count > 1]:
        raise UserError(
            f"--config: {twice[0]} is given twice, and Snakemake takes the last only; give it once"
        )
