"""The devices of resources/devices.yaml, found by the names that machines give them."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Devices = Mapping[str, Mapping[str, Any]]
DRIVER = Path("/proc/driver/nvidia/gpus")  # of NVIDIA's on Linux


def find_device(device_name: str, devices: Devices) -> str | None:
    """Return the key in ``devices`` of the device that a machine calls ``device_name``, or None if it is not there."""
    found = (
        key for key, device in devices.items() if re.search(rf"\b(?:{device['names']})(?!\d)", device_name)
    )
    return next(found, None)


def first_gpu() -> str | None:
    """Return the name of this machine's first GPU, without loading torch; None if there is no driver."""
    for file in sorted(DRIVER.glob("*/information")):
        if found := re.search(r"^Model:\s*(.*\S)", file.read_text(), re.MULTILINE):
            return found[1]
    return None
