"""Perplexity per subword."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.scoring.perplexity import perplexity


@given(vocabulary=st.integers(1, 100_000), tokens=st.integers(1, 10**9))
def test_the_perplexity_of_a_uniform_model_is_its_vocabulary_size(vocabulary: int, tokens: int) -> None:
    assert perplexity(tokens * math.log(vocabulary), tokens) == pytest.approx(vocabulary)
