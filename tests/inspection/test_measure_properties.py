"""Footnote 4, the rotation of section 3.5, and the script."""

from pathlib import Path
from typing import Any

import pytest
import tiny

from transformer.common.artifacts import read_artifact
from transformer.inspection import measure_properties
from transformer.inspection.measure_properties import dot_products, rotation_error
from transformer.model.positions import sinusoids, sinusoids_in_halves

FAR = "(TOP (S (NP (NP (NN dog)) (PP (IN while) (NP (NNS birds)))) (VP (VBZ runs))))"
NEAR = "(TOP (S (NP (NN dog)) (VP (VBZ runs))))"


@pytest.mark.parametrize("d_k", [4, 64])
def test_the_variance_of_dot_products_is_d_k(d_k: int) -> None:
    assert dot_products(d_k)["variance"] == pytest.approx(d_k, rel=0.05)


def test_a_shift_is_a_rotation_for_the_sinusoids_of_the_paper_only() -> None:
    assert rotation_error(sinusoids(80, 16), 50, (1, 7, 30)) < 1e-6
    assert rotation_error(sinusoids(80, 16) ** 2, 50, (1, 7, 30)) > 0.1
    assert rotation_error(sinusoids_in_halves(80, 16), 50, (1, 7, 30)) > 0.1


def measure(folder: Path, run: Path, model: Path, *options: object) -> dict[str, Any]:
    """Run the script on a model with random weights; the same files give the same bytes."""
    given = ["--model", model, "--config", run / "config.json", "--subwords", run / "subwords.model"]
    outputs = [folder / "properties.json", folder / "again.json"]
    for output in outputs:
        assert tiny.run(measure_properties.main, *given, *options, "--output", output) == 0
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    return read_artifact(outputs[0], "properties")


def test_the_script(tiny_run: Path, tiny_model: Path, tmp_path: Path) -> None:
    trees = [tmp_path / "dev.trees", tmp_path / "test.trees"]
    for path, sentences in zip(trees, (20, 30), strict=True):
        path.write_text(f"{FAR}\n" * sentences + f"{NEAR}\n" * 50)
    content = measure(tmp_path, tiny_run, tiny_model, "--trees", *trees, "--anaphora")
    assert [row["d_k"] for row in content["dot_products"]] == [4, 16, 64, 256]
    assert content["positions"]["largest_error"] < 1e-6
    found = content["heads"].pop("subject")
    assert (found["dev_sentences"], found["test_sentences"], found["skipped"]) == (20, 30, 0)
    assert (found["offset"], found["offset_right"]) == (-3, 30)
    assert content["heads"] == {}  # no pronoun, so no anaphora


def test_few_sentences_or_no_trees_give_no_heads(tiny_run: Path, tiny_model: Path, tmp_path: Path) -> None:
    few = tmp_path / "few.trees"
    few.write_text(f"{FAR}\n" * 19)
    assert measure(tmp_path, tiny_run, tiny_model, "--trees", few, few)["heads"] == {}
    assert measure(tmp_path, tiny_run, tiny_model)["heads"] == {}
