"""The command ``attention``: Snakemake with this project's Snakefile, in any folder and with all options of Snakemake.

attention results/table2.tex
attention --config scale=small --dry-run
"""

import os
import sys


def main() -> None:
    # What PYTHONPATH names comes last, so that it hides no package of the environment: nor this one, which is why this
    # file belongs to none.
    sys.path.sort(key=os.environ.pop("PYTHONPATH", "").split(os.pathsep).__contains__)
    from snakemake.cli import main as snakemake

    from transformer.common.project import PROJECT

    # Snakemake keeps files in the home folder.
    if not os.access(os.path.expanduser("~"), os.W_OK):
        os.environ.setdefault("XDG_CACHE_HOME", os.path.abspath(".snakemake/cache"))
        # Without this variable, a user who has a number only has no home, and Snakemake fails.
        os.environ.setdefault("HOME", os.path.abspath(".snakemake"))
    snakemake(["--snakefile", str(PROJECT / "Snakefile"), *sys.argv[1:]])
