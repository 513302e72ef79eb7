"""Padded batches: sentences of token ids as one tensor."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from transformer.common.special_tokens import PAD
from transformer.dataset.batching import Indices
from transformer.dataset.tokenized import TokenizedDataset


def pad(sentences: Sequence[NDArray[np.integer] | Sequence[int]], device: torch.device) -> Tensor:
    """Stack sentences of token ids, padded at the end with PAD: (B, longest), int64."""
    ids = np.full((len(sentences), max(map(len, sentences))), PAD, dtype=np.int64)
    for row, sentence in zip(ids, sentences, strict=True):
        row[: len(sentence)] = sentence
    return torch.from_numpy(ids).to(device, non_blocking=True)


def padded_batch(dataset: TokenizedDataset, batch: Indices, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return the sentence pairs ``batch`` of a dataset as source (B, S) and target (B, T)."""
    return pad([dataset.source[i] for i in batch], device), pad([dataset.target[i] for i in batch], device)
