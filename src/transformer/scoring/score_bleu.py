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
from transformer.scoring.bleu import Measurement, all_measures, headline_measure, results
from transformer.scoring.bootstrap import SEED
from transformer.scoring.multi_bleu import COUNTS, ORDER

FILES = {
    "hypothesis": "the translation, line by line",
    "reference": "the reference, one sentence per line",
    "source": "the translated file",
    "decoding": "JSON file of translate.py --report",
    "checkpoint": "the model",
    "config": "config.json of the model's run",
}


def main() -> None:
    parser = argument_parser(__doc__)
    for name, about in FILES.items():
        parser.add_argument(f"--{name}", type=Path, required=True, help=about)
    parser.add_argument("--language", required=True, help="language of the translation, e.g. de")
    parser.add_argument("--output", type=Output, required=True, help="the JSON file to write")
    parser.add_argument("--per-sentence", type=Output, required=True, help="CSV file: counts of the headline")
    arguments = parser.parse_args()
    files = {name: getattr(arguments, name) for name in FILES}
    scores, sentences = score_files(files["hypothesis"], files["reference"], arguments.language)
    write_text(arguments.per_sentence, sentences)
    records = {name: file_record(path) for name, path in files.items()}
    whole = {"format": 2, "language": arguments.language, **scores, "files": records}
    whole["decoding"] = read_artifact(arguments.decoding, "decoding")
    write_artifact(arguments.output, whole | {"per_sentence": file_record(arguments.per_sentence)})
    print(f"{scores['sentences']} sentences")
    for name, measure in scores["measures"].items():
        print(f"{name:<28} {measure['value']:6.2f}")
    for line in in_short(scores, arguments.source, arguments.hypothesis, arguments.reference):
        print(f"{SHOWN}{line}")


def in_short(scores: Mapping[str, Any], source: Path, hypothesis: Path, reference: Path) -> Iterator[str]:
    """Yield lines for a terminal: BLEU of a translation, and its first sentence with its source and its reference."""
    paper, sacrebleu = (scores["measures"][name]["value"] for name in (scores["headline"], "sacrebleu"))
    yield f"BLEU {paper:.1f} (sacreBLEU: {sacrebleu:.1f}) on {scores['sentences']:,} sentences, the first of which is"
    for name, file in (("source", source), ("translation", hypothesis), ("reference", reference)):
        yield f"{name:<11}  {one_line(without_marks(next(iter(read_lines(file)))).strip())}"


def score_files(hypothesis: Path, reference: Path, language: str) -> tuple[dict[str, Any], str]:
    """Return the scores of a translation, and the CSV file with the counts of each sentence for the headline."""
    pairs = list(read_pairs(hypothesis, reference))
    hypotheses, references = (list(map(without_marks, side)) for side in zip(*pairs, strict=True))
    measures = all_measures(hypotheses, references, language)
    name = headline_measure(language)
    headline = next(measure for measure in measures if measure.name == name)
    note_zero(headline)
    rows = [("sentence", *COUNTS), *((n, *row) for n, row in enumerate(headline.counts.tolist(), start=1))]
    scores = {"sentences": len(pairs), "seed": SEED, "headline": name, "measures": results(measures)}
    return scores, "".join(",".join(map(str, row)) + "\n" for row in rows)


def note_zero(headline: Measurement) -> None:
    """Say what a BLEU is worth that is 0, or of sentences that are too short for its rows of right tokens."""
    sentences, counts = len(headline.counts), dict(zip(COUNTS, headline.counts.T, strict=True))
    value = headline.score(headline.counts.sum(axis=0)).value
    short = int((counts["reference_length"] < ORDER).sum())
    if value == 0 or 2 * short > sentences:
        right = ", ".join(f"{counts[f'matches_{n}'].sum():,}" for n in range(1, ORDER + 1))
        say(
            f"BLEU is {value:.1f} and says little here. It needs rows of 1 to {ORDER} tokens that are right, and there "
            f"are {right} of them; {short:,} of {sentences:,} reference sentences have fewer than {ORDER} tokens. "
            "chrF, beside it in scores.json, compares characters"
        )


if __name__ == "__main__":
    run_script(main)
