"""Score a translation against its reference with every BLEU measure of the project, and write scores.json.

    python src/scoring/score_bleu.py --hypothesis test.de --reference reference.de --language de --output scores.json

The same files give the same bytes: scores.json does not depend on time, machine or folder.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.files import file_record, write_json
from transformer.corpus.pairs import read_pairs
from transformer.scoring.bootstrap import SEED
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
    arguments = parse_arguments()
    hypotheses, references = zip(*read_pairs(arguments.hypothesis, arguments.reference), strict=True)
    scores = {
        "format": FORMAT,
        "language": arguments.language,
        "sentences": len(hypotheses),
        "seed": SEED,
        "measures": score_measures(hypotheses, references, arguments.language),
        "files": {
            kind: file_record(path)
            for kind in ("hypothesis", "reference", "source", "checkpoint", "config")
            if (path := getattr(arguments, kind)) is not None
        },
    }
    write_json(arguments.output, scores)
    print(summary(scores))


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--hypothesis", type=Path, required=True, help="the translation, line by line")
    parser.add_argument("--reference", type=Path, required=True, help="the reference, one sentence per line")
    parser.add_argument("--language", required=True, help="language of the translation, e.g. de")
    parser.add_argument("--output", type=Path, required=True, help="the JSON file to write")
    parser.add_argument("--source", type=Path, help="the translated file; its sha256 is recorded")
    parser.add_argument("--checkpoint", type=Path, help="the model; its sha256 is recorded")
    parser.add_argument("--config", type=Path, help="config.json of the model's run; its sha256 is recorded")
    return parser.parse_args()


def summary(scores: Mapping[str, Any]) -> str:
    """Return a summary of a few lines."""
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
