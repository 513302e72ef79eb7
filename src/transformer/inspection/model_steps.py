"""The steps that a model takes, recorded while it takes them: what the drawings of its architecture are made from."""

import contextlib
import dataclasses
from collections.abc import Callable, Collection, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

# They move or hide numbers and compute none: what comes out counts as what went in.
_SAME_VALUE = frozenset(
    "__getitem__ contiguous expand flatten masked_fill pad split to transpose type unflatten view".split()
)


@dataclasses.dataclass(frozen=True)
class Step:
    """One operation, or one module that is not looked into."""

    name: str  # of the function, e.g. ``softmax``, or of the module's class, e.g. ``FeedForward``
    module: str  # the path of the module that it is, or that it stands in, e.g. ``encoder.0.feed_forward``
    inputs: tuple[
        str | int, ...
    ]  # the numbers of the steps whose results it takes, or names of the trace's inputs


def trace(
    root: nn.Module, compute: Callable[..., Tensor], inputs: dict[str, Tensor], opaque: Collection[nn.Module]
) -> list[Step]:
    """The steps by which ``compute(*inputs)`` reaches its result, in the order in which they were taken.

    ``root`` holds every module that is used; those of ``opaque`` become one step each, whatever they compute.
    Steps that the result does not depend on are left out, and so are parameters, which are no step's result.
    """
    recorder = _Recorder(inputs)
    with contextlib.ExitStack() as stack:
        for path, module in root.named_modules():
            for handle in recorder.watch(module, path, module in opaque):
                stack.callback(handle.remove)
        stack.enter_context(torch.no_grad())
        stack.enter_context(recorder)
        result = compute(*inputs.values())
    return _needed(recorder.steps, recorder.origin[id(result)])


class _Recorder(TorchFunctionMode):
    """Names each tensor by the step that it came from, and keeps it alive, so that its ``id`` stays its own."""

    def __init__(self, inputs: dict[str, Tensor]) -> None:
        super().__init__()
        self.steps: list[Step] = []
        self.origin: dict[int, str | int] = {id(tensor): name for name, tensor in inputs.items()}
        self.kept: list[Any] = []
        self.path: list[str] = [""]
        self.inside = 0  # opaque modules that are being computed

    def watch(self, module: nn.Module, path: str, opaque: bool) -> Iterator[Any]:
        """Hooks that follow where the computation stands."""

        def enter(module: nn.Module, arguments: Any) -> None:
            self.path.append(path)
            self.inside += opaque

        def leave(module: nn.Module, args: Any, kwargs: Any, output: Any) -> None:
            self.inside -= opaque
            if opaque and not self.inside:
                self._add(type(module).__name__, (*args, *kwargs.values()), output)
            self.path.pop()

        yield module.register_forward_pre_hook(enter)
        yield module.register_forward_hook(leave, with_kwargs=True)

    def __torch_function__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        output = function(*args, **kwargs)
        if not self.inside:
            self._add(function.__name__, (*args, *kwargs.values()), output)
        return output

    def _add(self, name: str, arguments: tuple[Any, ...], output: Any) -> None:
        results = [tensor for tensor in _flat(output) if isinstance(tensor, Tensor)]
        origins = tuple(
            self.origin[id(value)]
            for value in _flat(arguments)
            if isinstance(value, Tensor) and id(value) in self.origin
        )
        if not results or all(id(tensor) in self.origin for tensor in results):
            return  # no tensor, or what went in
        self.kept += results
        if name in _SAME_VALUE:
            origin: str | int | None = origins[0] if origins else None
        else:
            origin = len(self.steps)
            self.steps.append(Step(name, self.path[-1], origins))
        if origin is not None:
            self.origin.update({id(tensor): origin for tensor in results})


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple | list):
        for item in value:
            yield from _flat(item)
    else:
        yield value


def _needed(steps: list[Step], result: str | int) -> list[Step]:
    """The steps that ``result`` depends on, numbered anew."""
    wanted, queue = set(), [result]
    while queue:
        origin = queue.pop()
        if isinstance(origin, int) and origin not in wanted:
            wanted.add(origin)
            queue += steps[origin].inputs
    number = {old: new for new, old in enumerate(sorted(wanted))}

    def renamed(origin: str | int) -> str | int:
        return number[origin] if isinstance(origin, int) else origin

    return [
        dataclasses.replace(steps[old], inputs=tuple(map(renamed, steps[old].inputs)))
        for old in sorted(wanted)
    ]
