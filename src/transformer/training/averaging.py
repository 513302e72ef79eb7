"""Checkpoint averaging (section 6.1): a model whose weights are the mean of those of several checkpoints."""

from collections.abc import Sequence
from pathlib import Path

from torch import Tensor

from transformer.common.errors import UserError
from transformer.model.storage import load_tensors


def average(paths: Sequence[Path]) -> dict[str, Tensor]:
    """Return the mean of the weights in several safetensors files, in float32, summed in float64.

    One file is open at a time, so the memory is that of five models (float64 counts twice).  Raises UserError when
    names or shapes differ between files.
    """
    mean: dict[str, Tensor] = {}
    for path in paths:
        weights = load_tensors(path)
        if mean and {n: w.shape for n, w in weights.items()} != {n: w.shape for n, w in mean.items()}:
            raise UserError(
                f"{path}: holds another model than {paths[0]}; only checkpoints of one run can be averaged"
            )
        for name, weight in weights.items():
            share = weight.double() / len(paths)
            mean[name] = mean[name] + share if name in mean else share
    return {name: weight.float() for name, weight in mean.items()}
