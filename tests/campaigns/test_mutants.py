"""The mutants that the campaign tries: each is a change of the present code, and can be imported."""

import ast
from pathlib import Path

import pytest
from mutant_rules import Mutant, mutants_of
from mutants import PACKAGES, explanations, generated_mutants
from named_mutants import NAMED

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("mutant", NAMED, ids=lambda mutant: mutant.name)
def test_a_named_mutant_changes_one_place_of_the_code(mutant: Mutant) -> None:
    """If this fails after an edit of the code, edit the mutant as well (tests/campaigns/named_mutants.py)."""
    content = (ROOT / mutant.path).read_bytes()
    changed = mutant.applied_to(content)
    assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(content))


def test_explained_survivors_are_mutants_of_the_present_code() -> None:
    """If this fails after an edit of the code, edit the explanation as well (tests/campaigns/survivors.toml)."""
    places = {mutant.place for package in PACKAGES for mutant in generated_mutants(package)}
    explained = [place for entry in explanations() for place in entry["mutants"]]
    assert [place for place in explained if place not in places] == []
    assert len(set(explained)) == len(explained)
    assert all(entry["reason"].endswith(".") for entry in explanations())


def test_no_two_have_the_same_name() -> None:
    assert len({mutant.name for mutant in NAMED}) == len(NAMED)


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
def test_the_rules(code: str, expected: set[str]) -> None:
    assert made(code) == expected


def test_all_mutants_of_a_file_are_python() -> None:
    for path in ("src/transformer/model/attention.py", "src/transformer/dataset/batching.py"):
        assert len(made((ROOT / path).read_text(encoding="utf-8"))) > 50
