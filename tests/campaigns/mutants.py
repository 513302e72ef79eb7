"""Change single lines of the code at random, and count the changes that the tests of their folder notice.

    python tests/campaigns/mutants.py src/transformer/scoring tests/scoring --changes 25 --seed 1

Each change is tried alone, in a copy of the project: another comparison, another operation, a number that is one more,
a condition that never holds.  Those that no test noticed are printed as they come; many of them change nothing that can
be seen, so read them.  A change that makes the tests hang counts as noticed.
"""

import argparse
import ast
import copy
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
OTHERS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
NAMES = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "argmax": "argmin",
    "amax": "amin",
    "sorted": "list",
}
TALK = {"print", "say", "add_argument", "UserError", "ValueError", "field", "setting"}  # not of numbers


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("code", type=Path, help="folder or file of src/ to change")
    parser.add_argument("tests", type=Path, nargs="+", help="folders or files of tests to run")
    parser.add_argument("--changes", type=int, default=25)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=300, help="seconds that the tests may take")
    arguments = parser.parse_args()
    # Each run of the tests begins as a copy of this process, which has what takes long to import.
    import hypothesis
    import numpy
    import pytest
    import torch

    del hypothesis, numpy, torch
    code = ROOT / arguments.code
    places = [
        (path, number)
        for path in (sorted(code.rglob("*.py")) if code.is_dir() else [code])
        for number in range(len(list(changes(path.read_bytes()))))
    ]
    chosen = random.Random(arguments.seed).sample(places, min(arguments.changes, len(places)))
    with tempfile.TemporaryDirectory() as folder:
        files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
        for name in filter(os.path.isfile, files.stdout.splitlines()):
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, Path(folder) / name)
        options = ["-x", "-q", "-p", "no:cacheprovider", *map(str, arguments.tests)]
        if not passes(pytest, folder, options, arguments.limit):
            sys.exit("error: the tests fail without any change")
        noticed = 0
        for path, number in chosen:
            copied = Path(folder) / path.relative_to(ROOT)
            text = copied.read_bytes()
            changed, line, before, after = list(changes(text))[number]
            copied.write_bytes(changed)
            survived = passes(pytest, folder, options, arguments.limit)
            copied.write_bytes(text)
            noticed += not survived
            if survived:
                print(f"{path.relative_to(ROOT)}:{line}: {before}  ->  {after}", flush=True)
    print(f"{noticed} of {len(chosen)} changes were noticed")


def passes(pytest: Any, folder: str, options: list[str], limit: float) -> bool:
    """Whether the tests pass in the folder, in a new process."""
    process = os.fork()
    if not process:
        os.setsid()
        os.chdir(folder)
        os.environ["PYTHONPATH"] = f"{folder}/src"
        sys.path.remove(str(Path(__file__).parent))
        with open(os.devnull, "w") as nothing:
            os.dup2(nothing.fileno(), 1)
            os.dup2(nothing.fileno(), 2)
            os._exit(int(pytest.main(options)))
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.05)
    os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return False


def changes(text: bytes) -> Iterator[tuple[bytes, int, str, str]]:
    """Yield each changed text, the number of its line, and the expression before and after."""
    starts = [0]
    for line in text.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    for node, changed in expressions(ast.parse(text)):
        begin, end = (
            starts[line - 1] + column
            for line, column in ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))
        )
        after = ast.unparse(ast.fix_missing_locations(changed))
        whole = b"%b(%b)%b" % (text[:begin], after.encode(), text[end:])
        yield whole, node.lineno, ast.unparse(node), after


def expressions(node: ast.AST) -> Iterator[tuple[Any, Any]]:
    """Yield the expressions below a node that are no messages, types or defaults of options, each with another one."""
    called = getattr(node, "func", None)
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert):
        return
    if called and (getattr(called, "id", None) or getattr(called, "attr", None)) in TALK:
        return
    if isinstance(node, ast.expr):
        yield from ((node, changed) for changed in alternatives(node))
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from expressions(child)
        if name == "test" and not isinstance(value, ast.Compare | ast.UnaryOp | ast.BoolOp):
            yield value, ast.UnaryOp(ast.Not(), value)


def alternatives(node: Any) -> Iterator[Any]:
    """Yield what may stand in place of an expression."""
    changed = copy.deepcopy(node)
    match changed:
        case ast.Compare(ops=[op, *_]) if type(op) in OTHERS:
            changed.ops[0] = OTHERS[type(op)]()
        case ast.BinOp(op=op) | ast.BoolOp(op=op) if type(op) in OTHERS:
            changed.op = OTHERS[type(op)]()
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            changed = changed.operand
        case ast.Constant(value=bool(value)):
            changed.value = not value
        case ast.Constant(value=int(value) | float(value)):
            changed.value = value + 1 if isinstance(value, int) else value + 0.5
        case ast.Call(func=ast.Name(id=name) as called) if name in NAMES:
            called.id = NAMES[name]
        case ast.Call(func=ast.Attribute(attr=name) as called) if name in NAMES:
            called.attr = NAMES[name]
        case _:
            return
    yield changed


if __name__ == "__main__":
    main()
