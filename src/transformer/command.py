"""The command ``attention``: Snakemake with this project's Snakefile, in any folder and with all options of Snakemake.

attention results/table2.tex
attention --config scale=small --dry-run
"""

import sys

from snakemake.cli import main as snakemake

from transformer.common.project import PROJECT


def main() -> None:
    snakemake(["--snakefile", str(PROJECT / "Snakefile"), *sys.argv[1:]])
