"""Which number format `fast` stands for."""

import os
import subprocess
import sys
from typing import Literal

import pytest
import torch

from transformer.model.numerics import PORTABLE, autocast, autocast_type, resolve_numerics

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
def test_fast_is_bf16_where_onednn_may_use_the_instructions(
    native: bool, limit: str | None, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: native)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA", raising=False)
    if limit is not None:
        monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", limit)
    assert resolve_numerics("fast", CPU) == format
    assert resolve_numerics("bf16", CPU) == "bf16"  # what the user asks for is not changed


def test_fast_is_bf16_with_amx(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: True)
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA", raising=False)
    assert resolve_numerics("fast", CPU) == "bf16"


@pytest.mark.parametrize(
    ("capability", "format"),
    [((6, 1), "fp32"), ((7, 0), "fp16"), ((7, 5), "fp16"), ((8, 0), "bf16"), ((9, 0), "bf16")],
)
def test_fast_on_a_gpu(capability: tuple[int, int], format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    assert resolve_numerics("fast", torch.device("cuda")) == format


@pytest.mark.parametrize(("precision", "format"), [("bf16", torch.bfloat16), ("fp16", torch.float16)])
def test_the_format_of_matrix_products(precision: Literal["bf16", "fp16"], format: torch.dtype) -> None:
    a = torch.ones(2, 2)
    with autocast(precision, CPU):
        assert (a @ a).dtype == autocast_type(CPU) == format
    assert autocast_type(CPU) is None
    with autocast("fp32", CPU):
        assert (a @ a).dtype == torch.float32
        assert autocast_type(CPU) is None


def compute(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own, since torch reads the environment only once."""
    plain = {name: value for name, value in os.environ.items() if name not in PORTABLE}
    command = [sys.executable, "-c", f"from transformer.model.numerics import *\n{code}"]
    return subprocess.run(command, env=plain | environment, capture_output=True, text=True, check=False)


def test_portable_numerics_limit_torch_in_this_process_and_its_children() -> None:
    """Torch has been imported, but has not computed yet."""
    code = "prepare('portable'); print(torch.backends.cpu.get_cpu_capability(), is_portable(), os.environ['MKL_CBWR'])"
    assert compute(code).stdout == "AVX2 True COMPATIBLE\n"
    assert compute("prepare('fast'); print(is_portable())").stdout == "False\n"
    inherited = "prepare('fast'); print(is_portable(), set(PORTABLE) & set(os.environ))"
    assert compute(inherited, **PORTABLE).stdout == "False set()\n"


@pytest.mark.parametrize(
    ("first", "second", "computes"),
    [("portable", "fast", "True COMPATIBLE"), ("fast", "portable", "False None")],
)
def test_a_later_model_changes_nothing_of_an_earlier_one(first: str, second: str, computes: str) -> None:
    """It computes as the process does, and says so."""
    code = (
        "from transformer.model.fast_on_cpu import RoundedLinear, softmax\n"
        f"prepare('{first}'); layer, x = RoundedLinear(64, 11), torch.randn(33, 64)\n"
        f"y = softmax(layer(x)); prepare('{second}'); prepare('{first}')\n"
        "print(torch.equal(softmax(layer(x)), y), is_portable(), os.environ.get('MKL_CBWR'))"
    )
    done = compute(code)
    assert done.stdout == f"True {computes}\n", done.stderr
    (said,) = (line for line in done.stderr.splitlines() if "was loaded before" in line)
    assert f"a model with {first} numerics was loaded before this one, whose numerics are {second}" in said


def test_a_processor_without_avx2_computes_in_fp32_and_says_so() -> None:
    """Also in a process that one with portable numerics has started."""
    limited = "torch.cpu.get_capabilities = lambda: {'avx2': True, 'fma3': False}\n"
    for environment in ({}, PORTABLE):
        done = compute(limited + "print(prepare('portable'), is_portable())", **environment)
        assert done.stdout == "fp32 False\n"
        assert done.stderr.startswith("this processor is not an x86-64 with AVX2 and FMA: computing in fp32")
        assert done.stderr.count("\n") == 1


def test_torch_that_has_computed_before() -> None:
    limited = "torch.backends.cpu.get_cpu_capability = lambda: 'AVX512'\n"
    done = compute(limited + "prepare('portable')")
    assert done.returncode == 0
    assert "UserWarning: torch has computed before this model was loaded" in done.stderr
