"""Copy a test set from sacreBLEU, which downloads it if it is not there."""

import shutil
import sys
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.files import atomic_path
from transformer.corpus.sacrebleu_sets import fetch


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--name", required=True, help="sacreBLEU's name, e.g. wmt13")
    parser.add_argument("--pair", required=True, help="a language pair, e.g. de-en")
    parser.add_argument("--output-source", type=Path, required=True)
    parser.add_argument("--output-target", type=Path, required=True)
    arguments = parser.parse_args()
    outputs = (arguments.output_source, arguments.output_target)
    for path, output in zip(fetch(arguments.name, arguments.pair), outputs, strict=True):
        with atomic_path(output) as temporary:
            shutil.copyfile(path, temporary)
        print(path, file=sys.stderr)


if __name__ == "__main__":
    run_script(main)
