"""Estimate before a scale is started how long each training takes, and how much memory its job asks for.

python -m transformer.planning.make_plan --config '{"scale": "paper", "seed": 1, "plan_device": "A100"}' \\
    --output results/plan.md
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from tabulate import tabulate

from transformer.common.arguments import Output, argument_parser, at_least
from transformer.common.errors import UserError, reading, run_script
from transformer.common.files import write_text
from transformer.common.project import resource_file
from transformer.common.yaml_files import read_yaml
from transformer.planning.host_memory import model_of, training_mb
from transformer.planning.plan import Device, duration, training
from transformer.settings.settings import PARSERS, Settings, load_settings

NOTES = (
    "The time of a training is its operations divided by the rate that is assumed for the devices. The sum is for one "
    "training after the other; those that run side by side, also on one GPU (`jobs_per_gpu`), finish sooner. Preparing "
    "data and translating are not counted. Time and memory assume the corpora that the scale's `expected` gives: each "
    "process of a training keeps in memory how the pairs are divided into batches. `docs/performance.md` compares such "
    "plans with measurements."
)


def main() -> None:
    parser = argument_parser(__doc__)
    about = "keys of config.yaml, such as the scale and plan_device"
    parser.add_argument("--config", type=json.loads, required=True, metavar="JSON", help=about)
    parser.add_argument("--gpus", type=at_least(1), default=8, help="of a machine (8, as in the paper)")
    parser.add_argument("--output", type=Output, required=True, help="the Markdown file to write")
    arguments = parser.parse_args()
    settings = replace(load_settings(arguments.config), gpus=arguments.gpus)
    text = plan(settings, *chosen_device(settings))
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
    wrong = (KeyError, TypeError, ValueError)
    with reading(resource_file("devices.yaml"), problem=f"{name} is wrong", raises=wrong):
        count = settings.processes(run, pair)
        return Device(name, float(devices[name]["flops"]), count), devices[name]["source"]


def trainings(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield run and pair of each training of Tables 2 and 3, with all seeds, and with parsing data of Table 4."""
    for run in settings.table2_runs:
        yield from ((name, pair) for pair, name in product(settings.pairs, settings.seeded(run)))
    for run in settings.runs:
        if run not in (*settings.table2_runs, *settings.project_runs):
            yield from ((name, settings.pairs[0]) for name in settings.seeded(run))
    for run, pair in PARSERS.items() if settings.parsing else ():
        yield from ((name, pair) for name in settings.seeded(run))


def plan(settings: Settings, device: Device, source: str) -> str:
    """Return the plan as a Markdown page; ``source`` says where the device's rate is from.

    All of ``device`` trains, one run after the other or side by side.
    """
    rows, all_flops, all_seconds = [], 0.0, 0.0
    for run, pair in trainings(settings):
        corpus, values = settings.expected[pair], settings.run(run, pair)["training"]
        flops, seconds = training(corpus, model_of(settings, run, pair), values, device)
        on_gpu = settings.hardware(run, pair)["device"] == "cuda"
        memory = f"{training_mb(settings, run, pair, on_gpu) / 1000:.1f} GB"
        rows.append([f"{run}, {pair}", f"{flops:.1e}", duration(seconds), memory])
        all_flops, all_seconds = all_flops + flops, all_seconds + seconds
    rows.append(["**all**, one after the other", f"{all_flops:.1e}", duration(all_seconds), ""])
    heads = ["training", "FLOPs", "time", "memory that its job asks for"]
    table = tabulate(rows, heads, tablefmt="pipe", disable_numparse=True)
    return (
        f"# What the scale `{settings.scale}` asks for\n\n"
        f"Training on {device.count} × {device.name}, {device.flops:.1e} FLOPs a second each ({source}).\n\n"
        f"{table}\n\n{NOTES}\n"
    )


if __name__ == "__main__":
    run_script(main)
