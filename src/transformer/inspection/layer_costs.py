"""Measurements of Table 1's three columns: run layers of growing size, count, and fit the growth of each quantity.

Counted are the operations that torch executes for one pass of a layer.  Shapes: B sentences, n positions, width d.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

from transformer.model.layer_types import (
    Convolutional,
    SeparableConvolution,
    dilation_of,
    make_encoder_sublayer,
)
from transformer.settings.run_settings import TransformerConfig

Layer = Callable[[Tensor, Tensor | None], Tensor]  # maps x (B, n, d) and a mask to (B, n, d)
Point = Mapping[str, float]  # values of n, d, k, r, log_k(n)

# The sizes at which each layer type is measured.  Counts do not depend on the machine, and they grow so regularly that
# more sizes would show no more.  "contiguous" is a convolution that is not dilated in any layer.  r begins at 17,
# because attention pads shorter rows to 16, which adds one operation.
SIZES: dict[str, list[dict[str, int]]] = {
    "self-attention": [{}],
    "recurrent": [{}],
    "convolutional": [{"k": 3}, {"k": 5}, {"k": 9}],
    "contiguous": [{"k": 9}, {"k": 17}, {"k": 33}],
    "separable": [{"k": 3}, {"k": 5}, {"k": 9}],
    "restricted": [{"r": 17}, {"r": 25}, {"r": 33}],
}
N_PRODUCTS, D_PRODUCTS = (32, 64, 128, 256), (16, 32, 64)
N_CHAINS, D_CHAINS = (64, 128, 256, 512), 8
HEADS = 2


@dataclass(frozen=True)
class Term:
    """``coefficient`` times the product of each variable to the power of its exponent."""

    coefficient: float
    exponents: dict[str, float]
    values: NDArray[np.float64]  # at the points that were measured


def measure(kind: str) -> dict[str, Any]:
    """Return points, values and fitted terms of a layer type's flops, sequential operations and path length."""
    return {
        "flops": measure_flops(kind),
        "sequential_operations": measure_sequential_operations(kind),
        "path_length": measure_path_length(kind),
    }


def measure_flops(kind: str) -> dict[str, Any]:
    """Measure one layer's operations.  Products are fitted separately, since a sum of powers is not itself a power."""
    points, products = [], []
    for n, d, size in itertools.product(N_PRODUCTS, D_PRODUCTS, SIZES[kind]):
        points.append({"n": n, "d": d, **size})
        products.append(matrix_products(make_layer(kind, d, **size), torch.zeros(1, n, d)))
    terms = [fit(points, [flops[name] for flops in products], list(points[0])) for name in products[0]]
    # The term of attention itself, linear in d, comes first, then that of its projections, quadratic in d.
    terms.sort(key=lambda term: term.exponents["d"])
    return _as_json(points, [sum(flops.values()) for flops in products], terms)


def measure_sequential_operations(kind: str) -> dict[str, Any]:
    """Measure the longest chain of operations in one layer."""
    points, values = [], []
    for n, size in itertools.product(N_CHAINS, SIZES[kind]):
        points.append({"n": n, **size})
        values.append(longest_chain([make_layer(kind, D_CHAINS, **size)], torch.zeros(1, n, D_CHAINS)))
    return _as_json(points, values, [fit(points, values, list(points[0]))])


def measure_path_length(kind: str) -> dict[str, Any]:
    """Measure the longest chain of operations in the smallest stack that connects all positions with each other."""
    points: list[dict[str, float]] = []
    values = []
    for n, size in itertools.product(N_CHAINS, SIZES[kind]):
        points.append({"n": n, **size})
        values.append(longest_chain(connecting_stack(kind, n, **size), torch.zeros(1, n, D_CHAINS)))
    fits = [fit(points, values, list(points[0]))]
    if "k" in points[0]:
        points = [point | {"log_k(n)": math.log(point["n"], point["k"])} for point in points]
        fits.append(fit(points, values, ["log_k(n)"]))
    return _as_json(
        points, values, [min(fits, key=lambda term: np.square(np.log(term.values / values)).sum())]
    )


@torch.no_grad()
def connecting_stack(kind: str, n: int, **size: int) -> list[nn.Module]:
    """Return the smallest stack of layers in which each of n output positions depends on each input position.

    From the first input position, the way is as long as from any other.  It is NaN, and so is what depends on it.
    """
    x = torch.zeros(1, n, D_CHAINS)
    x[:, 0] = torch.nan
    layers: list[nn.Module] = []
    while not x.isnan().any(-1).all():
        layers.append(make_layer(kind, D_CHAINS, len(layers), **size))
        x = layers[-1](x, None)
    return layers


def make_layer(kind: str, d: int, number: int = 0, k: int = 1, r: int = 1) -> nn.Module:
    """Return layer ``number`` (from 0) of a stack of a type, of width ``d``."""
    config = TransformerConfig(
        vocab_size=1,
        d_model=d,
        h=HEADS,
        d_k=d // HEADS,
        d_v=d // HEADS,
        encoder_layer="convolutional" if kind in ("contiguous", "separable") else kind,  # type: ignore[arg-type]
        kernel_size=k,
        window_size=r,
    )
    match kind:
        case "contiguous":
            return Convolutional(config, dilation=1)
        case "separable":
            return SeparableConvolution(config, dilation_of(config, number))
        case _:
            return make_encoder_sublayer(config, number)


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


def fit(points: Sequence[Point], values: Sequence[float], variables: Sequence[str]) -> Term:
    """Return the term in these variables whose logarithm is closest to that of ``values`` (least squares)."""
    columns = np.array([[1.0, *(math.log(point[name]) for name in variables)] for point in points])
    solution, *_ = np.linalg.lstsq(columns, np.log(values), rcond=None)
    exponents = dict(zip(variables, solution[1:].tolist(), strict=True))
    return Term(math.exp(solution[0]), exponents, np.exp(columns @ solution))


def _as_json(points: Sequence[Point], values: Sequence[int], terms: Sequence[Term]) -> dict[str, Any]:
    """Return points and fits as JSON, with the largest difference between a value and its fit, as a fraction.

    Fits are rounded, since a regression's last digits depend on the machine.
    """
    differences = sum(term.values for term in terms) / np.array(values) - 1
    return {
        "terms": [
            {
                "coefficient": _rounded(term.coefficient),
                "exponents": {name: _rounded(power) for name, power in term.exponents.items()},
            }
            for term in terms
        ],
        "deviation": _rounded(float(abs(differences).max())),
        "points": [{**point, "value": value} for point, value in zip(points, values, strict=True)],
    }


def _rounded(value: float) -> float:
    return round(value, 6) + 0.0  # turns -0.0 into 0.0
