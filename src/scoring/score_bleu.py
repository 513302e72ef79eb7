"""Score a translation against its reference by BLEU, in every measure of the project, and write scores.json.

    python src/scoring/score_bleu.py --hypothesis test.de --reference reference.de --language de --output scores.json

The same files give the same bytes: nothing in scores.json depends on time, machine or folder.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError, run_script
from transformer.common.files import file_record, read_lines, write_json
from transformer.scoring.bootstrap import SAMPLES
from transformer.scoring.measures import score_measures

FORMAT = 1
TITLES = {
    "multi_bleu_split": "BLEU as in the paper (Moses tokens, compounds split)",
    "multi_bleu_split_lowercased": "  lower-cased",
    "multi_bleu": "BLEU, Moses tokens, compounds whole",
    "multi_bleu_lowercased": "  lower-cased",
    "sacrebleu": "sacreBLEU",
    "sacrebleu_lowercased": "  lower-cased",
}


def main() -> None:
    """Read, score, write, and print the summary."""
    arguments = parse_arguments()
    hypotheses, references = read_aligned(arguments.hypothesis, arguments.reference)
    scores = {
        "format": FORMAT,
        "language": arguments.language,
        "sentences": len(hypotheses),
        "seed": arguments.seed,
        "measures": score_measures(
            hypotheses, references, arguments.language, samples=arguments.samples, seed=arguments.seed
        ),
        "files": {
            kind: file_record(path)
            for kind in ("hypothesis", "reference", "source", "checkpoint", "config")
            if (path := getattr(arguments, kind)) is not None
        },
    }
    write_json(arguments.output, scores)
    print(summary(scores))


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hypothesis", type=Path, required=True, help="the translation, one sentence a line")
    parser.add_argument("--reference", type=Path, required=True, help="the reference, one sentence a line")
    parser.add_argument("--language", required=True, help="of the translation, e.g. de")
    parser.add_argument("--output", type=Path, required=True, help="the JSON file to write")
    parser.add_argument("--source", type=Path, help="file that was translated; its sha256 is recorded")
    parser.add_argument("--checkpoint", type=Path, help="model that translated; its sha256 is recorded")
    parser.add_argument("--config", type=Path, help="config of that model's run; its sha256 is recorded")
    parser.add_argument(
        "--samples", type=int, default=SAMPLES, help="resampled test sets (default %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the resampling (default %(default)s)")
    arguments = parser.parse_args()
    if arguments.samples < 1:
        parser.error(f"--samples {arguments.samples}: must be at least 1")
    if arguments.seed < 0:
        parser.error(f"--seed {arguments.seed}: must not be negative")
    return arguments


def read_aligned(hypothesis: Path, reference: Path) -> tuple[list[str], list[str]]:
    """The lines of both files.  Raises UserError when one is empty, is not UTF-8, or their lengths differ."""
    hypotheses, references = (list(read_lines(path)) for path in (hypothesis, reference))
    for path, lines in ((hypothesis, hypotheses), (reference, references)):
        if not lines:
            raise UserError(f"{path}: the file is empty; expected one sentence a line")
    if len(hypotheses) != len(references):
        raise UserError(
            f"{hypothesis} has {len(hypotheses)} lines but {reference} has {len(references)}; "
            "each line of the one must be a translation of the same line of the other"
        )
    return hypotheses, references


def summary(scores: Mapping[str, Any]) -> str:
    """A few lines for people."""
    lines = [f"{scores['sentences']} sentences; [95% bootstrap interval]"]
    for name, title in TITLES.items():
        measure = scores["measures"][name]
        interval = measure["interval"]
        lines.append(f"{title:<54} {measure['value']:6.2f}  [{interval['low']:.2f}, {interval['high']:.2f}]")
    measure = scores["measures"]["multi_bleu_split"]
    precisions = "/".join(f"{precision:.1f}" for precision in measure["precisions"])
    lengths = f"{measure['hypothesis_length']} tokens against {measure['reference_length']}"
    penalty = f"brevity penalty {measure['brevity_penalty']:.3f}"
    lines.append(f"as in the paper: precisions {precisions}, {penalty}, {lengths}")
    return "\n".join(lines)


if __name__ == "__main__":
    run_script(main)
