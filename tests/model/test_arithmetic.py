"""How a model computes, and which number format `fast` stands for."""

from typing import Any

import pytest
import tiny
import torch

from transformer.decoding.packed_linear import with_packed_weights
from transformer.model.arithmetic import Arithmetic, autocast_type, possible_numerics, resolve_numerics
from transformer.model.portable import LIMITS

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("avx512", "amx", "limit", "format"),
    [
        (False, False, None, "fp32"),
        (True, False, None, "bf16"),
        (False, True, None, "bf16"),
        (True, False, "ALL", "bf16"),
        (True, False, "avx512_core_bf16", "bf16"),
        (True, False, "avx2", "fp32"),
        (True, False, "AVX512_CORE", "fp32"),
    ],
)
def test_fast_is_bf16_where_onednn_may_use_the_instructions(
    avx512: bool, amx: bool, limit: str | None, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: avx512)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: amx)
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA", raising=False)
    if limit is not None:
        monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", limit)
    assert resolve_numerics("fast", CPU) == format
    assert resolve_numerics("bf16", CPU) == "bf16"  # what the user asks for is not changed


@pytest.mark.parametrize(
    ("capability", "format"),
    [((6, 1), "fp32"), ((7, 5), "fp32"), ((8, 0), "bf16"), ((9, 0), "bf16")],
)
def test_fast_on_a_gpu(capability: tuple[int, int], format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    assert resolve_numerics("fast", torch.device("cuda")) == format


def test_the_format_of_matrix_products() -> None:
    a = torch.ones(2, 2)
    with Arithmetic("bf16").autocast(CPU):
        assert (a @ a).dtype == autocast_type(CPU) == torch.bfloat16
    assert autocast_type(CPU) is None
    with Arithmetic("fp32").autocast(CPU):
        assert (a @ a).dtype == torch.float32
        assert autocast_type(CPU) is None


@pytest.mark.parametrize("first", ["portable", "fp32"])
def test_a_later_model_changes_nothing_of_an_earlier_one(first: Any) -> None:
    second: Any = {"portable": "fp32", "fp32": "portable"}[first]
    model, source = tiny.model(), tiny.tokens(4, 6)
    model.compute_with(first)
    before = model.encode(source, None)
    other = tiny.model()
    other.compute_with(second)
    assert model.encode(source, None).equal(before)
    assert [part.arithmetic.precision for part in (model, other)] == [first, second]


def test_all_parts_of_a_model_have_its_arithmetic() -> None:
    model = tiny.model()
    assert parts(model) == {"fp32"}
    model.compute_with("portable")
    assert parts(model) == {"portable"}
    layer: Any = with_packed_weights(model.decoder[0], torch.float32)
    assert layer.self_attention.arithmetic.portable


def parts(model: Any) -> set[str]:
    return {part.arithmetic.precision for part in model.modules() if hasattr(part, "arithmetic")}


@pytest.fixture
def capabilities(monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    found = {"avx2": True, "fma3": True}
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: found)
    return found


@pytest.mark.parametrize("missing", ["avx2", "fma3"])
def test_a_processor_without_avx2_and_fma_computes_in_fp32_and_says_so(
    capabilities: dict[str, bool], missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capabilities[missing] = False
    assert possible_numerics("portable") == "fp32"
    said = capsys.readouterr().err
    assert said.startswith("this processor is not an x86-64 with AVX2 and FMA: computing in fp32")
    assert said.count("\n") == 1


def test_a_process_that_was_started_without_the_variables_says_so(
    capabilities: dict[str, bool], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in LIMITS.items():
        monkeypatch.setenv(name, value)
    assert possible_numerics("portable") == "portable"
    monkeypatch.delenv("MKL_CBWR")
    assert possible_numerics("fp32") == "fp32"
    assert capsys.readouterr().err == ""
    assert possible_numerics("portable") == "portable"
    said = capsys.readouterr().err
    assert said.startswith("note: this process was started without the variables of portable numerics")
    assert said.endswith(
        "; start it with ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 MKL_CBWR=COMPATIBLE\n"
    )
