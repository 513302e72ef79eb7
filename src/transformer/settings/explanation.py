"""Where each setting of a run comes from."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformer.common.project import config_file
from transformer.common.yaml_files import read_yaml
from transformer.settings.merging import SETTINGS, Place, layers
from transformer.settings.paper_runs import name_and_seed
from transformer.settings.scale_file import changes_file
from transformer.settings.settings import RUNS, read_runs, read_whole_scale


def explain(values: Mapping[str, Any], run: str, pair: str, root: Path | str = ".") -> str:
    """Return a line for each setting of ``run`` on ``pair``: its value with file and key, and what these replace.

    ``values`` are those of config/config.yaml.  Raises UserError when a file that it reads is wrong.
    """
    scale, files, _ = read_whole_scale(values, root)
    # The file that is read last comes first.
    contents = {f"config/{name}": read_yaml(config_file(name, root)) for name in files}
    if changes := changes_file(root):
        contents = {changes.name: read_yaml(changes) or {}} | contents
    found = layers(read_runs(root), scale, name_and_seed(run, 0)[0], pair)
    lines = []
    for key in SETTINGS:
        givers = [(place, given[key]) for place, given in found if key in given]
        if len(givers) > 1 and givers[1][0] == ("runs", "base"):  # which repeats the default
            del givers[0]
        texts = []
        for place, value in reversed(givers):
            divided = place[0] != "scale" and key in scale["shrink"] and value is not None
            by = f", divided by {scale['shrink'][key]:g}" if divided else ""
            texts.append(f"{value} ({_where(place, key, contents)}{by})")
        lines.append(f"{key}: {', not '.join(texts)}")
    return "\n".join(lines) + "\n"


def _where(place: Place, key: str, contents: Mapping[str, Any]) -> str:
    """Return the file and the key, in it, of a setting; ``contents`` are those of the scale's files."""
    kind, *keys = place
    if kind == "default":
        return "the default"
    name = ".".join([*keys, key])
    if kind == "runs":
        return f"{RUNS}: {name}"
    file = next(file for file, content in contents.items() if _has(content, [*keys, key]))
    return f"{file}: {name}"


def _has(content: Any, keys: list[str]) -> bool:
    for key in keys:
        if not isinstance(content, dict) or key not in content:
            return False
        content = content[key]
    return True
