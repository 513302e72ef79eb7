"""Training curves in TensorBoard or DVCLive, optional packages: a point for each line of ``metrics.jsonl``."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from transformer.common.optional_packages import require

Show = Callable[[Mapping[str, float]], None]


def curves(tool: str, folder: Path, metrics: Path) -> Show:
    """Return a function that adds a step's figures to the curves in ``folder``, which begin with the file ``metrics``.

    Raises UserError when the package is not installed.
    """
    require(tool)
    show = _tensorboard(folder) if tool == "tensorboard" else _dvclive(folder)
    for line in metrics.read_text(encoding="utf-8").splitlines():
        show(json.loads(line))
    return show


def _tensorboard(folder: Path) -> Show:
    from torch.utils.tensorboard import SummaryWriter

    # The points of an earlier training in this folder are not shown.
    writer = SummaryWriter(str(folder), purge_step=0)

    def show(figures: Mapping[str, float]) -> None:
        for name, value in figures.items():
            if name != "step":
                writer.add_scalar(name, value, int(figures["step"]))
        writer.flush()

    return show


def _dvclive(folder: Path) -> Show:
    from dvclive import Live

    # Neither dvc.yaml nor experiments change: DVC runs the whole pipeline, not one training.
    live = Live(str(folder), save_dvc_exp=False, dvcyaml=None)

    def show(figures: Mapping[str, float]) -> None:
        live.step = int(figures["step"])
        for name, value in figures.items():
            if name != "step":
                live.log_metric(name, value)
        live.make_summary()

    return show
