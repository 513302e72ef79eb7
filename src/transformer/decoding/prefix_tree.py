"""The decoder's cache: keys and values of the positions of all hypotheses, one tree for each sentence.

The K hypotheses of a sentence share their beginnings, so their positions are the nodes of a tree, and each hypothesis
is a path from the root.  A node's keys and values are computed once.  They do not move when hypotheses are reordered:
only the mask changes, which says which nodes are on the path of which hypothesis.  All hypotheses of a sentence attend
to all of its nodes in one matrix product, and the mask hides the nodes of other paths.  From time to time, nodes
that are on no path any more are dropped.

Shapes: B sentences, K hypotheses of each, h heads, N nodes of each sentence.
"""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

GROWTH = 8  # positions of each hypothesis for which a full tree gets room
ALIGNMENT = 16  # the kernels of both processors and GPUs are fastest for widths that are multiples of this


def aligned(width: int) -> int:
    """Round up to a multiple of ALIGNMENT."""
    return -(-width // ALIGNMENT) * ALIGNMENT


class PrefixTree:
    """Keys and values of every layer, and the paths of the hypotheses.

    ``mask`` (B, K, N) holds 0 where a node is on a hypothesis's path and -inf elsewhere.  Nodes from ``used`` on are
    free; their keys and values are finite, so that a product with a weight of 0 is 0.
    """

    def __init__(
        self, layers: int, B: int, K: int, h: int, d_k: int, d_v: int, dtype: torch.dtype, device: torch.device
    ) -> None:
        room = aligned(GROWTH * K)
        self.used = 0
        self.keys = [torch.zeros(B, h, room, d_k, dtype=dtype, device=device) for _ in range(layers)]
        self.values = [torch.zeros(B, h, room, d_v, dtype=dtype, device=device) for _ in range(layers)]
        self.mask = torch.full((B, K, room), -math.inf, dtype=dtype, device=device)
        self.own = torch.full((K, K), -math.inf, dtype=dtype, device=device).fill_diagonal_(0)

    def add_nodes(self) -> Tensor:
        """Add a node to the path of each hypothesis.  Return the mask of the nodes to attend to, (B, 1, K, N)."""
        K = len(self.own)
        if self.used + K > self.mask.shape[2]:
            self.keep_sentences(torch.arange(len(self.mask), device=self.mask.device))
        self.mask[:, :, self.used : self.used + K] = self.own
        self.used += K
        return self.mask[:, None, :, : aligned(self.used)]

    def store(self, layer: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Store the newest nodes' key (B, h, K, d_k) and value (B, h, K, d_v); return those of all N nodes."""
        for store, new in ((self.keys[layer], key), (self.values[layer], value)):
            store[:, :, self.used - new.shape[2] : self.used] = new
        return tuple(store[layer][:, :, : aligned(self.used)] for store in (self.keys, self.values))

    def reorder(self, parents: Tensor) -> None:
        """Let hypothesis k of each sentence continue hypothesis ``parents[:, k]``; parents is (B, K)."""
        self.mask = self.mask.gather(1, parents[:, :, None].expand(-1, -1, self.mask.shape[2]))

    def keep_sentences(self, sentences: Tensor) -> None:
        """Keep only these of the B sentences, and of each only the nodes on a path.  The host waits for the device."""
        mask = self.mask[sentences]
        on_a_path = mask.amax(1) == 0  # (B, N)
        self.used = int(on_a_path.sum(1).amax())
        room = aligned(self.used + GROWTH * len(self.own))
        nodes = on_a_path.int().argsort(dim=1, descending=True, stable=True)[:, : self.used]
        nodes = F.pad(nodes, (0, room - self.used))  # free nodes are copies of node 0
        self.mask = mask.gather(2, nodes[:, None].expand(-1, mask.shape[1], -1))
        self.mask[:, :, self.used :] = -math.inf
        h, before = self.keys[0].shape[1:3]
        heads = sentences[:, None] * h + torch.arange(h, device=nodes.device)  # (B, h)
        rows = heads[:, :, None] * before + nodes[:, None]  # (B, h, N) rows of the flattened keys
        for stores in (self.keys, self.values):
            for layer, store in enumerate(stores):
                selected = store.flatten(0, 2).index_select(0, rows.flatten())
                stores[layer] = selected.view(*rows.shape, -1)
