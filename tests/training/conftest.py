"""The dataset on which the tests of this folder train."""

import pytest
import tiny

from transformer.dataset.tokenized import TokenizedDataset


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> TokenizedDataset:
    prefix = tmp_path_factory.mktemp("store") / "train"
    tiny.write_store(prefix)
    return TokenizedDataset.open(prefix)
