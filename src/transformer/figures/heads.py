"""The rules that choose the layer and the heads to draw, given only the weights.

Weights are (h, T, S): head, query, key.
"""

import itertools

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float64]


def next_to_last(layers: int) -> int:
    """Return the index of the layer before the last, which the paper shows (5 of 6), or of the only layer."""
    return max(layers - 2, 0)


def strongest(weights: Weights, query: int, key: int) -> list[int]:
    """Return the two heads with the largest weight from ``query`` to ``key``, the largest first, or the only head."""
    return [int(head) for head in np.argsort(-weights[:, query, key], kind="stable")[:2]]


def least_alike(weights: Weights) -> list[int]:
    """Return the two heads whose weights differ most, by total variation distance, averaged over all queries.

    The distance is half the sum of absolute differences: 0 for equal weights, 1 for weights on different words.  Of
    several pairs with the same distance, the first is returned.  If there is only one head, it is returned alone.
    """
    pairs = list(itertools.combinations(range(len(weights)), 2))
    if not pairs:
        return [0]
    distances = [0.5 * np.abs(weights[a] - weights[b]).sum(-1).mean() for a, b in pairs]
    return list(pairs[int(np.argmax(distances))])
