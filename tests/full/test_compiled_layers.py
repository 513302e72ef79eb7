"""Layers that torch compiles train the same, share their programs, and need a compiler of C++."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import tiny
import torch
from torch import nn

from transformer.dataset.padding import Batch
from transformer.model.dropout import sentence_keys
from transformer.model.numerics import autocast
from transformer.model.storage import load_tensors
from transformer.training import train
from transformer.training.compilation import compile_layers, compiles
from transformer.training.distributed import ProcessGroup
from transformer.training.loss import Objective


def run(tiny_run: Path, output: Path, *options: str) -> int:
    files = {"config": "config.json", "data": "data", "subwords": "subwords.model"}
    named = [part for name, file in files.items() for part in (f"--{name}", tiny_run / file)]
    return tiny.run(train.main, *named, "--output", output, *options)


def weights(output: Path) -> dict[str, torch.Tensor]:
    training = json.loads((output / "training.json").read_text())
    return load_tensors(output / training["checkpoints"][-1]["path"])


@pytest.mark.skipif(shutil.which(os.environ.get("CXX", "g++")) is None, reason="needs a C++ compiler")
def test_compiled_or_not_training_is_the_same(tiny_run: Path, tmp_path: Path) -> None:
    """With dropout and batches of many shapes, in the names of the weights and their values up to rounding."""
    assert run(tiny_run, tmp_path / "eager") == 0
    assert run(tiny_run, tmp_path / "compiled", "--compile") == 0
    eager, compiled = weights(tmp_path / "eager"), weights(tmp_path / "compiled")
    assert list(eager) == list(compiled)
    for name, weight in eager.items():
        # Six updates at a rate of 0.1 make rounding grow, by another amount on each processor (5.3e-5 on an Intel).
        torch.testing.assert_close(compiled[name], weight, rtol=0, atol=5e-4)
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] > 0


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_layers_share_programs_for_all_shapes(monkeypatch: pytest.MonkeyPatch, precision: str) -> None:
    """Each stack has one with and one without a mask, whatever the number of layers, sentences and tokens."""
    compile_module = nn.Module.compile

    def trace(module: nn.Module, *, dynamic: bool, options: dict[str, bool]) -> None:
        compile_module(
            module, dynamic=dynamic, backend="eager", fullgraph=True
        )  # nothing needs a compiler then

    monkeypatch.setattr(nn.Module, "compile", trace)
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    model = tiny.model(N=3).train()
    compile_layers(model)
    objective = Objective(model, 0.1)
    for B, S, T, padding in ((5, 7, 9, 0), (11, 8, 7, 2), (8, 19, 10, 3), (7, 9, 17, 0), (9, 18, 21, 1)):
        with autocast(precision, torch.device("cpu")):  # type: ignore[arg-type]
            loss = objective(batch(B, S, T, padding))
        loss.backward()
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 4


def batch(B: int, S: int, T: int, padding: int) -> Batch:
    """B random sentences of S and T tokens, the first source with ``padding`` tokens less."""
    source, target = tiny.tokens(B, S), tiny.tokens(B, T, seed=1)
    source[0, S - padding :] = 0
    is_padding = source == 0 if padding else None
    keys = torch.from_numpy(sentence_keys(1, 1, np.arange(B)))
    return Batch(source, target, torch.arange(B * T), is_padding, keys)


def test_without_a_compiler_one_line_says_what_to_do(
    tiny_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    torch._dynamo.reset()
    monkeypatch.setattr(torch._inductor.config.cpp, "cxx", (None, "/nowhere/g++"))
    assert not compiles(ProcessGroup(0, 1, torch.device("cpu")))
    assert "not compiled, so training takes longer: InvalidCxxCompiler: " in capsys.readouterr().err
    assert run(tiny_run, tmp_path, "--compile") == 1
    line = tiny.the_error(capsys.readouterr().err)
    assert line.startswith("error: the layers could not be compiled (InvalidCxxCompiler: ")
    assert "`compile: false`" in line
