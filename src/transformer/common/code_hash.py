"""Hash all code that a script runs, without comments, docstrings and layout.

The hash is a parameter of the script's rule, so that an edit reruns the rule.
"""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGES = ("transformer", "demo_grammar")


def code_hash(script: str, root: Path | str = ".") -> str:
    """Return a hash of all files that ``code_of`` lists, and of their paths."""
    lines = [f"{path} {file_hash(Path(root, path))}" for path in code_of(script, root)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def code_of(script: str, root: Path | str = ".") -> list[str]:
    """List the script, every module of the library that it imports, directly or not, and the data files beside them.

    Imports are followed without running them.  The paths that are returned are relative to ``root``.  Raises
    FileNotFoundError if the script does not exist.
    """
    found: set[Path] = set()
    queue = {Path(root, script)}
    while queue:
        found |= queue
        queue = {used for path in queue for used in _used(path, Path(root, "src"))} - found
    return sorted(str(path.relative_to(root)) for path in found)


@cache
def _tree(path: Path) -> ast.Module | None:
    """Return the syntax tree of a module without its docstrings; None for what is no module, or not a valid one."""
    content = path.read_bytes()
    try:
        tree = ast.parse(content if path.suffix == ".py" else b"0=")
    except (SyntaxError, ValueError):  # the error will show when a job runs the file
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and (
            ast.get_docstring(node, clean=False) is not None
        ):
            node.body = node.body[1:]
    return tree


@cache
def file_hash(path: Path) -> str:
    """Return a hash of what a module does, or of the content of another file."""
    tree = _tree(path)
    return hashlib.sha256(path.read_bytes() if tree is None else _meaning(tree).encode()).hexdigest()


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


@cache
def _used(path: Path, source: Path) -> tuple[Path, ...]:
    """Return the modules of the library, in the folder ``source``, that a file imports, and the data beside it."""
    tree = _tree(path)
    return () if tree is None else (*_imported(tree, source), *_data_beside(path.parent, source))


def _imported(tree: ast.Module, source: Path) -> Iterator[Path]:
    """Yield the modules of the library that the code imports, and the ``__init__.py`` of their packages."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:  # ruff forbids relative imports
            # Each may be a module or a name in one.
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for parts in (name.split(".") for name in names if name.split(".")[0] in PACKAGES):
            for length in range(1, len(parts) + 1):
                place = source.joinpath(*parts[:length])
                files = (place / "__init__.py", place.with_suffix(".py"))
                yield from (file for file in files if file.exists())


@cache
def _data_beside(folder: Path, source: Path) -> tuple[Path, ...]:
    """Return the files of a package that are no code, such as its schemas and templates, and those in its folders."""
    if not folder.is_relative_to(source) or folder.parent == source.parent:
        return ()
    inside = [entry for entry in folder.iterdir() if not (entry / "__init__.py").exists()]
    files = [file for entry in inside for file in ([entry] if entry.is_file() else entry.rglob("*"))]
    return tuple(file for file in files if file.is_file() and file.suffix not in (".py", ".pyi", ".pyc"))
