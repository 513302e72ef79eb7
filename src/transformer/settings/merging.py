"""The settings of one run at one scale: the declared defaults, as the files of config/ change them."""

import copy
import math
from collections.abc import Mapping
from typing import Any

from pydantic import create_model

from transformer.common.checked import Checked, checked
from transformer.common.errors import UserError
from transformer.settings.config_files import ScaleFile
from transformer.settings.run_settings import GROUPS, about

# The names of all settings in config/ → their group, the names of their fields, and these.
SETTINGS = {
    about(field)["key"] or name: (group, name, field)
    for group, kind in GROUPS.items()
    for name, field in kind.settings().items()
}
DIVISIBLE = [key for key, (_, _, field) in SETTINGS.items() if about(field)["divisible"]]
DEFAULTS = {key: field.default for key, (_, _, field) in SETTINGS.items() if not field.is_required()}
# What a class needs besides settings; neither can make a value wrong.
BESIDES = {"model": {"vocab_size": 1}, "training": {"seed": 0}}

# Settings that count only with one value of another.
READ_WITH = {
    "kernel_size": ("encoder_layer", "convolutional"),
    "window_size": ("encoder_layer", "restricted"),
    "max_positions": ("positions", "learned"),
}


def some_settings() -> type[Checked]:
    """Return the class of a mapping that has some of the settings."""
    fields: dict[str, Any] = {}
    for key, (_, _, field) in SETTINGS.items():
        own = copy.copy(field)
        own.default = None
        fields[key] = (field.annotation, own)
    return create_model("SomeSettings", __base__=Checked, **fields)


SomeSettings = some_settings()


def merge(
    runs: Mapping[str, Any], scale: ScaleFile, run: str, pair: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of ``run`` on ``pair``, and those of them that are the run's own.

    What config/runs.yaml says is divided by the scale's divisors, and what the scale says is not.  A run may be in the
    scale only.  The settings of ``base`` at this scale come first.
    """

    def own_of(name: str) -> dict[str, Any]:
        plain = dict(runs.get(name, {}))
        of_pair = plain.pop("pairs", {}).get(pair, {})
        return _shrunk(plain | of_pair, scale.shrink)

    of_scale = scale.runs or {}
    base = _shrunk(DEFAULTS, scale.shrink) | own_of("base") | scale.settings | dict(of_scale.get("base", {}))
    own = {} if run == "base" else own_of(run) | of_scale.get(run, {})
    return base | own, own


def check_read(settings: Mapping[str, Any], own: Mapping[str, Any], where: str) -> None:
    """Raise UserError when a setting of a run's ``own`` counts for nothing; what base has is for all runs."""
    for key, (other, value) in READ_WITH.items():
        if key in own and settings[other] != value:
            raise UserError(
                f"{where}: {key} is set, but only {other}: {value} reads it, and {other} is {settings[other]}; set "
                f"that, too, or remove {key}"
            )


def _shrunk(settings: Mapping[str, Any], shrink: Mapping[str, float]) -> dict[str, Any]:
    return {
        key: divide(value, shrink[key]) if key in shrink and value is not None else value
        for key, value in settings.items()
    }


def divide(value: int, divisor: float) -> int:
    """Return the quotient, rounded to the nearest whole number (halves up) and at least 1."""
    return max(1, math.floor(value / divisor + 0.5))


def group_settings(settings: Mapping[str, Any], where: str) -> dict[str, dict[str, Any]]:
    """Check merged settings and return them by their groups, as config.json has them, by the names of the fields.

    Raises UserError, which begins with ``where``, when a setting is missing, out of range, or contradicts another.
    """
    if missing := [key for key in SETTINGS if key not in settings]:
        raise UserError(f"{where}: missing key '{missing[0]}'; set it under `settings`")
    given: dict[str, dict[str, Any]] = {group: {} for group in GROUPS}
    for key, (group, name, _) in SETTINGS.items():
        given[group][name] = settings[key]
    groups = {}
    for group, values in given.items():
        written = checked(GROUPS[group], values | BESIDES.get(group, {}), where).to_dict()
        groups[group] = {name: value for name, value in written.items() if name in values}
    for fault in _contradictions(settings):
        raise UserError(f"{where}: {fault}")
    return groups


def _contradictions(settings: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with settings of several groups together."""
    averaged, kept = settings["average_checkpoints"], settings["keep_checkpoints"]
    steps, every = settings["steps"], settings["checkpoint_every_steps"]
    written = math.ceil(steps / every)
    rows, longest = settings["max_positions"], settings["max_length"]
    faults = [
        (
            averaged > kept,
            f"average_checkpoints is {averaged}, but keep_checkpoints is {kept}; raise keep_checkpoints",
        ),
        (
            averaged > written,
            f"average_checkpoints is {averaged}, but {steps} steps with checkpoint_every_steps {every} write {written}"
            "; lower checkpoint_every_steps",
        ),
        (
            settings["numerics"] == "portable" and settings["device"] == "cuda",
            "numerics is portable, which needs the CPU, but device is cuda; change one of them (fast numerics differ "
            "in rounding)",
        ),
        (
            settings["positions"] == "learned" and rows < longest,
            f"positions are learned and max_positions is {rows}, but max_length is {longest}: all positions past the "
            "table would be its last row; make them equal",
        ),
    ]
    return [fault for is_there, fault in faults if is_there]
