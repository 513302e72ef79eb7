"""The project's configuration for tests: as it is, or as a copy that a test may edit."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from transformer.common.errors import UserError
from transformer.settings.settings import Settings, load_settings

ROOT = Path(__file__).parents[2]
VALUES: dict[str, Any] = {"scale": "demo", "seed": 1}


def load(root: Path = ROOT, /, **changes: Any) -> Settings:
    """Load the configuration in ``root`` as the command line ``--config KEY=VALUE …`` would."""
    return load_settings(VALUES | changes, root)


def message(root: Path = ROOT, /, **changes: Any) -> str:
    """Return the one line with which loading fails."""
    with pytest.raises(UserError) as caught:
        load(root, **changes)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def copy_configuration(folder: Path) -> Path:
    """Copy config/ to ``folder`` and return it."""
    shutil.copytree(ROOT / "config", folder / "config")
    return folder


def edit(project: Path, name: str, *keys: str, value: Any) -> None:
    """Set the value at ``keys`` in a file of config/."""
    file = project / "config" / name
    content = yaml.safe_load(file.read_text())
    place = content
    for key in keys[:-1]:
        place = place.setdefault(key, {})
    place[keys[-1]] = value
    file.write_text(yaml.safe_dump(content, sort_keys=False))
