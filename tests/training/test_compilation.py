"""``train.py --compile`` compiles every layer; tests/full/test_compiled_layers.py waits for the compiler itself."""

from pathlib import Path
from typing import Any

import pytest
import tiny
import torch
from torch import nn

from transformer.common.errors import UserError
from transformer.training import train
from transformer.training.compilation import compiler_errors, compiles
from transformer.training.distributed import ProcessGroup

CPU = torch.device("cpu")


def test_the_option_compiles_every_layer(
    tiny_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For all shapes, and with torch's own random numbers."""
    compiled: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(
        nn.Module, "compile", lambda layer, **options: compiled.append((type(layer).__name__, options))
    )
    files = ["--config", tiny_run / "config.json", "--subwords", tiny_run / "subwords.model"]
    assert tiny.run(train.main, *files, "--data", tiny_run / "data", "--output", tmp_path, "--compile") == 0
    options = {"dynamic": True, "options": {"fallback_random": True}}
    assert compiled == [(name, options) for name in 2 * ["EncoderLayer"] + 2 * ["DecoderLayer"]]


@pytest.mark.parametrize("module", ["torch._dynamo.exc", "torch._inductor.exc"])
def test_an_error_of_the_compiler_is_one_line(module: str) -> None:
    error = type("InvalidCxxCompiler", (RuntimeError,), {"__module__": module})
    with (
        pytest.raises(UserError, match=r"^the layers could not be compiled \(no g\+\+\); install"),
        compiler_errors(),
    ):
        raise error("no g++\nand more")


@pytest.mark.parametrize("rank", [0, 1])
def test_a_gpu_that_cannot_compile_trains_uncompiled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], rank: int
) -> None:
    """As where Triton finds no C compiler.  One line of the main process says so."""
    missing = type("InductorError", (RuntimeError,), {"__module__": "torch._inductor.exc"})

    def fail(_: Any) -> None:
        raise missing("Failed to find C compiler\nand more")

    monkeypatch.setattr(torch, "compile", lambda function: function)
    assert compiles(ProcessGroup(rank, 2, CPU))
    monkeypatch.setattr(torch, "compile", lambda function: fail)
    assert not compiles(ProcessGroup(rank, 2, CPU))
    line = "note: the layers are not compiled, so training takes longer: Failed to find C compiler\n"
    assert capsys.readouterr().err == ("" if rank else line)


def test_other_errors_are_not_blamed_on_it() -> None:
    with pytest.raises(RuntimeError, match="^not enough memory$"), compiler_errors():
        raise RuntimeError("not enough memory")
