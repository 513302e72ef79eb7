"""Score a translation against its reference with every measure of the project, and write scores.json.

    python src/transformer/scoring/score_bleu.py --hypothesis test.de --reference reference.de --language de \\
        --output scores.json --per-sentence scores.csv

The same files give the same bytes: scores.json does not depend on time, machine or folder.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.files import file_record, write_text
from transformer.common.json_artifacts import read_artifact, write_artifact
from transformer.corpus.pairs import read_pairs, without_marks
from transformer.scoring.bleu import Measure, all_measures, headline_measure, results
from transformer.scoring.bootstrap import SEED
from transformer.scoring.moses import has_rules
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
    scores = {
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
    print(summary(scores))


def counts_csv(measure: Measure) -> str:
    """Return one row per sentence: its number, from 1, and the counts from which the measure is computed."""
    rows = [["sentence", *COUNTS], *([n, *row] for n, row in enumerate(measure.statistics.tolist(), start=1))]
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def summary(scores: Mapping[str, Any]) -> str:
    """Return a summary of a few lines."""
    lines = [f"{scores['sentences']} sentences; [95% bootstrap interval]"]
    for name, measure in scores["measures"].items():
        interval = measure["interval"]
        lines.append(f"{name:<28} {measure['value']:6.2f}  [{interval['low']:.2f}, {interval['high']:.2f}]")
    measure = scores["measures"][scores["headline"]]
    precisions = "/".join(f"{precision:.1f}" for precision in measure["precisions"])
    lengths = f"{measure['hypothesis_length']} tokens against {measure['reference_length']}"
    penalty = f"brevity penalty {measure['brevity_penalty']:.3f}"
    lines.append(f"headline: {scores['headline']}, precisions {precisions}, {penalty}, {lengths}")
    if not has_rules(scores["language"]):
        lines.append(f"Moses' rules do not suit '{scores['language']}', so its tokens are sacreBLEU's")
    return "\n".join(lines)


if __name__ == "__main__":
    run_script(main)
