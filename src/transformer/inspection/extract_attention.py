"""Write the attention weights of a trained model on two sentences, as the JSON file that Figures 3 to 5 are drawn from.

    python src/transformer/inspection/extract_attention.py --model R/averaged --config R/config.json \\
        --subwords D/subwords/en-de/subwords.model \\
        --long-distance "…making the registration or voting process more difficult." making \\
        --anaphora "The Law will never be perfect, but its application should be just …" its Law --output attention.json

The model first translates each sentence, since its decoder attends to the translation.  Everything runs on the CPU.
"""

import argparse
from pathlib import Path
from typing import Any

from transformer.common.arguments import Output, argument_parser
from transformer.common.artifacts import read_artifact, write_artifact
from transformer.common.errors import UserError, run_script
from transformer.common.files import read_lines, sha256_of
from transformer.decoding.options import add_beam_options, chosen_beam
from transformer.decoding.trained_model import TrainedModel
from transformer.inspection.word_attention import word_attention, words_of

DIGITS = 4  # decimals of a weight
LONGEST = 100  # subwords of a sentence; more would not fit in a figure


def main() -> None:
    arguments = parse_arguments()
    run = read_artifact(arguments.config, "config")
    trained = TrainedModel.read(arguments.model, arguments.subwords, chosen_beam(arguments))
    if not trained.model.cpu().arithmetic.portable:
        trained.model.compute_with("fp32")
    (far, word), (near, pronoun, antecedent) = arguments.long_distance, arguments.anaphora
    marked = {"word": pronoun, "antecedent": antecedent}
    sentences = {
        "long_distance": describe(trained, text_of(far, arguments.test), {"word": word}),
        "anaphora": describe(trained, text_of(near, arguments.test), marked),
    }
    content = {
        "format": 1,
        **{key: run[key] for key in ("run", "pair", "scale", "corpus")},
        "model_sha256": sha256_of(arguments.model / "model.safetensors"),
        "sentences": sentences,
    }
    write_artifact(arguments.output, content, indent=None)  # indented, it would be four times as large


def text_of(sentence: str, file: Path | None) -> str:
    """Return the line of ``file`` that ``sentence`` is the number of, or else ``sentence``, with single spaces.

    Raises UserError when the file has fewer lines.
    """
    if file is not None and sentence.isdecimal():
        lines = list(read_lines(file))
        if not 1 <= int(sentence) <= len(lines):
            raise UserError(f"{file}: there is no line {sentence}; the file has {len(lines)} lines")
        sentence = lines[int(sentence) - 1]
    return " ".join(sentence.split())


def describe(trained: TrainedModel, text: str, marked: dict[str, str]) -> dict[str, Any]:
    """Return the entry of one sentence: ``marked`` words, ``source``, ``translation`` and each kind of ``attention``.

    Raises UserError when the sentence is empty or too long to draw, or when a marked word is not in it.
    """
    subwords = trained.vocabularies.source
    source = subwords.encode(text)
    if not text or len(source) > LONGEST:
        raise UserError(
            f"the sentence has {len(source)} subwords; give one that has 1 to {LONGEST}: '{text[:60]}'"
        )
    words, _ = words_of(subwords, source)
    for word in marked.values():
        if word not in words:
            raise UserError(f"'{word}' is not a word of the sentence; its words are: {' '.join(words)}")
    ((best, *_),) = trained.search([source])
    target = best.tokens
    return {
        **marked,
        "source": text,
        "translation": subwords.decode(target),
        "attention": {
            kind: {
                "queries": part.queries,
                "keys": part.keys,
                "weights": part.weights.double().round(decimals=DIGITS).tolist(),
            }
            for kind, part in word_attention(trained.model, subwords, source, target).items()
        },
    }


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder of model.safetensors and .json")
    parser.add_argument("--config", type=Path, required=True, help="the run's config.json")
    parser.add_argument("--subwords", type=Path, required=True, help="the subword model of the run")
    about = "a text file; a SENTENCE that is a number is then this line of it"
    parser.add_argument("--test", type=Path, help=about)
    about = "the sentence of Figure 3, which shows attention from WORD"
    parser.add_argument("--long-distance", nargs=2, required=True, metavar=("SENTENCE", "WORD"), help=about)
    about = "the sentence of the other figures; Figure 4 shows attention from WORD to its ANTECEDENT"
    parser.add_argument(
        "--anaphora", nargs=3, required=True, metavar=("SENTENCE", "WORD", "ANTECEDENT"), help=about
    )
    add_beam_options(parser, beam_size=4, alpha=0.6, max_extra_tokens=50)
    parser.add_argument("--output", type=Output, required=True, help="the JSON file to write")
    return parser.parse_args()


if __name__ == "__main__":
    run_script(main)
