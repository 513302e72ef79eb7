"""The schemas of the files in config/, with the settings that ``transformer.model.config`` declares."""

from functools import cache
from pathlib import Path
from typing import Any

from transformer.common.declared import schema_of
from transformer.common.yaml_files import read_yaml
from transformer.settings.merging import DIVISIBLE, SETTINGS


@cache
def schema(name: str) -> dict[str, Any]:
    """Return the schema of config.yaml, of runs.yaml, or of a scale with all that it inherits."""
    content: dict[str, Any] = read_yaml(Path(__file__).with_name(f"{name}.schema.yaml"))
    if name == "config":
        return content
    settings = {key: schema_of(field) for key, field in SETTINGS.items()}
    content["$defs"]["settings"]["properties"] = settings
    if name == "runs":  # a run has `pairs` besides settings
        run = content["additionalProperties"]
        run["properties"] = settings | run["properties"]
    else:
        shrink = content["properties"]["shrink"]
        shrink["properties"] = dict.fromkeys(DIVISIBLE, shrink.pop("additionalProperties"))
        shrink["additionalProperties"] = False
    return content
