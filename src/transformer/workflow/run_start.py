"""Say at the start of a run which models it trains, how long all its jobs take by the plan, and what is not read."""

import difflib
import os
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from snakemake_logger_plugin_attention.outlook import Outlook
from transformer.common.errors import UserError
from transformer.planning.make_plan import chosen_device, job_seconds, known_gpu, rebuilt_rates
from transformer.planning.plan import Device, duration
from transformer.settings.settings import Settings


def announce(workflow: Any, settings: Settings) -> None:
    """Log the trainings of a run of Snakemake's ``workflow`` and its time, if it has trainings.

    The record also has the plan of each job, by which the logger ``attention`` says how much time is left.  Raises
    UserError when the device that the user plans for is unknown.
    """
    from snakemake.logging import logger

    trainings = [job for job in workflow.dag.needrun_jobs() if job.rule.name == "train"]
    if not trainings:
        return
    plan, time = time_of_all(workflow, settings)
    names = ", ".join(
        sorted(f"{job.wildcards.run} {job.wildcards.source}-{job.wildcards.target}" for job in trainings)
    )
    text = f"Trainings: {names}.  {time}"
    if any(job.resources.get("gpu") for job in trainings):
        text += "  On a GPU, no rebuild has the same bits (docs/protocol.md)."
    logger.info(
        textwrap.fill(text, 100, subsequent_indent="    ", break_on_hyphens=False),
        extra={"plan": plan, "local": workflow.local_exec},
    )


def time_of_all(workflow: Any, settings: Settings) -> tuple[dict[int, tuple[float, float, bool]], str]:
    """Return the plan of each job, see :func:`plan_of`, and a sentence about the time of all of them.

    Of portable trainings on CPUs it is a range: that of the machines on which all has been made before.
    """
    device, _ = chosen_device(settings)
    plan = plan_of(workflow, settings, device)
    if rates := rebuilt_rates(settings):
        slow, fast = (
            duration(Outlook(plan_of(workflow, settings, replace(device, flops=rate))).seconds_left(0))
            for rate in (rates[0], rates[-1])
        )
        return (
            plan,
            f"All jobs take {fast} to {slow} with as many cores of the machines in docs/rebuilds.csv.",
        )
    if device.name != "cpu-core" and settings.plan_device is None and known_gpu() is None:
        return plan, "No GPU of known speed here: add plan_device=NAME to --config (docs/performance.md)."
    total = duration(Outlook(plan).seconds_left(0))
    return (
        plan,
        f"By the plan, all jobs take about {total}; docs/performance.md says how far off such plans were.",
    )


def tell_of_memory(workflow: Any) -> None:
    """Say which jobs declare more memory than there is; Snakemake lowers what they declare to that, and runs them."""
    from snakemake.logging import logger

    limit = memory_limit(workflow)
    jobs = workflow.dag.needrun_jobs() if limit and workflow.local_exec else []
    large = sorted({job.rule.name for job in jobs if job.resources.get("mem_mb") == limit})
    if large:
        logger.warning(
            f"{', '.join(large)}: by the plan, each such job needs all the memory that jobs may use ({limit:,} MB) or "
            "more, so it runs alone, and may be killed or slow"
        )


def check_config_once(words: list[str], entries: Iterable[str]) -> None:
    """Raise UserError when --config, or a key among its ``entries``, is given twice: Snakemake forgets the first."""
    if sum(word == "--config" or word.startswith(("--config=", "-C")) for word in words) > 1:
        raise UserError(
            "--config is given twice, and Snakemake takes the last only; give all keys behind one"
        )
    counts = Counter(entry.partition("=")[0] for entry in entries)
    if twice := [key for key, count in counts.items() if count > 1]:
        raise UserError(
            f"--config: {twice[0]} is given twice, and Snakemake takes the last only; give it once"
        )


def check_targets(workflow: Any) -> None:
    """Raise UserError for a target that no rule makes, and name the one that it is most like.

    Snakemake only says that there is no rule for it; it takes an absolute path for another file than the relative one.
    """
    outputs = [
        str(output) for rule in workflow.rules for output in rule.output if not output.contains_wildcard
    ]
    made = {rule.name: rule.name for rule in workflow.rules if not rule.has_wildcards()}
    for path in [*outputs, *map(str, workflow.get_rule("all").input)]:
        made |= {Path(path).stem: path, Path(path).name: path, path: path}
    for target in workflow.dag_settings.targets:
        if target in made.values() or os.path.exists(target) or _is_made(workflow, target):
            continue
        relative = os.path.relpath(target)
        if _is_made(workflow, relative):
            raise UserError(f"{target}: give the path from this folder: {relative}")
        close = difflib.get_close_matches(relative, made, n=1)
        hint = (
            f"did you mean {made[close[0]]}?"
            if close
            else "snakemake --list-target-rules lists what can be made"
        )
        raise UserError(f"{target}: there is no rule for this target; {hint}")


def _is_made(workflow: Any, path: str) -> bool:
    return any(rule.is_producer(path) for rule in workflow.rules)


def plan_of(workflow: Any, settings: Settings, device: Device) -> dict[int, tuple[float, float, bool]]:
    """Return the plan of each job by its number: its seconds, its share of the machine, and whether it trains."""
    limits = {name: workflow.global_resources.get(name).value for name in ("_cores", "gpu", "mem_mb")}
    return {
        job.jobid: (
            job_seconds(settings, job.rule.name, job.wildcards_dict, device),
            share(job.resources, limits) if workflow.local_exec else 0.0,
            job.rule.name == "train",
        )
        for job in workflow.dag.needrun_jobs()
    }


def memory_limit(workflow: Any) -> int | None:
    """Return the MB that jobs on this machine may declare together."""
    limit: int | None = workflow.global_resources.get("mem_mb").value
    return limit


def share(needed: Any, limits: Mapping[str, int | None]) -> float:
    """Return the share of this machine that a job uses: of the resource of which it needs most."""
    return min(1, max(needed.get(name, 0) / limit for name, limit in limits.items() if limit))
