"""Which number format `auto` stands for on a CPU."""

import pytest
import torch

from transformer.model.precision import resolve_precision

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
