"""Translate and parse whole test sets in a browser, and compare with what the pipeline made of them.

    python tests/campaigns/browser.py --project . --scale demo

Weights are those of a page, in few bits; those of big are fp32, from the file that a reader opens.  It prints for each
model the share of equal outputs, the milliseconds of a sentence, and the largest difference of an attention weight.  It
takes half an hour, most of it for the parsers, and needs Chromium and the packages of requirements-extras.lock.
"""

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "helpers"), str(ROOT / "src")]
import chromium  # noqa: E402

from transformer.common.parallel import blocks  # noqa: E402
from transformer.run_folder import load  # noqa: E402

MODELS = [
    ("base", "en-de"),
    ("base", "en-fr"),
    ("big", "en-de"),
    ("parser", "en-trees"),
    ("parser-semi", "en-silver"),
]
AT_ONCE = 20  # sentences in one message from the browser, whose attention weights are long


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--project", type=Path, default=ROOT, help="the project whose results are compared")
    parser.add_argument("--scale", default="demo")
    arguments = parser.parse_args()
    trained = [
        load(arguments.project / "results" / arguments.scale / "runs" / run / pair) for run, pair in MODELS
    ]
    files = [chromium.files_of(arguments.project, arguments.scale, run, pair) for run, pair in MODELS]
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        chromium.write_page(page, files, budget_bytes=1 << 30)
        with chromium.opened(page) as opened:
            for number, (run, pair) in enumerate(MODELS):
                weights = files[number].averaged / "model.safetensors" if run == "big" else None
                chromium.load(opened, number, weights)
                sentences, outputs = chromium.sentences_of(arguments.project, arguments.scale, run, pair)
                inputs = [{"sentence": sentence} for sentence in sentences]
                chromium.answers(opened, inputs[:AT_ONCE])  # the browser compiles what runs often
                equal, ms, difference = 0, [], 0.0
                for block in blocks(zip(inputs, outputs, strict=True), AT_ONCE):
                    found = chromium.answers(opened, [input for input, _ in block])
                    for answer, (_, output) in zip(found, block, strict=True):
                        equal += answer.text == output
                        ms.append(answer.ms)
                        difference = max(difference, answer.largest_difference(trained[number].model))
                origin = "from its file" if weights else "in the page"
                print(
                    f"{run} {pair}, {origin}: {equal} of {len(sentences)} equal; "
                    f"{sum(ms) / len(ms):.0f} ms a sentence, at most {max(ms):.0f}; "
                    f"attention weights differ by at most {difference:.1e}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
