"""Settings that are gone are refused with what to do instead, wherever they are set."""

from pathlib import Path

import pytest
from configuration import edit, message

from transformer.settings.gone import GONE


@pytest.mark.parametrize("key", GONE)
def test_a_setting_that_is_gone(project: Path, key: str) -> None:
    said = f"{key} is not a setting any more: {GONE[key]}"
    assert message(project, **{key: ["a"]}) == f"config/config.yaml or --config: {said}"
    edit(project, "demo.yaml", key, value=["a"])
    assert message(project) == f"config/demo.yaml: {said}"
