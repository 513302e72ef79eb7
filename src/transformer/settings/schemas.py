"""The schemas of the files in config/, with the settings that ``transformer.model.config`` declares."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from transformer.common.declared import schema_for_editors, schema_of
from transformer.common.yaml_files import read_yaml
from transformer.settings.merging import DIVISIBLE, SETTINGS

NAMES = ("config", "runs", "scale")


@cache
def schema(name: str, of_setting: Callable[[Any], dict[str, Any]] = schema_of) -> dict[str, Any]:
    """Return the schema of config.yaml, of runs.yaml, or of a scale with all that it inherits."""
    content: dict[str, Any] = read_yaml(Path(__file__).with_name(f"{name}.schema.yaml"))
    if name == "config":
        return content
    settings = {key: of_setting(field) for key, field in SETTINGS.items()}
    content["$defs"]["settings"]["properties"] = settings
    if name == "runs":  # a run has `pairs` besides settings
        run = content["additionalProperties"]
        run["properties"] = settings | run["properties"]
    else:
        shrink = content["properties"]["shrink"]
        shrink["properties"] = dict.fromkeys(DIVISIBLE, shrink.pop("additionalProperties"))
        shrink["additionalProperties"] = False
    return content


def schema_for_editor(name: str) -> dict[str, Any]:
    """Return the schema by which an editor helps to write a file, which another one may complete."""
    content: dict[str, Any] = _without_required(schema(name, schema_for_editors))
    return content


def _without_required(content: Any) -> Any:
    if isinstance(content, list):
        return [_without_required(item) for item in content]
    if not isinstance(content, dict):
        return content
    is_choice = content.keys() == {"required"}
    return {key: _without_required(value) for key, value in content.items() if key != "required" or is_choice}
