"""The recorded steps of small computations."""

import torch
from torch import Tensor, nn

from transformer.inspection.model_trace import Step, trace


class Residual(nn.Module):
    """relu(x + inner(x)) times a constant, and an operation whose result is not used."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))

    def forward(self, x: Tensor) -> Tensor:
        x.exp()
        left, right = (x + self.inner(x)).relu().split(2, dim=-1)
        return torch.cat((left.flatten(), right.flatten())) * 2


def steps(opaque: bool) -> list[Step]:
    model = Residual()
    return trace(model, model, {"x": torch.randn(1, 4)}, [model.inner] if opaque else [])


def test_each_step_names_those_it_depends_on() -> None:
    assert steps(opaque=False) == [
        Step("linear", "inner.0", ("x",)),
        Step("linear", "inner.1", (0,)),
        Step("add", "", ("x", 1)),
        Step("relu", "", (2,)),
        Step("cat", "", (3, 3)),  # both halves come from one step
        Step("mul", "", (4,)),
    ]


def test_an_opaque_module_is_one_step() -> None:
    assert steps(opaque=True)[:2] == [Step("Sequential", "inner", ("x",)), Step("add", "", ("x", 0))]


def test_tracing_changes_nothing() -> None:
    model = Residual()
    x = torch.randn(1, 4)
    seen: list[Tensor] = []

    def compute(x: Tensor) -> Tensor:
        seen.append(model(x))
        return seen[-1]

    trace(model, compute, {"x": x}, [model.inner])
    assert torch.equal(seen[0], model(x))
    assert not torch.nn.modules.module._global_forward_hooks
    assert not torch.nn.modules.module._global_forward_pre_hooks
