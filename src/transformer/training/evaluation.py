"""The likelihood of a reference corpus under a model (the perplexities of Table 3)."""

import torch

from transformer.dataset.batching import collate, evaluation_batches
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.precision import Precision, autocast, resolve_precision
from transformer.model.transformer import Transformer
from transformer.training.objective import Objective


@torch.no_grad()
def negative_log_likelihood(
    model: Transformer, store: TokenizedDataset, batch_tokens: int, precision: Precision = "auto"
) -> tuple[float, int]:
    """The summed negative log-likelihood (nats) of a store's target sides given its source sides, and their tokens.

    EOS counts as a token.  Every sentence is used, however long.
    """
    device = model.embedding.device
    objective = Objective(model, label_smoothing=0.0).eval()
    total = 0.0
    for batch in evaluation_batches(store.source.lengths, store.target.lengths, batch_tokens):
        source = torch.from_numpy(collate([store.source[i] for i in batch])).to(device)
        target = torch.from_numpy(collate([store.target[i] for i in batch])).to(device)
        with autocast(resolve_precision(precision, device), device):
            total += float(objective(source, target)[1])
    return total, int(store.target.lengths.sum())
