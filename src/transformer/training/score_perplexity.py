"""Measure the perplexity per subword of a trained model on reference translations.

python src/transformer/training/score_perplexity.py --model R/averaged --data D/tokenized/en-de --split dev \\
    --output R/perplexity.json
"""

from pathlib import Path
from typing import Any

from transformer.common.arguments import argument_parser
from transformer.common.checksums import cached_sha256
from transformer.common.errors import run_script
from transformer.common.json_artifacts import write_artifact
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.device import default_device
from transformer.model.storage import check_vocabulary, load_model
from transformer.scoring.perplexity import perplexity
from transformer.training.evaluation import negative_log_likelihood

BATCH_TOKENS = 4096  # of one forward pass


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder of model.safetensors and .json")
    parser.add_argument("--data", type=Path, required=True, help="folder of the tokenized datasets")
    parser.add_argument("--split", action="append", required=True, help="one of its datasets; repeatable")
    parser.add_argument("--output", type=Path, required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    device = default_device()
    model, info = load_model(arguments.model, device)
    result: dict[str, Any] = {
        "format": 1,
        "model_sha256": cached_sha256(arguments.model / "model.safetensors"),
    }
    for split in arguments.split:
        dataset = TokenizedDataset.open(arguments.data / split)
        check_vocabulary(arguments.model, info["vocabulary_sha256"], dataset.vocabulary_sha256)
        nll, tokens = negative_log_likelihood(model, dataset, BATCH_TOKENS)
        result[split] = {"perplexity": perplexity(nll, tokens), "tokens": tokens, "nll": nll}
        print(f"{split}: perplexity {result[split]['perplexity']:.3f} per subword, {tokens} tokens")
    write_artifact(arguments.output, result)


if __name__ == "__main__":
    run_script(main)
