"""The operations that torch executes for one pass of a layer: what the measurements of Table 1 count.

Shapes: B sentences, n positions, width d.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

Layer = Callable[[Tensor, Tensor | None], Tensor]  # maps x (B, n, d) and a mask to (B, n, d)
BATCH = 64  # input positions that are tested in one pass


@torch.no_grad()
def matrix_products(layer: Layer, x: Tensor) -> dict[str, int]:
    """Return the floating-point operations of the layer's matrix products, by torch's name of the product.

    Other operations are not counted, as is usual in the counters of the deep-learning frameworks.
    """
    with FlopCounterMode(display=False) as counter:
        layer(x, None)
    return {str(product): flops for product, flops in counter.get_flop_counts()["Global"].items()}


@torch.no_grad()
def longest_chain(layers: Iterable[Layer], x: Tensor) -> int:
    """Return the length of a stack's longest chain of operations, each of which needs the result of the one before.

    What torch executes as one operation counts as one, however many numbers it computes.
    """
    with _ChainLengths(x) as chains:
        for layer in layers:
            x = layer(x, None)
    return chains.length(x)


class _ChainLengths(TorchDispatchMode):
    """Counts the longest chain of operations from ``start`` to each tensor; views of one memory are one tensor."""

    def __init__(self, start: Tensor) -> None:
        super().__init__()
        self.lengths = {self._memory(start): 0}
        self.kept: list[Tensor] = [start]  # keeps tensors alive, so that no memory is reused

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        inputs = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        longest = max(map(self.length, inputs), default=-1)
        for tensor in tree_leaves(result):
            if isinstance(tensor, Tensor):
                self.kept.append(tensor)
                if longest >= 0:
                    self.lengths.setdefault(self._memory(tensor), longest + 1)
        return result

    def length(self, tensor: Tensor) -> int:
        """Return the number of operations between the start and ``tensor``; -1 if it does not depend on the start."""
        return self.lengths.get(self._memory(tensor), -1)

    @staticmethod
    def _memory(tensor: Tensor) -> int:
        return tensor.untyped_storage().data_ptr()


@torch.no_grad()
def connections(layer: Layer, n: int, d: int) -> Tensor:
    """Return which output position (row) depends on which input position (column), as (n, n) booleans.

    Each sentence of a batch has NaN at one input position; everything that is computed from it is NaN, too.
    """
    depends = torch.empty(n, n, dtype=torch.bool)
    for positions in torch.arange(n).split(BATCH):
        x = torch.zeros(len(positions), n, d)
        x[torch.arange(len(positions)), positions] = torch.nan
        depends[:, positions] = layer(x, None).isnan().any(-1).T
    return depends
