"""Write how the tables of a scale were made as a Workflow Run RO-Crate, for other programs.

    python src/transformer/verification/write_crate.py --scale demo --output results/demo/ro-crate-metadata.json

The crate names every file behind the tables with its sha256, and the script that made it from which others
(docs/verification.md).  The files stay where they are.
"""

import os
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.files import write_json
from transformer.verification.run_crate import run_crate


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--scale", required=True)
    parser.add_argument("--results", type=Path, default=Path("results"), help="folder of the results")
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the data")
    parser.add_argument("--output", type=Path, required=True, help="the file to write, in the scale's folder")
    arguments = parser.parse_args()
    title = f"Attention Is All You Need: tables and figures of the scale {arguments.scale}"
    # As the tables recorded their files, relative to the working folder.
    results, data = (Path(os.path.relpath(folder)) for folder in (arguments.results, arguments.data))
    crate = run_crate(results / arguments.scale, data / arguments.scale, title)
    write_json(arguments.output, crate.metadata.generate())


if __name__ == "__main__":
    run_script(main)
