"""``train.py --compile`` gives the same weights as without it, up to rounding."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import tiny
import torch
import train
from torch._dynamo.testing import CompileCounter

from transformer.model.dropout import mask_rows, sentence_keys
from transformer.model.storage import load_tensors
from transformer.model.transformer import Transformer


def run(tiny_run: Path, output: Path, *options: str) -> int:
    files = {"config": "config.json", "data": "data", "subwords": "subwords.model"}
    named = [part for name, file in files.items() for part in (f"--{name}", tiny_run / file)]
    return tiny.run(train.main, *named, "--output", output, *options)


def weights(output: Path) -> dict[str, torch.Tensor]:
    training = json.loads((output / "training.json").read_text())
    return load_tensors(output / training["checkpoints"][-1]["path"])


def output(model: Transformer, sentences: int, length: int) -> torch.Tensor:
    keys = torch.from_numpy(sentence_keys(1, 1, np.arange(sentences)))
    noise = mask_rows(keys, length, model.places)
    tokens = tiny.tokens(sentences, length)
    with torch.autocast("cpu", torch.bfloat16):
        states: torch.Tensor = model.decode(tokens, model.encode(tokens, None, noise), None, noise)
    states.sum().backward()
    return states


@pytest.mark.slow
def test_all_layers_of_a_stack_share_a_program() -> None:
    """Whatever the shape of the batch, with the paper's dropout, and without a break, which would cost speed."""
    torch._dynamo.reset()
    plain, compiled = (tiny.model(N=6, attention_dropout=0.0, relu_dropout=0.0) for _ in range(2))
    counter = CompileCounter()
    for layer in (*compiled.encoder, *compiled.decoder):
        layer.compile(dynamic=True, backend=counter, fullgraph=True)
    for sentences, length in ((4, 20), (5, 24), (6, 30), (7, 40)):
        torch.testing.assert_close(output(compiled, sentences, length), output(plain, sentences, length))
    assert counter.frame_count <= 3  # of 12 layers; a program may be made again once sizes vary


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
