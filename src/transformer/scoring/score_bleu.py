"""Score a translation against its reference with every measure of the project, and write scores.json.

    python src/transformer/scoring/score_bleu.py --hypothesis test.de --reference reference.de --language de \\
        --output scores.json --per-sentence scores.csv

The same files give the same bytes: scores.json does not depend on time, machine or folder.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from transformer.common.arguments import Output, argument_parser
from transformer.common.artifacts import read_artifact, write_artifact
from transformer.common.errors import one_line, run_script
from transformer.common.files import file_record, read_lines, write_text
from transformer.common.lines import without_marks
from transformer.common.notes import SHOWN, say
from transformer.corpus.pairs import read_pairs
from transformer.scoring.bleu import Measure, all_measures, headline_measure, results
from transformer.scoring.bootstrap import SEED
from transformer.scoring.multi_bleu import COUNTS, ORDER


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--hypothesis", type=Path, required=True, help="the translation, line by line")
    parser.add_argument("--reference", type=Path, required=True, help="the reference, one sentence per line")
    parser.add_argument("--language", required=True, help="language of the translation, e.g. de")
    parser.add_argument("--output", type=Output, required=True, help="the JSON file to write")
    parser.add_argument("--per-sentence", type=Output, required=True, help="CSV file: counts of the headline")
    parser.add_argument("--source", type=Path, required=True, help="the translated file")
    parser.add_argument("--decoding", type=Path, required=True, help="JSON file of translate.py --report")
    parser.add_argument("--checkpoint", type=Path, required=True, help="the model")
    parser.add_argument("--config", type=Path, required=True, help="config.json of the model's run")
    arguments = parser.parse_args()
    figures, sentences = score_files(arguments.hypothesis, arguments.reference, arguments.language)
    files = {
        kind: file_record(getattr(arguments, kind))
        for kind in ("hypothesis", "reference", "source", "decoding", "checkpoint", "config")
    }
    decoding = read_artifact(arguments.decoding, "decoding")
    write_text(arguments.per_sentence, sentences)
    scores = {"format": 2, "language": arguments.language, **figures, "files": files, "decoding": decoding}
    scores["per_sentence"] = file_record(arguments.per_sentence)
    write_artifact(arguments.output, scores)
    print(f"{figures['sentences']} sentences")
    for name, measure in figures["measures"].items():
        print(f"{name:<28} {measure['value']:6.2f}")
    for line in in_short(figures, arguments.source, arguments.hypothesis, arguments.reference):
        print(f"{SHOWN}{line}")


def in_short(figures: Mapping[str, Any], source: Path, hypothesis: Path, reference: Path) -> Iterator[str]:
    """Yield lines for a terminal: BLEU of a translation, and its first sentence with its source and its reference."""
    measures = figures["measures"]
    paper, sacrebleu = (measures[name]["value"] for name in (figures["headline"], "sacrebleu"))
    yield f"BLEU {paper:.1f} (sacreBLEU: {sacrebleu:.1f}) on {figures['sentences']:,} sentences, the first of which is"
    names = {"source": source, "translation": hypothesis, "reference": reference}
    for name, file in names.items():
        yield f"{name:<11}  {one_line(without_marks(next(iter(read_lines(file)))).strip())}"


def score_files(hypothesis: Path, reference: Path, language: str) -> tuple[dict[str, Any], str]:
    """Return the figures of a translation, and the CSV file with the counts of each sentence for the headline."""
    pairs = read_pairs(hypothesis, reference)
    hypotheses, references = (list(map(without_marks, side)) for side in zip(*pairs, strict=True))
    measures = all_measures(hypotheses, references, language)
    headline = headline_measure(language)
    (shown,) = (measure for measure in measures if measure.name == headline)
    note_zero(shown)
    rows = [["sentence", *COUNTS], *([n, *row] for n, row in enumerate(shown.statistics.tolist(), start=1))]
    sentences = "".join(",".join(map(str, row)) + "\n" for row in rows)
    figures = {
        "sentences": len(hypotheses),
        "seed": SEED,
        "headline": headline,
        "measures": results(measures),
    }
    return figures, sentences


def note_zero(measure: Measure) -> None:
    """Say why BLEU is 0, or says little: it multiplies the shares of 1 to 4 tokens in a row that are right."""
    counts = dict(zip(COUNTS, measure.statistics.T, strict=True))
    sentences, short = len(measure.statistics), int((counts["reference_length"] < ORDER).sum())
    is_zero = measure.score(measure.statistics.sum(axis=0)).value == 0
    other = "chrF, beside it in scores.json, compares characters"
    if 2 * short > sentences:
        said = (
            "is 0 here, which says nothing of the translation" if is_zero else "measures the longer ones only"
        )
        say(
            f"{short:,} of {sentences:,} reference sentences have fewer than {ORDER} tokens. BLEU needs {ORDER} right "
            f"tokens in a row, so it {said}; {other}"
        )
    elif is_zero:
        least = next((n for n in range(1, ORDER + 1) if not counts[f"matches_{n}"].any()), ORDER)
        rows = (
            "no token of any translation is"
            if least == 1
            else f"no {least} tokens in a row of any translation are"
        )
        say(f"BLEU is 0: {rows} in its reference; {other}")


if __name__ == "__main__":
    run_script(main)
