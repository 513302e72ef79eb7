"""Hugging Face's library, loaded so that torch stays as it is for other tests."""

from typing import Any

import pytest
import torch


def load_transformers() -> Any:
    """Return the library; without it, the test is skipped.

    The library replaces ``torch.linspace`` while it makes a model.  torch notes its own functions when a device is used
    as a context for the first time.  If that happened meanwhile, ``linspace`` would ignore such contexts ever after.
    """
    with torch.device("meta"):
        torch.empty(0)
    return pytest.importorskip(
        "transformers", reason="the packages of requirements-extras.lock are not installed"
    )
