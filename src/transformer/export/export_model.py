"""Export a trained translation model as a folder for Hugging Face's MarianMTModel, with a tokenizer and a model card.

    python src/transformer/export/export_model.py --model R/averaged --subwords D/subwords.model \\
        --config R/config.json --scores R/scores.json --perplexity R/perplexity.json --output E/huggingface

Other tools have programs that convert such a folder (docs/export.md).
"""

import argparse
from pathlib import Path

from transformer.common.arguments import Output, argument_parser
from transformer.common.artifacts import check_sha256, read_artifact
from transformer.common.errors import run_script
from transformer.common.files import write_json, write_text
from transformer.common.folders import atomic_folder
from transformer.common.project import resource_file
from transformer.corpus.licences import add_own_data, terms_of, with_own
from transformer.corpus.registry import read_sources
from transformer.decoding.trained_model import recorded_beam
from transformer.export.fast_tokenizer import TOKENIZER_CONFIG, tokenizer_json
from transformer.export.marian import generation_config, marian_config, marian_weights
from transformer.export.model_card import model_card
from transformer.model.storage import load_model, save_tensors
from transformer.subwords.subwords import load_subwords


def main() -> None:
    arguments = parse_arguments()
    run, scores = read_artifact(arguments.config, "config"), read_artifact(arguments.scores, "scores")
    perplexity = read_artifact(arguments.perplexity, "perplexity")
    beam = recorded_beam(scores, arguments.scores)
    weights, of_scores, same = arguments.model / "model.safetensors", scores["files"], "give files of one run"
    check_sha256(weights, of_scores["checkpoint"]["sha256"], arguments.scores, same)
    check_sha256(weights, perplexity["model_sha256"], arguments.perplexity, same)
    check_sha256(arguments.config, of_scores["config"]["sha256"], arguments.scores, same)
    model, _ = load_model(arguments.model, load_subwords(arguments.subwords).sha256, computes=False)
    tokenizer = tokenizer_json(arguments.subwords.read_bytes(), model.config.embedding_rows)
    length = perplexity["test"]["tokens"] / scores["sentences"]
    terms = with_own(
        terms_of(arguments.data, read_sources(resource_file("sources.yaml"))), arguments.own_data
    )
    with atomic_folder(arguments.output) as folder:
        save_tensors(folder / "model.safetensors", marian_weights(model), {"format": "pt"})
        write_json(folder / "config.json", marian_config(model.config))
        write_json(folder / "generation_config.json", generation_config(model.config, beam, length))
        write_text(folder / "tokenizer.json", tokenizer)
        write_json(folder / "tokenizer_config.json", TOKENIZER_CONFIG)
        write_text(folder / "README.md", model_card(run, scores, list(terms.values())))


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add("--model", type=Path, required=True, help="folder of model.safetensors and .json")
    add("--subwords", type=Path, required=True, help="the model's subword model")
    add("--config", type=Path, required=True, help="the run's config.json")
    add("--scores", type=Path, required=True, help="the run's scores.json")
    add("--perplexity", type=Path, required=True, help="the run's perplexity.json")
    add("--data", nargs="*", default=[], help="the sources of the corpus; none if it was generated")
    add_own_data(parser)
    add("--output", type=Output, required=True, help="the folder to write; its files are replaced")
    return parser.parse_args()


if __name__ == "__main__":
    run_script(main)
