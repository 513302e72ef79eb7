"""Padded batches: sentences of token ids as one tensor."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from transformer.common.special_tokens import PAD
from transformer.dataset.batching import Indices
from transformer.dataset.tokenized import TokenizedDataset


@dataclass(frozen=True)
class Batch:
    """Some sentence pairs, with all that the lengths say, so that no device has to be asked for it."""

    source: Tensor  # (B, S), int64
    target: Tensor  # (B, T), int64
    targets: Tensor  # (n,): the places of the target's n real tokens in the flattened (B * T)
    is_padding: Tensor | None  # (B, S): true where the source is padded; None if nowhere
    dropout_keys: Tensor | None = None  # (B,): the sentences' keys for dropout; None in evaluation

    def to(self, device: torch.device) -> Self:
        """Return the batch on ``device``.  Copies from page-locked memory do not wait."""
        return self._each(lambda tensor: tensor.to(device, non_blocking=True))

    def pin_memory(self) -> Self:
        """Return the batch in page-locked memory, from which a GPU copies while it computes."""
        return self._each(lambda tensor: tensor.pin_memory())

    def _each(self, function: Callable[[Tensor], Tensor]) -> Self:
        tensors = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(
            self, **{name: function(tensor) for name, tensor in tensors.items() if tensor is not None}
        )


def make_batch(
    dataset: TokenizedDataset, rows: Indices, dropout_keys: NDArray[np.int64] | None = None
) -> Batch:
    """Return the sentence pairs ``rows`` of a dataset, with their ``dropout_keys``, in the CPU's memory."""
    source, source_real = _pad([dataset.source[row] for row in rows])
    target, target_real = _pad([dataset.target[row] for row in rows])
    return Batch(
        torch.from_numpy(source),
        torch.from_numpy(target),
        torch.from_numpy(np.flatnonzero(target_real)),
        None if source_real.all() else torch.from_numpy(~source_real),
        None if dropout_keys is None else torch.from_numpy(dropout_keys),
    )


def pad(sentences: Sequence[NDArray[np.integer] | Sequence[int]], device: torch.device) -> Tensor:
    """Stack sentences of token ids, padded at the end with PAD: (B, longest), int64."""
    return torch.from_numpy(_pad(sentences)[0]).to(device)


def _pad(
    sentences: Sequence[NDArray[np.integer] | Sequence[int]],
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the padded ids and which of them are real, both (B, longest)."""
    lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
    longest = int(lengths.max())
    ids = np.full((len(sentences), longest), PAD, dtype=np.int64)
    real = np.arange(longest) < lengths[:, None]
    ids[real] = np.concatenate([np.asarray(sentence, dtype=np.int64) for sentence in sentences])
    return ids, real
