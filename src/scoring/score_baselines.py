"""Score what needs no training on the demo corpus: copying the source, and a word-for-word dictionary.

    python src/scoring/score_baselines.py --pair en-de --source test.en --reference test.de --output baselines.json

A trained model that does not beat these has not learned to translate.
"""

import argparse
from pathlib import Path

from demo_grammar.dictionary import word_for_word
from transformer.common.errors import UserError, run_script
from transformer.common.files import read_lines, sha256_of, write_json
from transformer.scoring.measures import PAPER_MEASURE, score_measures

FORMAT = 1


def main() -> None:
    """Translate, score, write, and print the summary."""
    arguments = parse_arguments()
    language = arguments.pair.removeprefix("en-")
    sources, references = (list(read_lines(path)) for path in (arguments.source, arguments.reference))
    if not sources or len(sources) != len(references):
        raise UserError(
            f"{arguments.source} has {len(sources)} lines and {arguments.reference} has {len(references)}; "
            "each needs one line a sentence"
        )
    hypotheses = {"copy": sources, "dictionary": [word_for_word(source, language) for source in sources]}
    baselines = {name: score_measures(texts, references, language) for name, texts in hypotheses.items()}
    files = {
        kind: {"name": path.name, "sha256": sha256_of(path)}
        for kind, path in (("source", arguments.source), ("reference", arguments.reference))
    }
    scores = {
        "format": FORMAT,
        "pair": arguments.pair,
        "sentences": len(sources),
        "baselines": baselines,
        "files": files,
    }
    write_json(arguments.output, scores)
    for name, measures in baselines.items():
        print(
            f"{name:10}  BLEU {measures[PAPER_MEASURE]['value']:5.2f}   sacreBLEU {measures['sacrebleu']['value']:5.2f}"
        )


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pair", choices=("en-de", "en-fr"), required=True)
    parser.add_argument(
        "--source", type=Path, required=True, help="English of the demo corpus, one sentence a line"
    )
    parser.add_argument("--reference", type=Path, required=True, help="its translation, one sentence a line")
    parser.add_argument("--output", type=Path, required=True, help="the JSON file to write")
    return parser.parse_args()


if __name__ == "__main__":
    run_script(main)
