"""The report of a campaign, results.md, and the archive results.tar.gz of everything that is worth taking home."""

import tarfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import decoding_times
import device_tests
import small_trainings
import training_speeds
from campaign_record import Record

from transformer.common.files import atomic_path, write_text

GOALS = {"base": 600_000, "big": 200_000}  # tokens a second
UTILISATION = 0.35
DECODING_SECONDS = 20
LINEAR = 0.92
HEAVY = (".safetensors", ".lock")  # endings of files that stay

Results = Mapping[str, Mapping[str, Any]]


def write(output: Path, record: Record) -> None:
    """Write ``results.md`` and ``results.tar.gz``."""
    machine = record.content["machine"]
    memory = f", {machine['memory'] / 1e9:.0f} GB" if machine.get("memory") else ""
    minutes = sum(stage["seconds"] for stage in record.content["stages"].values()) / 60
    kind = (
        "A rehearsal with tiny models: its figures mean nothing.\n\n" if record.content["rehearsal"] else ""
    )
    parts = [
        f"# Measured on {machine['device']}\n\n{kind}{machine['cores']} cores{memory}; torch {machine['torch']}, CUDA "
        f"{machine['cuda']}, {machine['system']}. {minutes:.0f} minutes in {record.content['calls']} call(s) of "
        "`benchmarks/gpu/campaign.py`.\n",
        tests_section(record.stage(device_tests.STAGE)["items"]),
        speed_section(record.results(training_speeds.STAGE)),
        decoding_section(record.results(decoding_times.STAGE)),
        trainings_section(record.stage(small_trainings.STAGE)["items"]),
        errors_section(record.content["stages"]),
    ]
    write_text(output / "results.md", "\n".join(parts))
    with (
        atomic_path(output / "results.tar.gz") as temporary,
        tarfile.open(temporary, "w:gz") as archive,
    ):
        for name in ("campaign.json", "results.md", "logs", "runs"):
            if (output / name).exists():
                archive.add(output / name, name, filter=light)


def light(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Leave out weights and checkpoints."""
    return None if member.name.endswith(HEAVY) or "/checkpoints" in member.name else member


def tests_section(items: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the table of the device's tests."""
    rows = []
    for name, item in items.items():
        result = dict(item.get("result", {}))
        passed = result.pop("passed", None)
        result.pop("seconds", None)
        outcome = {True: "passed", False: "**failed**", None: "**error**" if "error" in item else "not done"}[
            passed
        ]
        rows.append([name, outcome, ", ".join(f"{key} {number(value)}" for key, value in result.items())])
    intro = "Differences are relative; those of fp32 may be at most 1e-4, of gradients 1e-3, of Adam's updates 1e-2."
    return f"## Tests of the device\n\n{intro}\n\n{table(['test', 'outcome', 'figures'], rows)}"


def speed_section(results: Results) -> str:
    """Return the tables of training speed, with the goals."""
    peak = results.get("peak")
    parts = [
        "## Training speed\n\n25,000 + 25,000 tokens a step of generated sentences with WMT-like lengths; tokens of "
        "source and target without padding. Each row differs from *usual*, which is train.py's, in one thing.\n"
    ]
    if peak:
        nominal = f", nominal {peak['nominal_flops'] / 1e12:.0f}" if peak["nominal_flops"] else ""
        parts.append(f"Peak of a large bf16 product: {peak['flops'] / 1e12:.4g} TFLOP/s{nominal}.\n")
    for model, goal in GOALS.items():
        own = {
            name.split(": ", 1)[1]: result
            for name, result in results.items()
            if name.startswith(f"{model}: ")
        }
        if own:
            parts.append(speed_table(model, goal, own, peak))
    return "\n".join(parts)


def speed_table(model: str, goal: int, own: Results, peak: Mapping[str, Any] | None) -> str:
    """Return what was measured of one model."""
    rates = {name: result for name, result in own.items() if "tokens_per_second" in result}
    first = next(iter(rates.values()), {"tokens_per_second": 1})["tokens_per_second"]
    rows = [
        [
            name, f"{rate['tokens_per_second']:,}", f"{rate['tokens_per_second'] / first:.2f}", rate["ms_a_step"],
            f"{rate['peak_memory'] / 1e9:.1f}" if rate["peak_memory"] else "",
            *(share(rate[flops], peak, kind) for flops in ("flops_of_tokens", "flops_of_positions") for kind in PEAKS),
        ]
        for name, rate in rates.items()
    ]  # fmt: skip
    heads = [
        "way", "tokens/s", "ratio", "ms a step", "GB", "utilisation: tokens, measured peak", "tokens, nominal",
        "with padding, measured peak", "with padding, nominal",
    ]  # fmt: skip
    text = f"### {model}\n\nGoal: at least {goal:,} tokens/s and {UTILISATION:.0%} utilisation.\n\n{table(heads, rows)}"
    for name in ("profile", "checkpoints"):
        if name in own:
            figures = {key: value for key, value in own[name].items() if key != "seconds"}
            text += f"\n{name.capitalize()}: " + ", ".join(
                f"{k.replace('_', ' ')} {number(v)}" for k, v in figures.items()
            )
            text += ".\n"
    return text + eight_gpus(rates)


PEAKS = ("flops", "nominal_flops")


def share(flops: float, peak: Mapping[str, Any] | None, kind: str) -> str:
    return f"{flops / peak[kind]:.1%}" if peak and peak[kind] else ""


def eight_gpus(rates: Results) -> str:
    """Return the estimate for eight GPUs: measured steps of one, and counted communication."""
    whole, eighth = rates.get("usual"), rates.get("an eighth of the batch")
    if whole is None or eighth is None:
        return ""
    found = training_speeds.communication(whole, eighth)
    reached = "reached" if found["counted_without_overlap"] >= LINEAR else "missed without overlap"
    return (
        f"\nEight GPUs, an eighth of the batch each: gradients send {found['bytes'] / 1e9:.2f} GB over each link, "
        f"{found['milliseconds']:.1f} ms at an assumed {training_speeds.BUS / 1e9:.0f} GB/s, for a step of "
        f"{eighth['ms_a_step']} ms. By the communication that is counted, that is "
        f"{found['counted_without_overlap']:.0%} of linear without overlap and {found['counted_with_overlap']:.0%} "
        f"with all of it overlapped (goal {LINEAR:.0%}: {reached}). Against an eighth of the whole batch's time, "
        f"which small batches do not reach, it is {found['from_whole_without_overlap']:.0%} and "
        f"{found['from_whole_with_overlap']:.0%}. The communication is an estimate; one GPU was measured.\n"
    )


def decoding_section(results: Results) -> str:
    """Return the table of decoding."""
    rows = [
        [
            name, result["sentences"], result.get("script_seconds", result.get("search_seconds")),
            f"{result['output_tokens_per_second']:,}" if "output_tokens_per_second" in result else "",
            f"{result['peak_memory'] / 1e9:.1f}" if result.get("peak_memory") else "",
        ]
        for name, result in results.items()
    ]  # fmt: skip
    heads = ["what", "sentences", "seconds", "output tokens/s", "GB"]
    goal = f"Goal: less than {DECODING_SECONDS} seconds for `translate.py` with its start and the load of the model."
    return f"## Decoding\n\nBase with random weights, beam 4. {goal}\n\n{table(heads, rows)}"


def trainings_section(items: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the table of the small scale's trainings."""
    keys = (
        "steps",
        "test_bleu",
        "test_perplexity",
        "dev_bleu",
        "dev_perplexity",
        "wall_seconds",
        "tokens_per_second",
    )
    rows = [
        [name, *(item["result"].get(key, "") for key in keys)]
        if "result" in item
        else [name, "failed" if "error" in item else "not finished", *[""] * (len(keys) - 1)]
        for name, item in items.items()
    ]
    intro = (
        "BLEU of the test set is that of the averaged model (Table 2), of the development set that of the last "
        "checkpoint (Table 3), both by the headline measure. Trainings ran side by side, so their times are not "
        "those of one alone."
    )
    heads = ["run", *(key.replace("_", " ") for key in keys)]
    return f"## Trainings of the small scale\n\n{intro}\n\n{table(heads, rows)}"


def errors_section(stages: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the errors and what has not been measured."""
    rows = [
        [stage, name, item.get("error", f"begun {item['attempts']} time(s), not finished")]
        for stage, content in stages.items()
        for name, item in content["items"].items()
        if "result" not in item
    ]
    return f"## Not measured\n\n{table(['stage', 'item', 'why'], rows)}" if rows else ""


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(str(cell).replace("|", "/") for cell in line) + " |\n" for line in lines)


def number(value: Any) -> str:
    """Return a figure for people."""
    if isinstance(value, dict):
        return "; ".join(f"{key} {number(part)}" for key, part in value.items())
    return f"{value:.3g}" if isinstance(value, float) else str(value)
