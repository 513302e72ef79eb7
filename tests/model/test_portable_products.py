"""Products for portable numerics are torch's, up to rounding, with gradients."""

import pytest
import torch
from torch.nn import functional as F

from transformer.model.arithmetic import Arithmetic, Linear
from transformer.model.portable_products import linear, product, product_of_columns


@pytest.mark.parametrize(("d_in", "d_out"), [(6, 10), (10, 6), (8, 8), (1, 3)])
@pytest.mark.parametrize("bias", [False, True])
def test_a_linear_map_and_its_gradients(d_in: int, d_out: int, bias: bool) -> None:
    results = []
    for function in (linear, F.linear):
        torch.manual_seed(1)
        factors = [torch.randn(17, d_in), torch.randn(d_out, d_in), *([torch.randn(d_out)] if bias else [])]
        for factor in factors:
            factor.requires_grad_()
        y = function(*factors)
        (y * torch.arange(d_out)).square().sum().backward()
        results.append([y, *(factor.grad for factor in factors)])
    for ours, plain in zip(*results, strict=True):
        torch.testing.assert_close(ours, plain, rtol=1e-5, atol=1e-3)


def test_factors_of_any_strides() -> None:
    a, b = torch.randn(7, 5), torch.randn(7, 9)
    torch.testing.assert_close(product(a.T, b.T), a.T @ b)
    for first, second in ((a, b), (b, a)):
        found = product_of_columns(first, second)
        torch.testing.assert_close(found, first.T @ second)
        assert found.is_contiguous()


def test_the_model_s_linear_maps_use_them() -> None:
    layer, x = Linear(6, 5), torch.randn(2, 3, 6)
    plain = layer(x)
    layer.arithmetic = Arithmetic("portable")
    y = layer(x)
    assert type(y.grad_fn.next_functions[0][0]).__name__ == "_LinearBackward"
    torch.testing.assert_close(y, plain)
