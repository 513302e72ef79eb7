"""The plan of single runs and jobs, from the settings."""

from collections.abc import Mapping
from typing import Any

from transformer.planning.host_memory import model_of
from transformer.planning.plan import START, Corpus, Device, Step, plan_corpus, plan_run
from transformer.settings.settings import Settings

DECODING = {"translate", "translate_dev", "translate_further_test", "parse", "parse_unconstrained"}
SMALL_JOB = 1  # seconds of a job that does not load torch


def default_device(settings: Settings) -> str:
    """Return the device of config/devices.yaml to plan for: the user's, the paper's GPU, or a core of this machine."""
    hardware = settings.hardware("base", settings.pairs[0])
    return settings.plan_device or ("P100" if hardware["device"] == "cuda" else "cpu-core")


def make_device(name: str, devices: Mapping[str, Any], settings: Settings) -> Device:
    """Return a device of config/devices.yaml, and how many of them a training uses.  Raises KeyError."""
    hardware, values = settings.hardware("base", settings.pairs[0]), devices[name]
    count = hardware["nodes"] * hardware["processes"]
    return Device(name, float(values["flops"]), float(values["decoding"]), count)


def run_steps(settings: Settings, run: str, pair: str, device: Device) -> tuple[Step, Step]:
    """Return the steps of training and decoding one run."""
    values = settings.run(run, pair)["training"] | settings.decoding(run, pair) | settings.hardware(run, pair)
    return plan_run(
        run, pair, Corpus(**settings.expected[pair]), model_of(settings, run, pair), values, device
    )


def job_seconds(settings: Settings, rule: str, wildcards: Mapping[str, str], device: Device) -> float:
    """Return how long a job of the pipeline is planned to take.

    Trainings, translations, parses, and the steps of a language pair's training text have a plan.  The other jobs take
    little more than their start.
    """
    run, split = wildcards.get("run"), wildcards.get("split", "train")
    pair = wildcards.get("pair") or f"{wildcards.get('source')}-{wildcards.get('target')}"
    if run is not None and pair in settings.expected:
        training, decoding = run_steps(settings, run, pair, device)
        planned = {"train": training.seconds, "resolve_run": SMALL_JOB}
        return decoding.seconds if rule in DECODING else planned.get(rule, START)
    if pair in settings.pairs and split == "train":
        corpus = Corpus(**settings.expected[pair])
        steps = {step.rule: step.seconds for step in plan_corpus(pair, corpus, settings.data_threads)}
        return SMALL_JOB + steps.get(rule, 0)
    return SMALL_JOB
