"""Which layer and which heads are drawn: rules that look at the weights and at nothing else.

Weights are (h, T, S): head, query, key.
"""

import itertools

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float64]


def next_to_last(layers: int) -> int:
    """The number, from 0, of the layer before the last, which the paper shows (5 of 6), or of the only one."""
    return max(layers - 2, 0)


def strongest(weights: Weights, query: int, key: int) -> list[int]:
    """The two heads with the greatest weight from ``query`` to ``key``, the greater first; or the only one."""
    return [int(head) for head in np.argsort(-weights[:, query, key], kind="stable")[:2]]


def least_alike(weights: Weights) -> list[int]:
    """The two heads whose weights differ most: by the total variation distance, in the mean over all queries.

    The distance is half the sum of absolute differences: 0 for equal weights, 1 for weights on different words.
    One head where there is only one; the lower numbers where several pairs differ as much.
    """
    pairs = list(itertools.combinations(range(len(weights)), 2))
    if not pairs:
        return [0]
    distances = [0.5 * np.abs(weights[a] - weights[b]).sum(-1).mean() for a, b in pairs]
    return list(pairs[int(np.argmax(distances))])
