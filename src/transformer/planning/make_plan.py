"""Estimate what a scale needs before it is started: the operations, time, disk and memory of each step.

python src/transformer/planning/make_plan.py --config '{"scale": "paper", "seed": 1, "plan_device": "A100"}' \\
    --output results/plan.md
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from transformer.common.arguments import Output, argument_parser, at_least
from transformer.common.errors import UserError, reading, run_script
from transformer.common.files import write_text
from transformer.common.project import resource_file
from transformer.common.yaml_files import read_yaml
from transformer.planning.host_memory import model_of
from transformer.planning.plan import (
    PARSED_BY_PCFG,
    Corpus,
    Device,
    Step,
    combine,
    plan_corpus,
    plan_markdown,
    plan_run,
)
from transformer.settings.settings import PARSERS, Settings, load_settings

NOTES = (
    "The time of a step is its operations divided by the rate that is assumed for the devices. The sum is for one "
    "step after the other; steps that run side by side finish sooner. Disk includes text, tokenized datasets and "
    "checkpoints, but no downloads. Jobs that share a GPU (`jobs_per_gpu`) are planned one after the other. "
    "`docs/performance.md` compares such plans with measurements."
)


def main() -> None:
    parser = argument_parser(__doc__)
    about = "keys of config.yaml, such as the scale and plan_device"
    parser.add_argument("--config", type=json.loads, required=True, metavar="JSON", help=about)
    parser.add_argument("--gpus", type=at_least(1), default=8, help="of a machine (8, as in the paper)")
    parser.add_argument("--output", type=Output, required=True, help="the Markdown file to write")
    arguments = parser.parse_args()
    settings = replace(load_settings(arguments.config), gpus=arguments.gpus)
    device, source = chosen_device(settings)
    text = plan_markdown(f"the scale `{settings.scale}`", device, source, plan(settings, device), NOTES)
    write_text(arguments.output, text)
    print(text, end="")


def chosen_device(settings: Settings) -> tuple[Device, str]:
    """Return the device to plan for, and where its rate is from.

    It is the one that the user names, or for a scale that trains on CPUs a core of one.  Raises UserError when a scale
    trains on GPUs and none is named, and when resources/devices.yaml, to which users add their own, does not have the
    device, or not all of it.
    """
    run, pair = settings.table2_runs[0], settings.pairs[0]
    hardware = settings.hardware(run, pair)
    devices = read_yaml(resource_file("devices.yaml"))
    name = settings.plan_device or ("" if hardware["device"] == "cuda" else "cpu-core")
    if not name:
        raise UserError(
            f"config/{settings.scale}.yaml trains on GPUs: give --config plan_device=NAME, one of {', '.join(devices)}"
        )
    if name not in devices:
        raise UserError(
            f"plan_device: unknown device '{name}'; resources/devices.yaml has {', '.join(devices)}"
        )
    values, count = devices[name], settings.processes(run, pair)
    wrong = (KeyError, TypeError, ValueError)
    with reading(resource_file("devices.yaml"), problem=f"{name} is wrong", raises=wrong):
        device, source = (
            Device(name, float(values["flops"]), float(values["decoding"]), count),
            values["source"],
        )
    return device, source


def plan(settings: Settings, device: Device) -> list[Step]:
    """Return the steps of Table 2, all other runs of Table 3 as one step, and the steps of Table 4, with all seeds.

    Without parsing data there are none of Table 4.  All of ``device`` trains, one run after the other or side by side.
    """
    steps = []
    for pair in settings.pairs:
        steps += plan_corpus(pair, Corpus(**settings.expected[pair]), settings.data_threads)
    for run in settings.table2_runs:
        for pair, name in product(settings.pairs, settings.seeded(run)):
            steps += run_steps(settings, name, pair, device)
    runs = [run for run in settings.runs if run not in (*settings.table2_runs, *settings.project_runs)]
    seeded = [name for run in runs for name in settings.seeded(run)]
    trainings = [run_steps(settings, name, settings.pairs[0], device)[0] for name in seeded]
    table3 = combine("train", f"Table 3, the other {len(runs)} rows", trainings)
    return [*steps, table3, *(parser_steps(settings, settings.parsing, device) if settings.parsing else [])]


def parser_steps(settings: Settings, parsing: Mapping[str, Any], device: Device) -> list[Step]:
    """Return the steps of both parsers, each of which decodes twice, and of the silver trees between them.

    Nothing makes silver trees that the user gives.
    """
    first, second = (
        [run_steps(settings, name, pair, device) for name in settings.seeded(run)]
        for run, pair in PARSERS.items()
    )
    if settings.silver_trees is not None:
        return [*twice_decoded(first), *twice_decoded(second)]
    silver, pair, threads = parsing["silver"], PARSERS["parser"], settings.data_threads
    share = silver["sentences"] * silver["beam_size"] / settings.expected[pair]["test_sentences"]
    share /= settings.decoding("parser", pair)["beam_size"]
    pcfg_seconds = silver["sentences"] / PARSED_BY_PCFG / threads
    return [
        *twice_decoded(first),
        times(first[0][1], share, "parse_silver", "raw text"),
        Step("parse_pcfg", "raw text", 0, pcfg_seconds, 0, 1e8 * threads),
        *twice_decoded(second),
    ]


def twice_decoded(parsers: list[tuple[Step, Step]]) -> list[Step]:
    """Return the steps of parsers whose search is constrained by the words of the input, and then is not."""
    return [
        step
        for train, parse in parsers
        for step in (train, times(parse, 2, "parse", f"{parse.what}, constrained and not"))
    ]


def times(step: Step, factor: float, rule: str, what: str) -> Step:
    """Return a step that does ``factor`` times as much as another."""
    return replace(step, rule=rule, what=what, flops=factor * step.flops, seconds=factor * step.seconds)


def run_steps(settings: Settings, run: str, pair: str, device: Device) -> tuple[Step, Step]:
    """Return the steps of training and decoding one run."""
    values = settings.run(run, pair)["training"] | settings.decoding(run, pair) | settings.hardware(run, pair)
    return plan_run(
        run, pair, Corpus(**settings.expected[pair]), model_of(settings, run, pair), values, device
    )


if __name__ == "__main__":
    run_script(main)
