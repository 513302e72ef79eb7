"""The likelihood of a reference corpus under a model, from which the perplexities of Table 3 follow."""

import torch

from transformer.dataset.batching import evaluation_batches
from transformer.dataset.padding import make_batch
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.transformer import Transformer
from transformer.training.distributed import ProcessGroup
from transformer.training.loss import summed_negative_log_likelihood
from transformer.training.objective import real_states, real_targets


@torch.no_grad()
def negative_log_likelihood(
    model: Transformer, dataset: TokenizedDataset, batch_tokens: int, group: ProcessGroup | None = None
) -> tuple[float, int]:
    """Return the summed negative log-likelihood, in nats, of the targets given the sources, and their token count.

    It is computed in fp32, whatever the precision of training.  EOS counts as a token.  Every sentence is used, however
    long.  The processes of a ``group`` share the batches, and each returns the sum of all.
    """
    device = model.embedding.device
    total = torch.zeros((), dtype=torch.float64, device=device)
    batches = evaluation_batches(dataset.source.lengths, dataset.target.lengths, batch_tokens)
    for rows in batches if group is None else group.share_of(batches):
        batch = make_batch(dataset, rows).to(device)
        states = real_states(model, batch)
        total += summed_negative_log_likelihood(states, model.softmax_matrix, real_targets(batch))
    if group is not None:
        total = group.all_reduce_sum(total)
    return float(total), int(dataset.target.lengths.sum())
