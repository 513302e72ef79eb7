"""Hash all code that a script runs.  The hash is a parameter of the script's rule, so that an edit reruns the rule."""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGES = ("transformer", "demo_grammar")


class Code(NamedTuple):
    """The hash of one file's code, and the other files that it uses."""

    sha256: str
    uses: tuple[Path, ...] = ()  # modules of the library that it imports, and data files that it names


def code_hash(script: str, root: Path | str = ".") -> str:
    """Return a hash of all files that ``code_of`` lists; the hash ignores comments, docstrings and layout."""
    hashes = [f"{path} {_read(Path(root, path), Path(root, 'src')).sha256}" for path in code_of(script, root)]
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()[:16]


def code_of(script: str, root: Path | str = ".") -> list[str]:
    """List the script, every module of the library that it imports, directly or not, and the data files they name.

    Imports are followed without running them.  A data file counts when a string in the code equals its path, or that
    of its folder, relative to the module: ``Path(__file__).parent / "words"`` names all files of the folder ``words``.
    The paths that are returned are relative to ``root``.  Raises FileNotFoundError if the script does not exist.
    """
    root = Path(root)
    found: set[Path] = set()
    queue = [root / script]
    while queue:
        path = queue.pop()
        if path not in found:
            found.add(path)
            queue += _read(path, root / "src").uses
    return sorted(str(path.relative_to(root)) for path in found)


@cache
def _read(path: Path, source: Path) -> Code:
    """Read one file; ``source`` is the folder that holds the packages of the library."""
    content = path.read_bytes()
    plain = Code(hashlib.sha256(content).hexdigest())
    if path.suffix != ".py":
        return plain
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):  # the error will show when a job runs the file
        return plain
    nodes = list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and (
            ast.get_docstring(node, clean=False) is not None
        ):
            node.body = node.body[1:]
    meaning = hashlib.sha256(_meaning(tree).encode()).hexdigest()
    return Code(meaning, (*_imported(nodes, source), *_named(nodes, path.parent)))


def _meaning(node: object) -> str:
    """Return the syntax tree as text that is the same in every version of Python.

    ``ast.dump`` is not: whether it writes empty fields depends on the version.  Python 3.12.1 ends a format that has
    fields of its own, as in ``f"{text:>{width}}"``, with an empty text.
    """
    if isinstance(node, ast.JoinedStr):
        node.values = [value for value in node.values if getattr(value, "value", None) != ""]
    if isinstance(node, list):
        return f"[{','.join(map(_meaning, node))}]"
    if not isinstance(node, ast.AST):
        return ascii(node)  # repr follows the Unicode tables of the version
    fields = ((name, getattr(node, name, None)) for name in node._fields if name != "ctx")
    said = [f"{name}={_meaning(value)}" for name, value in fields if value is not None and value != []]
    return f"{type(node).__name__}({','.join(said)})"


def _imported(nodes: list[ast.AST], source: Path) -> Iterator[Path]:
    """Yield the modules of the library that the code imports, and the ``__init__.py`` of their packages."""
    for node in nodes:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:  # ruff forbids relative imports
            # Each may be a module or a name in one.
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for parts in (name.split(".") for name in names if name.split(".")[0] in PACKAGES):
            for length in range(1, len(parts) + 1):
                place = source.joinpath(*parts[:length])
                yield from (
                    file for file in (place / "__init__.py", place.with_suffix(".py")) if file.exists()
                )


def _named(nodes: list[ast.AST], folder: Path) -> Iterator[Path]:
    """Yield the data files in ``folder`` that a string in the code names, by their path or that of their folder."""
    beside = _data_in(folder)
    for node in nodes if beside else ():
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node.value.split("/")[0] in beside
        ):
            place = folder / node.value
            yield from (file for file in (place, *place.rglob("*")) if file.is_file())


@cache
def _data_in(folder: Path) -> set[str]:
    """Return the names of the files and folders in ``folder`` that hold no code."""
    return {
        entry.name
        for entry in folder.iterdir()
        if entry.suffix != ".py" and entry.name != "__pycache__" and not (entry / "__init__.py").exists()
    }
