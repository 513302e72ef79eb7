"""The Transformer of *Attention Is All You Need*, and what it takes to rebuild the paper's tables.

Each sub-package is a room; ``docs/decisions.md`` says which may import which, and
``tests/test_rooms.py`` holds it.  This file imports nothing, so that reading a config never loads torch.
"""
