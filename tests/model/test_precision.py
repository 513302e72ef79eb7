"""Which number format `auto` stands for."""

from typing import Literal

import pytest
import torch

from transformer.model.precision import autocast, autocast_type, resolve_precision

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("native", "limit", "format"),
    [
        (False, None, "fp32"),
        (True, None, "bf16"),
        (True, "ALL", "bf16"),
        (True, "avx512_core_bf16", "bf16"),
        (True, "avx2", "fp32"),
        (True, "AVX512_CORE", "fp32"),
    ],
)
def test_auto_is_bf16_where_onednn_may_use_the_instructions(
    native: bool, limit: str | None, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: native)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA", raising=False)
    if limit is not None:
        monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", limit)
    assert resolve_precision("auto", CPU) == format
    assert resolve_precision("bf16", CPU) == "bf16"  # what the user asks for is not changed


def test_auto_is_bf16_with_amx(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: True)
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA", raising=False)
    assert resolve_precision("auto", CPU) == "bf16"


@pytest.mark.parametrize(
    ("capability", "format"),
    [((6, 1), "fp32"), ((7, 0), "fp16"), ((7, 5), "fp16"), ((8, 0), "bf16"), ((9, 0), "bf16")],
)
def test_auto_on_a_gpu(capability: tuple[int, int], format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    assert resolve_precision("auto", torch.device("cuda")) == format


@pytest.mark.parametrize(("precision", "format"), [("bf16", torch.bfloat16), ("fp16", torch.float16)])
def test_the_format_of_matrix_products(precision: Literal["bf16", "fp16"], format: torch.dtype) -> None:
    a = torch.ones(2, 2)
    with autocast(precision, CPU):
        assert (a @ a).dtype == autocast_type(CPU) == format
    assert autocast_type(CPU) is None
    with autocast("fp32", CPU):
        assert (a @ a).dtype == torch.float32
        assert autocast_type(CPU) is None
