"""The settings of one run at one scale: the declared defaults, as the files of config/ change them."""

import math
from collections.abc import Mapping
from dataclasses import MISSING
from typing import Any

from transformer.common.declared import recorded, settings_of
from transformer.common.errors import UserError
from transformer.model.config import GROUPS

# All settings by their keys in config/.
SETTINGS = {key: field for group in GROUPS.values() for key, field in settings_of(group).items()}
DIVISIBLE = [key for key, field in SETTINGS.items() if field.metadata["divisible"]]
DEFAULTS = {key: field.default for key, field in SETTINGS.items() if field.default is not MISSING}
# What a class needs besides settings; neither can make a value wrong.
BESIDES = {"model": {"vocab_size": 1}, "training": {"seed": 0}}

# Settings that count only with one value of another.
READ_WITH = {
    "kernel_size": ("encoder_layer", "convolutional"),
    "window_size": ("encoder_layer", "restricted"),
    "max_positions": ("positions", "learned"),
}

# Where settings are: the file (`default`, `runs` or `scale`), and the keys of the mapping in it.
Origin = tuple[str, ...]


def layers(
    runs: Mapping[str, Any], scale: Mapping[str, Any], run: str, pair: str
) -> list[tuple[Origin, dict[str, Any]]]:
    """Return the mappings that give ``run`` its settings on ``pair``, with their origins; each overrides those before.

    What config/runs.yaml says is divided by the scale's divisors, and what the scale says is not.  A run may be in the
    scale only.  The settings of ``base`` at this scale come first.
    """
    shrink, of_scale = scale["shrink"], scale.get("runs", {})
    layered: list[tuple[Origin, dict[str, Any]]] = [(("default",), _shrunk(DEFAULTS, shrink))]
    for name in dict.fromkeys(("base", run)):
        plain = {key: value for key, value in runs.get(name, {}).items() if key != "pairs"}
        of_pair = runs.get(name, {}).get("pairs", {}).get(pair, {})
        layered += [
            (("runs", name), _shrunk(plain, shrink)),
            (("runs", name, "pairs", pair), _shrunk(of_pair, shrink)),
            *([(("scale", "settings"), scale["settings"])] if name == "base" else []),
            (("scale", "runs", name), of_scale.get(name, {})),
        ]
    return layered


def merge(layered: list[tuple[Origin, dict[str, Any]]]) -> dict[str, Any]:
    """Return the settings of a run from its :func:`layers`."""
    return {key: value for _, values in layered for key, value in values.items()}


def check_read(layered: list[tuple[Origin, dict[str, Any]]], run: str, where: str) -> None:
    """Raise UserError when a run has a setting of its own that counts for nothing; what base has is for all runs."""
    settings = merge(layered)
    for key, (other, value) in READ_WITH.items():
        is_own = run != "base" and any(run in origin and key in values for origin, values in layered)
        if is_own and settings[other] != value:
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
    groups = {}
    for name, group in GROUPS.items():
        declared = settings_of(group)
        values = {field.name: settings[key] for key, field in declared.items()}
        try:
            written = recorded(group(**values, **BESIDES.get(name, {})))
        except ValueError as error:
            raise UserError(f"{where}: {error}") from None
        groups[name] = {key: value for key, value in written.items() if key in values}
    _check_checkpoints(settings, where)
    _check_numerics(settings, where)
    _check_positions(settings, where)
    return groups


def _check_positions(settings: Mapping[str, Any], where: str) -> None:
    rows, longest = settings["max_positions"], settings["max_length"]
    if settings["positions"] == "learned" and rows < longest:
        raise UserError(
            f"{where}: positions are learned and max_positions is {rows}, but max_length is {longest}: all positions "
            "past the table would be its last row; make them equal"
        )


def _check_numerics(settings: Mapping[str, Any], where: str) -> None:
    if settings["numerics"] == "portable" and settings["device"] == "cuda":
        raise UserError(
            f"{where}: numerics is portable, which needs the CPU, but device is cuda; change one of them (fast "
            "numerics differ in rounding)"
        )


def _check_checkpoints(settings: Mapping[str, Any], where: str) -> None:
    every = settings["checkpoint_every_steps"]
    averaged, kept = settings["average_checkpoints"], settings["keep_checkpoints"]
    if averaged > kept:
        raise UserError(
            f"{where}: average_checkpoints is {averaged}, but keep_checkpoints is {kept}; raise keep_checkpoints"
        )
    if averaged > (written := math.ceil(settings["steps"] / every)):
        raise UserError(
            f"{where}: average_checkpoints is {averaged}, but {settings['steps']} steps with checkpoint_every_steps "
            f"{every} write {written}; lower checkpoint_every_steps"
        )
