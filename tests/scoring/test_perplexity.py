"""Perplexity per subword."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.scoring.perplexity import perplexity


@given(vocabulary=st.integers(1, 100_000), tokens=st.integers(1, 10**9))
def test_the_perplexity_of_a_uniform_model_is_its_vocabulary_size(vocabulary: int, tokens: int) -> None:
    assert perplexity(tokens * math.log(vocabulary), tokens) == pytest.approx(vocabulary)


@pytest.mark.parametrize(("nll", "tokens"), [(1.0, 0), (-0.1, 3), (math.nan, 3), (math.inf, 3)])
def test_inputs_that_have_no_perplexity(nll: float, tokens: int) -> None:
    with pytest.raises(ValueError, match=r"tokens|nats"):
        perplexity(nll, tokens)
