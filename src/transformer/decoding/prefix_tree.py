"""The decoder's cache: keys and values of the positions of all hypotheses, one tree for each sentence.

The K hypotheses of a sentence share their beginnings, so their positions are the nodes of a tree, and each hypothesis
is a path from the root.  A node's keys and values are computed once and never move.  When hypotheses are reordered,
only the mask changes, which says which nodes are on the path of which hypothesis.  All hypotheses of a sentence attend
to all of its nodes in one matrix product, in which the mask hides the nodes of other paths.  The order of the nodes
does not matter to attention, so new nodes take the slots of those that are on no path any more.

Shapes: B sentences, K hypotheses of each, h heads, N slots for the nodes of each sentence.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

ALIGNMENT = 16  # the kernels of both processors and GPUs are fastest for widths that are multiples of this
GROWTH = 32  # slots that a full tree gets, but enough for 4 positions of each hypothesis


def aligned(width: int) -> int:
    """Round up to a multiple of ALIGNMENT."""
    return -(-width // ALIGNMENT) * ALIGNMENT


class PrefixTree:
    """The keys (B, h, N, d_k) and values (B, h, N, d_v) of each layer, and the paths of the hypotheses.

    ``mask`` (B, K, N) is 0 where a node is on a hypothesis's path and -inf elsewhere.  In free slots, keys and values
    are finite, so that their product with a weight of 0 is 0.
    """

    def __init__(
        self,
        layers: int,
        B: int,
        K: int,
        h: int,
        d_k: int,
        d_v: int,
        dtype: torch.dtype,
        device: torch.device,
    ) -> None:
        self.K, self.growth = K, aligned(max(GROWTH, 4 * K))
        N = self.growth
        self.keys = [torch.zeros(B, h, N, d_k, dtype=dtype, device=device) for _ in range(layers)]
        self.values = [torch.zeros(B, h, N, d_v, dtype=dtype, device=device) for _ in range(layers)]
        self.mask = torch.full((B, K, N), -math.inf, dtype=dtype, device=device)
        self.free = torch.arange(N, device=device).expand(B, N)  # free slots; at least ``room`` * K of them
        self.room = N // K  # nodes that each hypothesis can still get
        self.heads = torch.arange(h, device=device)[:, None]  # (h, 1)
        self.newest = (self.free, self.heads, self.free)  # indices of the newest nodes in keys and values

    def add_nodes(self) -> Tensor:
        """Add a node to the path of each hypothesis.  Return the mask of all nodes, (B, 1, K, N)."""
        if self.room == 0:
            self._find_room()
        self.room -= 1
        slots = self.free[:, self.room * self.K : (self.room + 1) * self.K]  # (B, K)
        self.mask.scatter_(2, slots[:, :, None], 0)
        sentences = torch.arange(len(slots), device=slots.device)[:, None, None]
        self.newest = (sentences, self.heads, slots[:, None])
        return self.mask[:, None]

    def store(self, layer: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Store the newest nodes' key (B, h, K, d_k) and value (B, h, K, d_v); return those of all nodes."""
        self.keys[layer][self.newest] = key
        self.values[layer][self.newest] = value
        return self.keys[layer], self.values[layer]

    def reorder(self, parents: Tensor) -> None:
        """Let hypothesis k of each sentence continue hypothesis ``parents[:, k]``; parents is (B, K)."""
        self.mask = self.mask.gather(1, parents[:, :, None].expand(-1, -1, self.mask.shape[2]))

    def keep_sentences(self, stay: Sequence[int]) -> None:
        """Keep only sentence ``stay[i]`` as the new sentence i, for each i."""
        self.keys = [kept(keys, stay) for keys in self.keys]
        self.values = [kept(values, stay) for values in self.values]
        self.mask, self.free = kept(self.mask, stay), kept(self.free.contiguous(), stay)

    def _find_room(self) -> None:
        """Find the free slots, and make more if there are few.  The host waits for the device."""
        on_a_path = self.mask.amax(1) == 0  # (B, N)
        free = int((~on_a_path).sum(1).amin())
        more = self.growth
        if free < max(self.K, more // 2):
            self.keys = [F.pad(keys, (0, 0, 0, more)) for keys in self.keys]
            self.values = [F.pad(values, (0, 0, 0, more)) for values in self.values]
            self.mask = F.pad(self.mask, (0, more), value=-math.inf)
            on_a_path = F.pad(on_a_path, (0, more))
            free += more
        self.free = on_a_path.int().argsort(dim=1, stable=True)
        self.room = free // self.K


def kept(state: Tensor, stay: Sequence[int]) -> Tensor:
    """Return rows ``stay`` of ``state`` (B, …), which is overwritten.  Rows that stay in place are not copied."""
    moved = [i for i, row in enumerate(stay) if row != i]
    if moved:
        rows = torch.tensor([stay[i] for i in moved], device=state.device)
        state.index_copy_(0, torch.tensor(moved, device=state.device), state.index_select(0, rows))
    return state[: len(stay)]
