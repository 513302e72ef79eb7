"""Linear maps compute what torch's do, by every arithmetic, and prepared for a search."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer.decoding.packed_linear import PackedLinear
from transformer.model.arithmetic import Arithmetic, Linear, Precision
from transformer.model.portable_products import product, product_of_columns

CPU = torch.device("cpu")


@pytest.mark.parametrize("precision", ["fp32", "portable", "bf16"])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(
    ("shape", "d_out"), [((33, 6), 5), ((3, 11, 6), 10), ((1, 1, 1, 6), 6), ((17, 1), 3)]
)
def test_outputs_and_gradients(precision: Precision, bias: bool, shape: tuple[int, ...], d_out: int) -> None:
    torch.manual_seed(1)
    ours, plain = (cls(shape[-1], d_out, bias=bias) for cls in (Linear, nn.Linear))
    plain.load_state_dict(ours.state_dict())
    arithmetic = Arithmetic(precision)
    ours.arithmetic = arithmetic  # type: ignore[assignment]

    def results(layer: nn.Module) -> list[Tensor | None]:
        x = torch.linspace(-1, 1, torch.Size(shape).numel()).reshape(shape).requires_grad_()
        with arithmetic.autocast(CPU):
            y: Tensor = layer(x)
        assert y.dtype == (arithmetic.dtype or torch.float32)
        y.float().square().sum().backward()
        return [y, x.grad, *(parameter.grad for parameter in layer.parameters())]

    torch.testing.assert_close(
        results(ours), results(plain), rtol=1e-2 if precision == "bf16" else 1e-5, atol=1e-3
    )


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("with_bias", [False, True])
def test_one_that_is_prepared_for_a_search(dtype: torch.dtype, with_bias: bool) -> None:
    """Also where the processor's oneDNN has none for the format."""
    torch.manual_seed(0)
    weight, bias, x = torch.randn(7, 5), torch.randn(7) if with_bias else None, torch.randn(2, 3, 5)
    expected = F.linear(x.to(dtype), weight.to(dtype), None if bias is None else bias.to(dtype))
    torch.testing.assert_close(PackedLinear(weight, bias, dtype)(x), expected)


def test_factors_of_any_strides() -> None:
    a, b = torch.randn(7, 5), torch.randn(7, 9)
    torch.testing.assert_close(product(a.T, b.T), a.T @ b)
    for first, second in ((a, b), (b, a)):
        found = product_of_columns(first, second)
        torch.testing.assert_close(found, first.T @ second)
        assert found.is_contiguous()
