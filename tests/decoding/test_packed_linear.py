"""Linear maps that are prepared for a search compute what torch's do, in every number format."""

import pytest
import torch
from torch.nn import functional as F

from transformer.decoding.packed_linear import PackedLinear


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("with_bias", [False, True])
def test_it_is_the_linear_map_of_torch(dtype: torch.dtype, with_bias: bool) -> None:
    """Also where the processor's oneDNN has none for the format."""
    torch.manual_seed(0)
    weight, bias = torch.randn(7, 5), torch.randn(7)
    x = torch.randn(2, 3, 5)
    found = PackedLinear(weight, bias if with_bias else None, dtype)(x)
    expected = F.linear(x.to(dtype), weight.to(dtype), bias.to(dtype) if with_bias else None)
    assert found.dtype == dtype
    torch.testing.assert_close(found, expected)


def test_without_the_operator_of_onednn(monkeypatch: pytest.MonkeyPatch) -> None:
    weight, x = torch.randn(7, 5), torch.randn(3, 5)
    expected = PackedLinear(weight, None, torch.float32)(x)
    monkeypatch.setattr(torch.ops, "mkldnn", object())
    found = PackedLinear(weight, None, torch.float32)
    assert not found.packed
    torch.testing.assert_close(found(x), expected)
