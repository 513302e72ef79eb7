"""How fast devices are, by resources/devices.yaml."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformer.common.yaml_files import read_checked

Devices = Mapping[str, Mapping[str, Any]]
SCHEMA = Path(__file__).with_name("devices.schema.yaml")


def read_devices(path: Path) -> Devices:
    """Return the devices by their names.  Raises UserError that names the wrong key."""
    devices: Devices = read_checked(path, SCHEMA)
    return devices
