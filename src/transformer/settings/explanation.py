"""Where each setting of a run comes from."""

from pathlib import Path
from typing import Any

from transformer.common.run_names import name_and_seed
from transformer.settings.merging import SETTINGS, Origin, layers
from transformer.settings.runs_file import RUNS, read_runs
from transformer.settings.scale_file import Scale, read_scale


def explain(scale_name: str, run: str, pair: str, root: Path | str = ".") -> str:
    """Return a line for each setting of ``run`` on ``pair``: its value with file and key, and what these replace.

    Raises UserError when a file that it reads is wrong.
    """
    scale = read_scale(scale_name, root, "scale")
    runs = read_runs(root, scale.content["translation"])
    layered = layers(runs, scale.content, name_and_seed(run, 0)[0], pair)
    shrink = scale.content["shrink"]
    lines = []
    for key in SETTINGS:
        givers = [(origin, values[key]) for origin, values in layered if key in values]
        if len(givers) > 1 and givers[1][0] == ("runs", "base"):  # which repeats the default
            del givers[0]
        texts = []
        for origin, value in reversed(givers):
            divided = origin[0] != "scale" and key in shrink and value is not None
            by = f", divided by {shrink[key]:g}" if divided else ""
            texts.append(f"{value} ({_where(origin, key, scale)}{by})")
        lines.append(f"{key}: {', not '.join(texts)}")
    return "\n".join(lines) + "\n"


def _where(origin: Origin, key: str, scale: Scale) -> str:
    """Return the file and the key, in it, of a setting."""
    kind, *path = origin
    if kind == "default":
        return "the default"
    path.append(key)
    file = RUNS if kind == "runs" else next(file for file in scale.files if _has(scale.files[file], path))
    return f"{file}: {'.'.join(path)}"


def _has(content: Any, path: list[str]) -> bool:
    for key in path:
        if not isinstance(content, dict) or key not in content:
            return False
        content = content[key]
    return True
