"""The paper's Table 1 compared with what is measured on its layers."""

import json
from pathlib import Path
from typing import Any

import pytest
import tiny

from transformer.inspection import layer_costs, measure_layers


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny.measure_little(monkeypatch)


def growth(figure: dict[str, Any], name: str, term: int = 0) -> float:
    """Return the exponent of a variable in a fitted term."""
    power: float = figure["terms"][term]["exponents"].get(name, 0.0)
    return power


PROJECTIONS = {"n": 1, "d": 2}  # the projections of attention, which the paper's column leaves out


@pytest.mark.parametrize(
    ("kind", "powers"),
    [
        ("self-attention", [{"n": 2, "d": 1}, PROJECTIONS]),
        ("recurrent", [{"n": 1, "d": 2}]),
        ("convolutional", [{"k": 1, "n": 1, "d": 2}]),
        ("restricted", [{"r": 1, "n": 1, "d": 1}, {"r": 0, **PROJECTIONS}]),
        ("contiguous", [{"k": 1, "n": 1, "d": 2}]),
        ("separable", [{"k": 1, "n": 1, "d": 1}, {"k": 0, "n": 1, "d": 2}]),
    ],
)
def test_complexity_grows_as_the_paper_says(kind: str, powers: list[dict[str, int]]) -> None:
    flops = layer_costs.measure_flops(kind)
    assert [term["exponents"] for term in flops["terms"]] == powers
    assert flops["deviation"] == 0


@pytest.mark.parametrize("kind", layer_costs.SIZES)
def test_only_a_recurrent_layer_is_sequential(kind: str) -> None:
    (term,) = layer_costs.measure_sequential_operations(kind)["terms"]
    if kind == "recurrent":
        assert term["exponents"] == pytest.approx({"n": 1}, abs=0.02)
    else:  # windows and kernels of any size
        assert set(term["exponents"].values()) == {0}


def test_paths_grow_as_the_paper_says() -> None:
    paths = {kind: layer_costs.measure_path_length(kind) for kind in layer_costs.SIZES}
    assert growth(paths["self-attention"], "n") == 0
    assert growth(paths["recurrent"], "n") == pytest.approx(1, abs=0.02)
    for kind in ("convolutional", "separable"):
        assert growth(paths[kind], "log_k(n)") == pytest.approx(1, abs=0.15)
    for kind, letter in (("restricted", "r"), ("contiguous", "k")):
        assert growth(paths[kind], "n") == pytest.approx(1, abs=0.1)
        assert growth(paths[kind], letter) == pytest.approx(-1, abs=0.15)


def test_a_stack_is_no_deeper_than_it_must_be() -> None:
    """A window of 3 reaches one position further with each layer; kernels of 3 reach 1, 2, 4, 8 positions further."""
    assert len(layer_costs.connecting_stack("restricted", 12, r=3)) == 11
    assert [len(layer_costs.connecting_stack("convolutional", n, k=3)) for n in (15, 16, 17)] == [4, 4, 5]


def test_the_script(tmp_path: Path) -> None:
    layers = tmp_path / "layers.json"
    assert tiny.run(measure_layers.main, "--output", layers) == 0
    content = json.loads(layers.read_text())
    assert set(content["layers"]) == set(layer_costs.SIZES)
