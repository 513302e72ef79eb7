"""The default device and the name of a device for display."""

import platform
from pathlib import Path

import torch


def default_device() -> torch.device:
    """Return the first GPU if torch can use one, else the CPU."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    prepare_gpu()
    return torch.device("cuda")


def prepare_gpu() -> None:
    """Choose how torch computes on GPUs.

    cuDNN's attention is prepared anew for each shape of a batch, which takes longer than a step; torch's own kernels
    are not.  cuDNN's convolutions would round fp32 to TF32.
    """
    torch.backends.cuda.enable_cudnn_sdp(False)
    torch.backends.cudnn.allow_tf32 = False


def device_name(device: torch.device) -> str:
    """Return the name of the GPU's or the processor's model, such as ``NVIDIA H100`` or ``AMD EPYC 9B14``."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "CPU"
