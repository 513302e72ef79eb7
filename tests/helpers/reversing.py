"""A tiny model that has learned to reverse a sentence.  So its outputs differ, and end by themselves."""

from functools import cache
from typing import Any

import tiny
import torch

VOCABULARY = 12
LENGTHS = (2, 6)  # of the sentences that it was trained on, EOS not counted


def sentences(count: int, length: int, seed: int = 0) -> torch.Tensor:
    """Random sentences of one length, without EOS: (count, length)."""
    return torch.randint(3, VOCABULARY, (count, length), generator=torch.Generator().manual_seed(seed))


@cache
def reversing_model(**changes: Any) -> Any:
    """A model of two layers after a few hundred updates, in evaluation mode; not to be written to."""
    from transformer.model.transformer import shift_right

    model = tiny.model(VOCABULARY, d_model=32, d_ff=64, h=4, d_k=8, d_v=8, dropout=0.0, **changes)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(250):
        source = sentences(48, LENGTHS[0] + step % (LENGTHS[1] - LENGTHS[0] + 1), seed=step)
        end = torch.ones(48, 1, dtype=torch.long)
        target = torch.cat((source.flip(1), end), 1)
        logits = model(torch.cat((source, end), 1), shift_right(target))
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model
