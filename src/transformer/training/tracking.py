"""Training curves in TensorBoard, an optional package: a point for each line of ``metrics.jsonl``."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from transformer.common.optional_packages import require


def curves(folder: Path, metrics: Path) -> Callable[[Mapping[str, float]], None]:
    """Return a function that adds a step's figures to the curves in ``folder``, which begin with the file ``metrics``.

    Raises UserError when the package is not installed.
    """
    require("tensorboard")
    from torch.utils.tensorboard import SummaryWriter

    # The points of an earlier training in this folder are not shown.
    writer = SummaryWriter(str(folder), purge_step=0)

    def show(figures: Mapping[str, float]) -> None:
        for name, value in figures.items():
            if name != "step":
                writer.add_scalar(name, value, int(figures["step"]))
        writer.flush()

    for line in metrics.read_text(encoding="utf-8").splitlines():
        show(json.loads(line))
    return show
