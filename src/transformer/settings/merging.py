"""The settings of one run at one scale: those of config/runs.yaml, with the scale's divisors and overrides applied."""

import math
from typing import Any

from transformer.common.errors import UserError
from transformer.common.yaml_files import Schema
from transformer.model.common_shape import uncommon_shape
from transformer.model.config import TransformerConfig


def merge_settings(runs: dict[str, Any], scale: dict[str, Any], run: str, pair: str) -> dict[str, Any]:
    """Return all settings of ``run`` on ``pair``.

    The settings of ``base`` at this scale come first.  The run's own settings override them, and what the scale sets
    for this run, which is not divided, overrides both.  A run may be in ``scale`` only.
    """
    base = _shrunk(runs, scale, "base", pair) | scale["settings"] | scale.get("runs", {}).get("base", {})
    if run == "base":
        return base
    return base | _shrunk(runs, scale, run, pair) | scale.get("runs", {}).get(run, {})


def _shrunk(runs: dict[str, Any], scale: dict[str, Any], run: str, pair: str) -> dict[str, Any]:
    """Return what config/runs.yaml sets for ``run``, divided by the scale's divisors."""
    own = dict(runs.get(run, {}))
    own |= own.pop("pairs", {}).get(pair, {})
    shrink = scale["shrink"]
    return {
        key: divide(value, shrink[key]) if key in shrink and value is not None else value
        for key, value in own.items()
    }


def divide(value: int, divisor: float) -> int:
    """Return the quotient, rounded to the nearest whole number (halves up) and at least 1."""
    return max(1, math.floor(value / divisor + 0.5))


def group_settings(settings: dict[str, Any], schema: Schema, where: str) -> dict[str, dict[str, Any]]:
    """Check merged settings and return them by the groups of workflow/schemas/settings.schema.yaml, in its order.

    A setting is left out where it has the ``default`` that the schema declares, the value of models before it.
    Raises UserError, which begins with ``where``, when a setting is missing, out of range, or contradicts another.
    """
    schema.check(settings, where)
    missing = [key for key in schema.content["properties"] if key not in settings]
    if missing:
        raise UserError(f"{where}: missing key '{missing[0]}'; set it under `settings`")
    by_steps, by_minutes = settings["checkpoint_every_steps"], settings["checkpoint_every_minutes"]
    if (by_steps is None) == (by_minutes is None):
        raise UserError(
            f"{where}: checkpoint_every_steps is {by_steps} and checkpoint_every_minutes is {by_minutes}; "
            "set one of them and make the other null"
        )
    averaged, kept = settings["average_checkpoints"], settings["keep_checkpoints"]
    if averaged > kept:
        raise UserError(
            f"{where}: average_checkpoints is {averaged}, but keep_checkpoints is {kept}; raise keep_checkpoints"
        )
    written = math.ceil(settings["steps"] / by_steps) if by_steps else None
    if written is not None and averaged > written:
        raise UserError(
            f"{where}: average_checkpoints is {averaged}, but {settings['steps']} steps with checkpoint_every_steps "
            f"{by_steps} write {written}; lower checkpoint_every_steps"
        )
    if settings["choose_on_dev"] and (by_steps is None or by_steps % settings["validate_every_steps"]):
        raise UserError(
            f"{where}: choose_on_dev needs F1 at every checkpoint, but checkpoint_every_steps is {by_steps}; make it a "
            f"multiple of validate_every_steps, {settings['validate_every_steps']}"
        )
    longest, batch = settings["max_length"], settings["batch_tokens"]
    if longest > batch:
        raise UserError(
            f"{where}: max_length is {longest}, but batch_tokens is {batch}; make it at least as large"
        )
    members = schema.content["$defs"].items()
    groups = {
        name: {
            key: settings[key]
            for key, declared in group["properties"].items()
            if "default" not in declared or settings[key] != declared["default"]
        }
        for name, group in members
    }
    model = _check_model(groups["model"], where)
    if settings["decoder"] == "ctranslate2" and (reason := uncommon_shape(model, "CTranslate2")):
        raise UserError(f"{where}: decoder is ctranslate2, but {reason}; set it to torch for this run")
    return groups


def _check_model(model: dict[str, Any], where: str) -> TransformerConfig:
    """Return the model's dimensions.  Raises UserError when no model can have these sizes together."""
    sizes = {key: value for key, value in model.items() if key != "max_positions"}
    try:
        return TransformerConfig(vocab_size=1, max_length=model["max_positions"], **sizes)
    except ValueError as error:
        raise UserError(f"{where}: {error}") from None
