"""What one pass of a layer executes, as torch's dispatcher sees it.  Shapes: B sentences, n positions."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

Layer = Callable[[Tensor, Tensor | None], Tensor]  # (B, n, d) and a mask to (B, n, d)
MARKED_AT_ONCE = 64  # positions


@torch.no_grad()
def matrix_products(layer: Layer, x: Tensor) -> dict[str, int]:
    """Floating-point operations of the layer's matrix products, by torch's name of the product.

    Other operations are not counted, as in the counters of the deep-learning frameworks.
    """
    with FlopCounterMode(display=False) as counter:
        layer(x, None)
    return {str(product): flops for product, flops in counter.get_flop_counts()["Global"].items()}


@torch.no_grad()
def longest_chain(layers: Iterable[Layer], x: Tensor) -> int:
    """Operations that have to follow each other in a stack: each needs the result of the one before.

    An operation is what torch executes as one, on however many numbers.
    """
    with _Chains(x) as chains:
        for layer in layers:
            x = layer(x, None)
    return chains.length(x)


class _Chains(TorchDispatchMode):
    """The longest chain that ends in each tensor, counted from ``start``; views of one memory are one tensor."""

    def __init__(self, start: Tensor) -> None:
        super().__init__()
        self.lengths = {self._memory(start): 0}
        self.kept: list[Tensor] = [start]  # so that no memory is used for a second tensor

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        before = [self.length(leaf) for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        for tensor in tree_leaves(result):
            if isinstance(tensor, Tensor):
                self.kept.append(tensor)
                if max(before, default=-1) >= 0:
                    self.lengths.setdefault(self._memory(tensor), max(before) + 1)
        return result

    def length(self, tensor: Tensor) -> int:
        """Operations between the start and ``tensor``; -1 where it does not come from there."""
        return self.lengths.get(self._memory(tensor), -1)

    @staticmethod
    def _memory(tensor: Tensor) -> int:
        return tensor.untyped_storage().data_ptr()


@torch.no_grad()
def connections(layer: Layer, n: int, d: int) -> Tensor:
    """Which output position, a row, depends on which input position, a column: (n, n) booleans.

    One input position is NaN in each pass; whatever is computed from it is NaN, too.
    """
    depends = torch.empty(n, n, dtype=torch.bool)
    for positions in torch.arange(n).split(MARKED_AT_ONCE):
        x = torch.zeros(len(positions), n, d)
        x[torch.arange(len(positions)), positions] = torch.nan
        depends[:, positions] = layer(x, None).isnan().any(-1).T
    return depends
