"""The steps of a model as its code names them: torch functions and modules, recorded while the model computes.

The drawings of the architecture are made from these steps.  ``executed_operations.py`` works one level below, with
the operations that torch executes for such a step, which Table 1 counts.
"""

import dataclasses
from collections.abc import Callable, Collection
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

# These functions move or mask numbers without computing any, so their result counts as the same value as their input.
_SAME_VALUE = frozenset(
    "__getitem__ contiguous expand flatten masked_fill pad split to transpose type unflatten view".split()
)


@dataclasses.dataclass(frozen=True)
class Step:
    """One call of a torch function, or of an opaque module."""

    name: str  # of the function, e.g. ``softmax``, or of the module's class, e.g. ``FeedForward``
    module: str  # path of the opaque module, or of the module that calls the function
    # Numbers of the steps whose results this step takes, or names of the trace's inputs.
    inputs: tuple[str | int, ...]


def trace(
    root: nn.Module, compute: Callable[..., Tensor], inputs: dict[str, Tensor], opaque: Collection[nn.Module]
) -> list[Step]:
    """Return the steps by which ``compute(*inputs)`` reaches its result, in their order.

    ``root`` contains every module that is used; each module of ``opaque`` becomes a single step.  Steps that the
    result does not depend on are left out.  Parameters and constants are not listed among a step's inputs.
    """
    recorder = _Recorder(root, inputs, opaque)
    with (
        register_module_forward_pre_hook(recorder.enter),
        register_module_forward_hook(recorder.leave, with_kwargs=True),
        torch.no_grad(),
        recorder,
    ):
        result = compute(*inputs.values())
    return _needed(recorder.steps, recorder.origin[id(result)])


class _Recorder(TorchFunctionMode):
    """Maps each tensor to the step that computed it, or to the input that it is."""

    def __init__(self, root: nn.Module, inputs: dict[str, Tensor], opaque: Collection[nn.Module]) -> None:
        super().__init__()
        self.paths = {module: path for path, module in root.named_modules()}
        self.opaque = set(opaque)
        self.steps: list[Step] = []
        self.origin: dict[int, str | int] = {id(tensor): name for name, tensor in inputs.items()}
        self.kept: list[Tensor] = []  # keeps tensors alive, so that no ``id`` is reused
        self.callers: list[nn.Module] = []  # the modules that are computing, the outermost first

    def enter(self, module: nn.Module, args: Any) -> None:
        self.callers.append(module)

    def leave(self, module: nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        self.callers.pop()
        if module in self.opaque:
            self._add(type(module).__name__, self.paths[module], (args, kwargs), output)

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        output = function(*args, **(kwargs or {}))
        path = self.paths[self.callers[-1]] if self.callers else ""
        self._add(function.__name__, path, (args, kwargs), output)
        return output

    def _add(self, name: str, path: str, arguments: Any, output: Any) -> None:
        results = [leaf for leaf in tree_leaves(output) if isinstance(leaf, Tensor)]
        inside_opaque = not self.opaque.isdisjoint(self.callers)
        if inside_opaque or all(id(tensor) in self.origin for tensor in results):
            return  # part of another step, not a tensor, or an unchanged input
        self.kept += results
        tensors = [leaf for leaf in tree_leaves(arguments) if isinstance(leaf, Tensor)]
        origins = [self.origin[id(tensor)] for tensor in tensors if id(tensor) in self.origin]
        if name not in _SAME_VALUE:
            self.steps.append(Step(name, path, tuple(origins)))
            origins = [len(self.steps) - 1]
        if origins:
            self.origin.update(dict.fromkeys(map(id, results), origins[0]))


def _needed(steps: list[Step], result: str | int) -> list[Step]:
    """Return the steps that ``result`` depends on, renumbered."""
    needed = {result}
    for number in reversed(range(len(steps))):
        if number in needed:
            needed.update(steps[number].inputs)
    kept = [number for number in range(len(steps)) if number in needed]
    renumbered: dict[str | int, str | int] = {old: new for new, old in enumerate(kept)}
    return [
        dataclasses.replace(step, inputs=tuple(renumbered.get(source, source) for source in step.inputs))
        for step in (steps[number] for number in kept)
    ]
