"""The mutants that the campaign tries: those chosen by hand apply, and those made by rule are Python."""

import ast
from pathlib import Path

import pytest
from mutant_rules import Mutant, mutants_of
from named_mutants import NAMED

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("mutant", NAMED, ids=lambda mutant: mutant.name)
def test_every_named_mutant_applies(mutant: Mutant) -> None:
    """Exactly one place has its text, or the campaign would end with that error after an hour."""
    mutant.applied_to((ROOT / mutant.path).read_bytes())


def made(code: str) -> set[str]:
    """The changed texts of ``code``, which all must be Python."""
    found = {mutant.applied_to(code.encode()).decode() for mutant in mutants_of("file.py", code)}
    for text in found:
        ast.parse(text)
    return found


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = a + b * c", {"x = (a - b * c)", "x = a + (b / c)"}),
        ("x = 'ä' < b <= c", {"x = ('ä' <= b <= c)", "x = ('ä' < b < c)"}),
        ("x = not a", {"x = (a)"}),
        ("x = a and True", {"x = (a or True)", "x = a and (False)"}),
        ("x = 3\ny = 0.5", {"x = (4)\ny = 0.5", "x = 3\ny = (1.0)"}),
        ("x = a if b else c", {"x = (a)", "x = (c)"}),
        ("f(a, k=b)", {"pass", "(f(a))"}),
        ("x = zip(a, b, strict=True)", set()),
        ("x = ones(1, device=d)", {"x = ones((2), device=d)"}),
        ("x.y = a", {"pass"}),
        ("x += a", {"pass"}),
        ("x: int = a", set()),
        ("x = folder / 'a' / f'{b}'", set()),
        ("'a'\nx = f'{1}'", set()),
        ("assert 1 < 2", set()),
        (
            "if a:\n    raise E(f'{1 + 1}', 2)",
            {"if a:\n    pass", "if (not (a)):\n    raise E(f'{1 + 1}', 2)"},
        ),
    ],
)
def test_each_rule_changes_one_place(code: str, expected: set[str]) -> None:
    assert made(code) == expected


def test_all_mutants_of_a_file_are_python() -> None:
    for path in ("src/transformer/model/attention.py", "src/transformer/dataset/batching.py"):
        assert len(made((ROOT / path).read_text(encoding="utf-8"))) > 50
