"""The default device and the name of a device for display."""

import platform
from pathlib import Path

import torch


def default_device() -> torch.device:
    """Return the first GPU if torch can use one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def device_name(device: torch.device) -> str:
    """Return the name of the GPU's or the processor's model, such as ``NVIDIA H100`` or ``AMD EPYC 9B14``."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "CPU"
