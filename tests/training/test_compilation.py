"""``train.py --compile`` gives the same weights as without it, up to rounding."""

import json
import os
import shutil
from pathlib import Path

import pytest
import tiny
import torch
import train

from transformer.common.errors import UserError
from transformer.model.storage import load_tensors
from transformer.training.compilation import compiler_errors


def run(tiny_run: Path, output: Path, *options: str) -> int:
    files = {"config": "config.json", "data": "data", "subwords": "subwords.model"}
    named = [part for name, file in files.items() for part in (f"--{name}", tiny_run / file)]
    return tiny.run(train.main, *named, "--output", output, *options)


def weights(output: Path) -> dict[str, torch.Tensor]:
    training = json.loads((output / "training.json").read_text())
    return load_tensors(output / training["checkpoints"][-1]["path"])


@pytest.mark.very_slow
@pytest.mark.skipif(shutil.which(os.environ.get("CXX", "g++")) is None, reason="needs a C++ compiler")
def test_compiled_or_not_training_is_the_same(tiny_run: Path, tmp_path: Path) -> None:
    """With dropout and batches of many shapes, in the names of the weights and their values up to rounding."""
    assert run(tiny_run, tmp_path / "eager") == 0
    assert run(tiny_run, tmp_path / "compiled", "--compile") == 0
    eager, compiled = weights(tmp_path / "eager"), weights(tmp_path / "compiled")
    assert list(eager) == list(compiled)
    for name, weight in eager.items():
        torch.testing.assert_close(compiled[name], weight, rtol=0, atol=5e-5)
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] > 0


@pytest.mark.slow
def test_no_compiler(
    tiny_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    torch._dynamo.reset()
    monkeypatch.setattr(torch._inductor.config.cpp, "cxx", (None, "/nowhere/g++"))
    assert run(tiny_run, tmp_path, "--compile") == 1
    line = tiny.the_error(capsys.readouterr().err)
    assert line.startswith("error: the layers could not be compiled (InvalidCxxCompiler: ")
    assert "`compile: false`" in line


@pytest.mark.parametrize("module", ["torch._dynamo.exc", "torch._inductor.exc"])
def test_errors_of_the_compiler(module: str) -> None:
    error = type("InvalidCxxCompiler", (RuntimeError,), {"__module__": module})
    with (
        pytest.raises(UserError, match=r"^the layers could not be compiled \(no g\+\+\); install"),
        compiler_errors(),
    ):
        raise error("no g++\nand more")


def test_other_errors_are_not_blamed_on_it() -> None:
    with pytest.raises(RuntimeError, match="^not enough memory$"), compiler_errors():
        raise RuntimeError("not enough memory")
