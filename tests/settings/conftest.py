from pathlib import Path

import pytest
from configuration import copy_configuration


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder whose config/ a test may edit."""
    return copy_configuration(tmp_path)
