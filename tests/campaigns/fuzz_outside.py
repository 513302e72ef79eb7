"""The readers of files that come from outside the project, and inputs for them (see ``fuzz.py``)."""

import fuzz_corpora
import fuzz_settings
import fuzz_trees

TARGETS = [*fuzz_settings.TARGETS, *fuzz_corpora.TARGETS, *fuzz_trees.TARGETS]
