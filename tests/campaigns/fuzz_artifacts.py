"""The readers of files that the pipeline wrote (see ``fuzz.py``).

Bytes of a file are damaged: then the reader must refuse the file, or return just what it would have returned before.
"""

import sys
from pathlib import Path

# The valid files are made with what tests use.
sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("helpers", "tables")]

import fuzz_data  # noqa: E402
import fuzz_runs  # noqa: E402

TARGETS = [*fuzz_data.TARGETS, *fuzz_runs.TARGETS]
