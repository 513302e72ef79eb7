"""Score predicted constituency trees against gold ones as the EVALB program does, and write scores.json.

    python src/transformer/parsing/score_parses.py --gold gold.trees --predicted predicted.trees --output scores.json \\
        --per-sentence per.csv

Both files hold one bracketed tree per line, and line n of both is the same sentence.  The same files give the same
scores.json, byte for byte, at any time, on any machine and in any folder.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import pandas as pd

from transformer.common.arguments import Output, argument_parser
from transformer.common.artifacts import read_artifact, write_artifact
from transformer.common.errors import UserError, run_script
from transformer.common.files import file_record, write_text
from transformer.parsing.evalb import Sentence, TreeLine, line_of, score_lines, summary
from transformer.parsing.trees import EMPTY, parse_nodes, parsed_lines


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--gold", type=Path, required=True, help="the correct trees, one per line")
    parser.add_argument("--predicted", type=Path, required=True, help="a parser's trees, one per line")
    parser.add_argument("--output", type=Output, required=True, help="the JSON file to write")
    parser.add_argument("--per-sentence", type=Output, help="a CSV file to write, one row per sentence")
    about = (
        "put the gold trees' tags into the predicted ones, so that the same punctuation is deleted from both"
    )
    parser.add_argument("--gold-tags", action="store_true", help=about)
    parser.add_argument("--decoding", type=Path, help="JSON file of parse.py --report; it is recorded")
    parser.add_argument("--checkpoint", type=Path, help="the parser's weights; their sha256 is recorded")
    parser.add_argument("--config", type=Path, help="the config of the parser's run; its sha256 is recorded")
    arguments = parser.parse_args()
    sentences = score_files(arguments.gold, arguments.predicted, arguments.gold_tags)
    scores = {
        "format": 2,
        "parameters": "COLLINS.prm",
        "tags": "gold" if arguments.gold_tags else "predicted",
        **summary(sentences),
    }
    if arguments.decoding:
        scores["decoding"] = read_artifact(arguments.decoding, "decoding")
    scores["files"] = {
        kind: file_record(path)
        for kind in ("gold", "predicted", "decoding", "checkpoint", "config")
        if (path := getattr(arguments, kind)) is not None
    }
    if arguments.per_sentence:
        write_text(arguments.per_sentence, sentences_csv(sentences))
        scores["per_sentence"] = file_record(arguments.per_sentence)
    write_artifact(arguments.output, scores)
    print(f"F1 {scores['all']['f1']:.2f}, of {scores['valid']} of {scores['sentences']} sentences")


def score_files(gold: Path, predicted: Path, gold_tags: bool) -> list[Sentence]:
    """Score every pair of trees; ``gold_tags`` puts the gold trees' tags into the predicted ones first.

    As in EVALB, a line without a word counts: as skipped if the predicted tree has none, as an error if only the gold
    tree has none.  Raises UserError when a file is empty, malformed, or shorter than the other.
    """
    sentences: list[Sentence] = []
    for right, ours in zip_longest(parsed_lines(gold, read_line), parsed_lines(predicted, read_line)):
        if right is None or ours is None:
            raise UserError(
                f"{gold if right is None else predicted} has {len(sentences)} trees, and the other file more; each "
                "line of both must be a tree of the same sentence"
            )
        if gold_tags:
            ours = tagged_as(right, ours)
        sentences.append(score_lines(right, ours))
    return sentences


def tagged_as(gold: TreeLine, predicted: TreeLine) -> TreeLine:
    """Return the predicted line with the gold tags, if the words are the same, perhaps but for the gold traces."""
    tagged = list(zip(gold.tags, gold.words, strict=True))
    for pairs in (tagged, [(tag, word) for tag, word in tagged if tag != EMPTY]):
        if [word for _, word in pairs] == predicted.words:
            return replace(predicted, tags=[tag for tag, _ in pairs])
    return predicted


def read_line(text: str) -> TreeLine:
    """Read a line as EVALB does.  Raises ValueError for one that EVALB cannot read."""
    return line_of(parse_nodes(text))


def sentences_csv(sentences: Sequence[Sentence]) -> str:
    """Return one row per sentence: its number, from 1, and its counts."""
    table = pd.DataFrame(sentences, index=pd.RangeIndex(1, len(sentences) + 1, name="sentence"))
    return table.to_csv(lineterminator="\n")


if __name__ == "__main__":
    run_script(main)
