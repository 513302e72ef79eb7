"""The likelihood of a reference corpus under a model, from which the perplexities of Table 3 follow."""

import torch

from transformer.dataset.batching import evaluation_batches
from transformer.dataset.padding import padded_batch
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.precision import Precision, autocast, resolve_precision
from transformer.model.transformer import Transformer
from transformer.training.objective import Objective


@torch.no_grad()
def negative_log_likelihood(
    model: Transformer, dataset: TokenizedDataset, batch_tokens: int, precision: Precision = "auto"
) -> tuple[float, int]:
    """Return the summed negative log-likelihood, in nats, of the targets given the sources, and their token count.

    EOS counts as a token.  Every sentence is used, however long.
    """
    device = model.embedding.device
    precision = resolve_precision(precision, device)
    objective = Objective(model, label_smoothing=0.0).eval()
    total = 0.0
    for batch in evaluation_batches(dataset.source.lengths, dataset.target.lengths, batch_tokens):
        with autocast(precision, device):
            _, nll = objective(*padded_batch(dataset, batch, device))
        total += float(nll)
    return total, int(dataset.target.lengths.sum())
