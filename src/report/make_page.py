"""Turn a table in Markdown into a web page for the report, e.g.

python src/report/make_page.py --table results/demo/tables/table2.md --output results/demo/pages/table2.html
"""

import argparse
from pathlib import Path

from transformer.common.errors import run_script
from transformer.common.files import read_lines, write_text
from transformer.report.page import page


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--table", type=Path, required=True, metavar="MD")
    parser.add_argument("--output", type=Path, required=True, metavar="HTML")
    arguments = parser.parse_args()
    write_text(arguments.output, page("\n".join(read_lines(arguments.table))))


if __name__ == "__main__":
    run_script(main)
