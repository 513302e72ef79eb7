"""A grammar's binary and unary rules as arrays.  Scores are natural logarithms of probabilities."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]
ScoredRule: TypeAlias = tuple[tuple[int, ...], float]  # the ids of its symbols, the parent's first

NEVER = -np.inf  # the logarithm of 0


class BinaryRules:
    """Rules (parent, left, right), sorted by parent, and the pairs of children that they share."""

    def __init__(self, rules: Sequence[ScoredRule], symbols: int) -> None:
        ids = np.array([rule for rule, _ in rules], dtype=np.intp).reshape(-1, 3)
        self.symbols = symbols
        self.parent: Ints = ids[:, 0]
        self.log_probability: Floats = np.array([score for _, score in rules])
        # The symbols that are the left child of a rule, and those that are the right child of one.
        self.lefts, left = np.unique(ids[:, 1], return_inverse=True)
        self.rights, right = np.unique(ids[:, 2], return_inverse=True)
        pairs, self.pair = np.unique(left * len(self.rights) + right, return_inverse=True)
        # The indices of each pair's children in lefts and rights.
        self.pair_left, self.pair_right = np.divmod(pairs, max(len(self.rights), 1))
        self.parents, self.first = np.unique(self.parent, return_index=True)


class UnaryChains:
    """The best chain of unary rules from each symbol to each other symbol that it derives."""

    def __init__(self, rules: Sequence[ScoredRule]) -> None:
        ids = np.unique(np.array([rule for rule, _ in rules], dtype=np.intp))
        place = {int(id): number for number, id in enumerate(ids)}
        score = np.full((len(ids), len(ids)), NEVER)
        following = np.zeros(score.shape, dtype=np.intp)  # the symbol that comes first on the chain
        for (parent, child), log_probability in rules:
            score[place[parent], place[child]] = log_probability
            following[place[parent], place[child]] = child
        np.fill_diagonal(score, NEVER)  # a chain from a symbol to itself is never better than none
        for middle in range(len(ids)):  # the Floyd-Warshall algorithm
            through = score[:, middle, None] + score[middle]
            better = through > score
            np.fill_diagonal(better, False)
            score[better] = through[better]
            following[better] = np.broadcast_to(following[:, middle, None], better.shape)[better]
        above, below = np.nonzero(score > NEVER)
        self._parent, self._child, self._score = ids[above], ids[below], score[above, below]
        self._following = following[above, below]
        self._parents, self._first = np.unique(self._parent, return_index=True)

    def applied(self, scores: Floats) -> Floats:
        """Return the best scores of a span's symbols, with or without a chain of unary rules."""
        closed = scores.copy()
        if len(self._parents):
            best = np.maximum.reduceat(scores[self._child] + self._score, self._first)
            closed[self._parents] = np.maximum(closed[self._parents], best)
        return closed

    def best_chain(self, symbol: int, scores: Floats) -> list[int]:
        """Return the symbols below ``symbol`` on its best chain, given the ``scores`` of symbols without one.

        The list is empty when no chain is better than none.
        """
        own = np.flatnonzero(self._parent == symbol)
        chained = scores[self._child[own]] + self._score[own]
        if not len(own) or chained.max() <= scores[symbol]:
            return []
        end = int(self._child[own[chained.argmax()]])
        chain = []
        while symbol != end:
            (here,) = np.flatnonzero((self._parent == symbol) & (self._child == end))
            symbol = int(self._following[here])
            chain.append(symbol)
        return chain
