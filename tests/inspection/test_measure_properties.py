"""Footnote 4, the rotation of section 3.5, and the script."""

from pathlib import Path

import pytest
import tiny

from transformer.common.artifacts import read_artifact
from transformer.inspection import measure_properties
from transformer.inspection.measure_properties import dot_products, rotation_error
from transformer.model.positions import sinusoids, sinusoids_in_halves


@pytest.mark.parametrize("d_k", [4, 64])
def test_the_variance_of_dot_products_is_d_k(d_k: int) -> None:
    assert dot_products(d_k)["variance"] == pytest.approx(d_k, rel=0.05)


def test_a_shift_is_a_rotation_for_the_sinusoids_of_the_paper_only() -> None:
    assert rotation_error(sinusoids(80, 16), 50, (1, 7, 30)) < 1e-6
    assert rotation_error(sinusoids(80, 16) ** 2, 50, (1, 7, 30)) > 0.1
    assert rotation_error(sinusoids_in_halves(80, 16), 50, (1, 7, 30)) > 0.1


def test_the_script(tmp_path: Path) -> None:
    """It gives the same bytes each time."""
    outputs = [tmp_path / "properties.json", tmp_path / "again.json"]
    for output in outputs:
        assert tiny.run(measure_properties.main, "--output", output) == 0
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    content = read_artifact(outputs[0], "properties")
    assert [row["d_k"] for row in content["dot_products"]] == [4, 16, 64, 256]
    assert content["positions"]["largest_error"] < 1e-6
