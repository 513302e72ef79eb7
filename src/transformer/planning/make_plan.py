"""Estimate before a scale is started how long each training takes, and how much memory its job asks for.

python -m transformer.planning.make_plan --config '{"scale": "paper", "seed": 1, "plan_device": "A100"}' \\
    --output results/plan.md
"""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import chain, product

from tabulate import tabulate

from transformer.common.arguments import Output, argument_parser, at_least
from transformer.common.errors import UserError, reading, run_script
from transformer.common.files import write_text
from transformer.common.project import resource_file
from transformer.common.yaml_files import read_yaml
from transformer.planning.host_memory import model_of, training_mb
from transformer.planning.plan import training_seconds
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
    text = plan(replace(load_settings(arguments.config), gpus=arguments.gpus))
    write_text(arguments.output, text)
    print(text, end="")


def plan(settings: Settings) -> str:
    """Return the plan as a Markdown page.  All devices train, one run after the other or side by side."""
    name, rate, source = chosen_device(settings)
    count = settings.processes(settings.table2_runs[0], settings.pairs[0])
    rows, total = [], 0.0
    for run, pair in trainings(settings):
        model, values = model_of(settings, run, pair), settings.run(run, pair)["training"]
        seconds = training_seconds(settings.expected[pair], model, values, rate * count)
        on_gpu = settings.hardware(run, pair)["device"] == "cuda"
        memory = f"{training_mb(settings, run, pair, on_gpu) / 1000:.1f} GB"
        rows.append([f"{run}, {pair}", timedelta(minutes=math.ceil(seconds / 60)), memory])
        total += seconds
    rows.append(["**all**, one after the other", timedelta(minutes=math.ceil(total / 60)), ""])
    heads = ["training", "time (h:mm:ss)", "memory that its job asks for"]
    table = tabulate(rows, heads, tablefmt="pipe", disable_numparse=True)
    return (
        f"# What the scale `{settings.scale}` asks for\n\n"
        f"Training on {count} × {name}, {rate:.1e} FLOPs a second each ({source}).\n\n{table}\n\n{NOTES}\n"
    )


def chosen_device(settings: Settings) -> tuple[str, float, str]:
    """Return the device to plan for, the operations that it does in a second, and where this rate is from.

    It is the one that the user names, or for a scale that trains on CPUs a core of one.  Raises UserError when a scale
    trains on GPUs and none is named, and when resources/devices.yaml, to which users add their own, does not have the
    device, or not all of it.
    """
    hardware = settings.hardware(settings.table2_runs[0], settings.pairs[0])
    devices = read_yaml(resource_file("devices.yaml"))
    name = settings.plan_device or ("" if hardware["device"] == "cuda" else "cpu-core")
    if name not in devices:
        problem = (
            f"plan_device: unknown device '{name}'"
            if name
            else f"config/{settings.scale}.yaml trains on GPUs"
        )
        raise UserError(f"{problem}: give --config plan_device=NAME, one of {', '.join(devices)}")
    wrong = (KeyError, TypeError, ValueError)
    with reading(resource_file("devices.yaml"), problem=f"{name} is wrong", raises=wrong):
        return name, float(devices[name]["flops"]), devices[name]["source"]


def trainings(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield run and pair of each training of Tables 2 and 3, with all seeds, and with parsing data of Table 4."""
    only_in_table_3 = [run for run in settings.table3_runs if run not in settings.table2_runs]
    of_tables = (product(settings.table2_runs, settings.pairs), product(only_in_table_3, settings.pairs[:1]))
    for run, pair in chain(*of_tables, PARSERS.items() if settings.parsing else ()):
        yield from ((name, pair) for name in settings.seeded(run))


if __name__ == "__main__":
    run_script(main)
