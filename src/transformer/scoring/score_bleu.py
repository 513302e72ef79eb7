"""Score a translation against its reference with every measure of the project, and write scores.json.

    python src/transformer/scoring/score_bleu.py --hypothesis test.de --reference reference.de --language de \\
        --output scores.json --per-sentence scores.csv

The same files give the same bytes: scores.json does not depend on time, machine or folder.
"""

from pathlib import Path
from typing import Any

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.files import file_record, write_text
from transformer.common.json_artifacts import read_artifact, write_artifact
from transformer.corpus.pairs import read_pairs, without_marks
from transformer.scoring.bleu import Measure, all_measures, headline_measure, results
from transformer.scoring.bootstrap import SEED
from transformer.scoring.multi_bleu import COUNTS


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--hypothesis", type=Path, required=True, help="the translation, line by line")
    parser.add_argument("--reference", type=Path, required=True, help="the reference, one sentence per line")
    parser.add_argument("--language", required=True, help="language of the translation, e.g. de")
    parser.add_argument("--output", type=Path, required=True, help="the JSON file to write")
    parser.add_argument("--per-sentence", type=Path, help="CSV file: each sentence's counts of the headline")
    parser.add_argument("--source", type=Path, help="the translated file; its sha256 is recorded")
    parser.add_argument("--decoding", type=Path, help="JSON file of translate.py --report; it is recorded")
    parser.add_argument("--checkpoint", type=Path, help="the model; its sha256 is recorded")
    parser.add_argument("--config", type=Path, help="config.json of the model's run; its sha256 is recorded")
    arguments = parser.parse_args()
    pairs = without_marks(read_pairs(arguments.hypothesis, arguments.reference))
    hypotheses, references = zip(*pairs, strict=True)
    measures = all_measures(hypotheses, references, arguments.language)
    headline = headline_measure(arguments.language)
    scores: dict[str, Any] = {
        "format": 2,
        "language": arguments.language,
        "sentences": len(hypotheses),
        "seed": SEED,
        "headline": headline,
        "measures": results(measures),
        "files": {
            kind: file_record(path)
            for kind in ("hypothesis", "reference", "source", "decoding", "checkpoint", "config")
            if (path := getattr(arguments, kind)) is not None
        },
    }
    if arguments.decoding:
        scores["decoding"] = read_artifact(arguments.decoding, "decoding")
    if arguments.per_sentence:
        (shown,) = (measure for measure in measures if measure.name == headline)
        write_text(arguments.per_sentence, counts_csv(shown))
        scores["per_sentence"] = file_record(arguments.per_sentence)
    write_artifact(arguments.output, scores)
    print(f"{len(hypotheses)} sentences")
    for measure in measures:
        print(f"{measure.name:<28} {scores['measures'][measure.name]['value']:6.2f}")


def counts_csv(measure: Measure) -> str:
    """Return one row per sentence: its number, from 1, and the counts from which the measure is computed."""
    rows = [["sentence", *COUNTS], *([n, *row] for n, row in enumerate(measure.statistics.tolist(), start=1))]
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


if __name__ == "__main__":
    run_script(main)
