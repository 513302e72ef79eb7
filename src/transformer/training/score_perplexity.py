"""Measure the perplexity per subword of a trained model on reference translations, as in Table 3.

    python src/transformer/training/score_perplexity.py --model R/averaged --data D/tokenized/en-de --split dev \\
        --output R/perplexity.json

A CSV file beside the output has the negative log-likelihood of each sentence, by which two models are compared.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from transformer.common.arguments import Output, argument_parser
from transformer.common.artifacts import write_artifact
from transformer.common.errors import run_script
from transformer.common.files import file_record, sha256_of, write_text
from transformer.dataset.batching import evaluation_batches
from transformer.dataset.padding import Batch, make_batch
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.storage import check_vocabulary, load_model
from transformer.model.transformer import Transformer
from transformer.scoring.perplexity import perplexity
from transformer.training.distributed import ProcessGroup
from transformer.training.loss import log_likelihoods, real_states, real_targets

BATCH_TOKENS = 4096  # of one forward pass


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder of model.safetensors and .json")
    parser.add_argument("--data", type=Path, required=True, help="folder of the tokenized datasets")
    parser.add_argument("--split", action="append", required=True, help="one of its datasets; repeatable")
    parser.add_argument("--output", type=Output, required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    model, info = load_model(arguments.model)
    lines = ["split,sentence,tokens,nll\n"]
    result: dict[str, Any] = {
        "format": 2,
        "model_sha256": sha256_of(arguments.model / "model.safetensors"),
    }
    for split in arguments.split:
        dataset = TokenizedDataset.open(arguments.data / split)
        check_vocabulary(arguments.model, info["vocabulary_sha256"], dataset.vocabulary_sha256)
        lengths = dataset.target.lengths
        found = likelihoods_of_sentences(model, dataset, BATCH_TOKENS).tolist()
        lines += [
            f"{split},{number},{length},{of_sentence:.6f}\n"
            for number, (length, of_sentence) in enumerate(zip(lengths, found, strict=True), start=1)
        ]
        nll, tokens = math.fsum(found), int(lengths.sum())
        result[split] = {"perplexity": perplexity(nll, tokens), "tokens": tokens, "nll": nll}
        print(f"{split}: perplexity {result[split]['perplexity']:.3f} per subword, {tokens} tokens")
    per_sentence = arguments.output.with_suffix(".csv")
    write_text(per_sentence, "".join(lines))
    write_artifact(arguments.output, result | {"per_sentence": file_record(per_sentence)})


@torch.no_grad()
def likelihoods_of_sentences(model: Transformer, dataset: TokenizedDataset, batch_tokens: int) -> Tensor:
    """Return the negative log-likelihood of each target, EOS included, in nats: (sentences,), float64.

    It is computed in fp32, and summed in fp64.
    """
    lengths = dataset.target.lengths
    nll = torch.zeros(len(lengths), dtype=torch.float64)
    for rows in evaluation_batches(dataset.source.lengths, lengths, batch_tokens):
        batch = make_batch(dataset, rows).to(model.embedding.device)
        tokens = torch.cat(list(_log_likelihoods(model, batch))).squeeze(1)
        sentences = torch.from_numpy(rows)[batch.targets.cpu() // batch.target.shape[1]]
        nll.index_add_(0, sentences, -tokens.cpu().double())
    return nll


@torch.no_grad()
def negative_log_likelihood(
    model: Transformer, dataset: TokenizedDataset, batch_tokens: int, group: ProcessGroup
) -> tuple[float, int]:
    """Return the summed negative log-likelihood, in nats, of all targets, and their number of tokens, EOS included.

    It is computed in fp32.  The processes of the ``group`` share the batches, and each returns the sum of all.
    """
    total = torch.zeros((), dtype=torch.float64, device=group.device)
    batches = evaluation_batches(dataset.source.lengths, dataset.target.lengths, batch_tokens)
    for rows in group.share_of(batches):
        batch = make_batch(dataset, rows).to(group.device)
        total -= sum(log_p.sum() for log_p in _log_likelihoods(model, batch))
    return float(group.all_reduce_sum(total)), int(dataset.target.lengths.sum())


def _log_likelihoods(model: Transformer, batch: Batch) -> Iterator[Tensor]:
    """Yield the log-likelihoods (m, 1) of the targets' n real tokens, part by part."""
    states, targets = real_states(model, batch), real_targets(batch)
    return log_likelihoods(states, model.softmax_matrix, targets, model.arithmetic)


if __name__ == "__main__":
    run_script(main)
