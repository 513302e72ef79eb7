"""Which files of the library a script runs: what its rule declares as inputs, so that an edit reruns what it must."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGES = ("transformer", "demo_grammar")


def code_of(script: str, root: Path | str = ".") -> list[str]:
    """The script and every module of the library that it imports, directly or not, as paths relative to ``root``.

    Imports are followed without running them.  A script that does not exist is returned alone: Snakemake then names
    it as a missing input.
    """
    root = Path(root)
    found: set[Path] = set()
    queue = [root / script]
    while queue:
        path = queue.pop()
        if path not in found:
            found.add(path)
            queue += _imported(path, root / "src")
    return sorted(str(path.relative_to(root)) for path in found)


@cache
def _imported(path: Path, source: Path) -> list[Path]:
    """The files of the library that ``path`` itself imports, the ``__init__.py`` of their packages included."""
    if not path.exists():
        return []
    found = []
    for name in _names(ast.parse(path.read_text(encoding="utf-8"))):
        parts = name.split(".")
        for length in range(1, len(parts) + 1):
            place = source.joinpath(*parts[:length])
            found += [file for file in (place / "__init__.py", place.with_suffix(".py")) if file.exists()]
    return found


def _names(tree: ast.AST) -> Iterator[str]:
    """Every dotted name of the library in an import statement; ``from a import b`` may name the module ``a.b``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif (
            isinstance(node, ast.ImportFrom) and node.module and node.level == 0
        ):  # ruff forbids relative imports
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] in PACKAGES)
