"""The Transformer of *Attention Is All You Need*, and the steps that rebuild the paper's tables.

docs/architecture.md describes the packages; tests/architecture/test_packages.py says which may import which.

    from transformer import load
    t = load("results/demo/runs/base/en-de")
    t.translate(["A dog runs."])

This file imports nothing until ``load`` is asked for, so reading a configuration never loads torch.  The import is not
an import statement, because common/code_hash.py would count all of that code as code of every script.
"""

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name == "load":
        return importlib.import_module("transformer.run_folder").load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
