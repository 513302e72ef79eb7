"""Translate and parse whole test sets with the page's JavaScript, and compare with what the pipeline made of them.

    python tests/campaigns/javascript.py --project . --scale demo

Weights are those of a page, in few bits; those of big are fp32, from the file that a reader opens.  It prints for each
model the share of equal outputs, the milliseconds of a sentence, and the largest difference of an attention weight.  It
takes half an hour, most of it for the parsers, and needs node, whose engine is that of Chromium.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "helpers"), str(ROOT / "src")]
import node  # noqa: E402

from transformer.common.arguments import argument_parser  # noqa: E402
from transformer.common.parallel import blocks  # noqa: E402
from transformer.page.pack_models import packed_models  # noqa: E402
from transformer.run_folder import load  # noqa: E402

MODELS = [
    ("base", "en-de"),
    ("base", "en-fr"),
    ("big", "en-de"),
    ("parser", "en-trees"),
    ("parser-semi", "en-silver"),
]
AT_ONCE = 100  # sentences in one answer, whose attention weights are long


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--project", type=Path, default=ROOT, help="the project whose results are compared")
    parser.add_argument("--scale", default="demo")
    arguments = parser.parse_args()
    for run, pair in MODELS:
        files = node.files_of(arguments.project, arguments.scale, run, pair)
        content = packed_models([files], budget_bytes=1 << 30)
        (entry,), (vocabulary,) = content["models"], content["vocabularies"].values()
        in_page = run != "big"
        weights = entry["weights"] if in_page else (files.averaged / "model.safetensors").read_bytes()
        model = load(files.averaged.parent).model
        sentences, outputs = node.sentences_of(arguments.project, arguments.scale, run, pair)
        equal, ms, difference = 0, [], 0.0
        for block in blocks(zip(sentences, outputs, strict=True), AT_ONCE):
            inputs = [sentence for sentence, _ in block]
            (found,) = node.answers([node.asked(entry["config"], weights, files.beam, inputs, vocabulary)])
            for answer, (_, output) in zip(found, block, strict=True):
                equal += answer.text == output
                ms.append(answer.ms)
                difference = max(difference, *answer.differences(model))
        print(
            f"{run} {pair}, {'in the page' if in_page else 'from its file'}: {equal} of {len(sentences)} equal; "
            f"{sum(ms) / len(ms):.0f} ms a sentence, at most {max(ms):.0f}; "
            f"attention weights differ by at most {difference:.1e}",
            flush=True,
        )


if __name__ == "__main__":
    main()
