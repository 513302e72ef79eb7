"""The default device and the name of a device for display."""

import platform

import torch

from transformer.model.portable import first_processor


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
    """Return the name of the GPU's or the processor's model, such as ``NVIDIA H100`` or ``AMD EPYC 9B14``.

    Where a virtual machine hides the processor's number, family and model follow: ``AMD EPYC (family 25, model 17)``.
    """
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    processor = first_processor()
    name = processor.get("model name") or platform.processor() or "CPU"
    if any(map(str.isdigit, name)) or not {"cpu family", "model"} <= processor.keys():
        return name
    return f"{name} (family {processor['cpu family']}, model {processor['model']})"
