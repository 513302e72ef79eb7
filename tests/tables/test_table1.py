"""The expressions that Table 1 has beside the paper's."""

import pytest

from transformer.tables.latex_text import mathematics
from transformer.tables.table1 import formula


@pytest.mark.parametrize(
    ("coefficient", "exponents", "text", "tex"),
    [
        (2.0, {"n": 1.0, "d": 2.0, "k": 1.0}, "2 k n d^2", r"$2\,k\,n\,d^{2}$"),
        (1.651, {"log_k(n)": 0.9734}, "1.65 log_k(n)^0.97", r"$1.65\,\log_k(n)^{0.97}$"),
        (23.34, {"r": -1.0668, "n": 0.9996}, "23.3 n r^-1.07", r"$23.3\,n\,r^{-1.07}$"),
        (9.0, {"n": -0.001}, "9", "$9$"),
    ],
)
def test_formulas(coefficient: float, exponents: dict[str, float], text: str, tex: str) -> None:
    written = formula([{"coefficient": coefficient, "exponents": exponents}])
    assert (written, mathematics(written)) == (text, tex)
