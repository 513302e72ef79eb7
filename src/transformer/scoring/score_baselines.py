"""Score the baselines that need no training: copying the source and, for the demo corpus, a word-for-word dictionary.

    python src/transformer/scoring/score_baselines.py --pair en-de --source test.en --reference test.de --dictionary \\
        --output baselines.json

A trained model that does not beat these has not learned to translate.
"""

from pathlib import Path

from demo_grammar.dictionary import LANGUAGES, word_for_word
from transformer.common.arguments import Output, argument_parser, language_pair
from transformer.common.artifacts import write_artifact
from transformer.common.errors import UserError, run_script
from transformer.common.files import file_record
from transformer.corpus.pairs import read_pairs
from transformer.scoring.bleu import all_measures, headline_measure, results


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--pair", type=language_pair, required=True, help="a language pair, e.g. en-de")
    parser.add_argument("--source", type=Path, required=True, help="the text, one sentence per line")
    parser.add_argument("--reference", type=Path, required=True, help="its translation, line by line")
    parser.add_argument("--dictionary", action="store_true", help="translate word for word, too (demo only)")
    parser.add_argument("--output", type=Output, required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    language = arguments.pair[1]
    if arguments.dictionary and language not in LANGUAGES:
        raise UserError(
            f"--dictionary: {language} is none of the demo's languages, {' and '.join(LANGUAGES)}"
        )
    sources, references = zip(*read_pairs(arguments.source, arguments.reference), strict=True)
    hypotheses = {"copy": list(sources)}
    if arguments.dictionary:
        hypotheses["dictionary"] = [word_for_word(source, language) for source in sources]
    baselines = {
        name: results(all_measures(texts, references, language)) for name, texts in hypotheses.items()
    }
    headline = headline_measure(language)
    scores = {
        "format": 1,
        "pair": "-".join(arguments.pair),
        "sentences": len(sources),
        "headline": headline,
        "baselines": baselines,
        "files": {"source": file_record(arguments.source), "reference": file_record(arguments.reference)},
    }
    write_artifact(arguments.output, scores)
    for name, measures in baselines.items():
        print(f"{name:10}  BLEU {measures[headline]['value']:5.2f}")


if __name__ == "__main__":
    run_script(main)
