"""Mutants of a Python file, made by rule: other operators, constants and conditions, and statements left out.

Annotations, docstrings, messages, the inside of f-strings and the arguments in ``UNCHANGED`` stay as they are.
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

OTHER_OPERATOR: dict[type[ast.AST], Any] = {ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult}
OTHER_OPERATOR[ast.BitXor] = ast.BitOr
for one, other in (
    *((ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.LShift, ast.RShift), (ast.BitAnd, ast.BitOr)),
    *((ast.And, ast.Or), (ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq)),
    *((ast.Is, ast.IsNot), (ast.In, ast.NotIn)),
):
    OTHER_OPERATOR |= {one: other, other: one}
CHANGED_ITSELF = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Constant)
# zip's strict only finds mistakes of programmers, and without its device a tensor fails on a GPU and nowhere else.
UNCHANGED = ("strict", "device")
REMOVABLE = (ast.AugAssign, ast.Raise, ast.Delete, ast.Break, ast.Continue)


@dataclass(frozen=True)
class Mutant:
    """A file with ``old`` replaced by ``new``, at a byte offset or, without one, at the only place where it stands."""

    name: str
    path: str  # in the project
    old: str
    new: str
    start: int | None = None
    lines: tuple[int, ...] = ()  # those that the change touches
    place: str = ""  # file, code of the first line and change: no number that an edit elsewhere would move

    def applied_to(self, content: bytes) -> bytes:
        """Return the changed content of the file.  SystemExit if ``old`` is not there, or not once."""
        old, new = self.old.encode(), self.new.encode()
        if self.start is None and content.count(old) != 1:
            raise SystemExit(
                f"error: mutant '{self.name}': {self.path} has {content.count(old)} times: {self.old}"
            )
        start = content.index(old) if self.start is None else self.start
        if content[start : start + len(old)] != old:
            raise SystemExit(f"error: mutant '{self.name}': {self.path} has changed meanwhile")
        return content[:start] + new + content[start + len(old) :]


def mutants_of(path: str, code: str) -> list[Mutant]:
    """Return all mutants of a file.  Each has a name with its line, what stood there and what stands there now."""
    content = code.encode()
    starts = [0]
    for line in content.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: dict[str, Mutant] = {}
    for node, new in changes(ast.parse(code)):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = starts[node.lineno - 1] + node.col_offset
        old = content[start : starts[node.end_lineno - 1] + node.end_col_offset].decode()
        name = f"{path}:{node.lineno}:{node.col_offset}  {in_one_line(old)}  ->  {in_one_line(new)}"
        lines = tuple(range(node.lineno, node.end_lineno + 1))
        first_line = content[starts[node.lineno - 1] : starts[node.lineno]].decode().strip()
        place = f"{path.removeprefix('src/transformer/')}: {first_line}: {in_one_line(old)}  ->  {in_one_line(new)}"
        found[name] = Mutant(name, path, old, new, start, lines, place)
    return list(found.values())


def in_one_line(code: str) -> str:
    return " ".join(code.split())


def changes(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Yield each node that is changed, with the code that replaces it."""
    for node in nodes_to_change(tree):
        if isinstance(node, ast.stmt):
            if is_removable(node):
                yield node, "pass"
            if isinstance(node, ast.If | ast.While) and not isinstance(node.test, CHANGED_ITSELF):
                yield node.test, f"(not ({ast.unparse(node.test)}))"
            continue
        for changed in changed_expressions(node):
            yield node, f"({ast.unparse(changed)})"


def nodes_to_change(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Yield the statements and expressions of ``node``, without those that are annotations or messages."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr | ast.Assert | ast.Import):
                continue
            if isinstance(child, ast.keyword) and child.arg in UNCHANGED:
                continue
            if isinstance(child, ast.expr | ast.stmt):
                yield child
            if not isinstance(child, ast.Raise):  # its message
                yield from nodes_to_change(child)


def is_removable(node: ast.stmt) -> bool:
    """Return whether the program can go on without the statement; a name that is not assigned would only crash."""
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant | ast.Yield | ast.YieldFrom)
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
    return isinstance(node, REMOVABLE)


def changed_expressions(node: ast.expr) -> Iterator[ast.expr]:
    """Yield what may stand in the place of an expression."""
    match node:
        case ast.BinOp(op=ast.Div(), right=ast.Constant(value=str()) | ast.JoinedStr()):
            return  # a path: without this operator there is only a crash
        case ast.BinOp(op=op) | ast.BoolOp(op=op) if type(op) in OTHER_OPERATOR:
            changed = copy.deepcopy(node)
            changed.op = OTHER_OPERATOR[type(op)]()
            yield changed
        case ast.Compare():
            for i, comparison in enumerate(node.ops):
                compared = copy.deepcopy(node)
                compared.ops[i] = OTHER_OPERATOR[type(comparison)]()
                yield compared
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.IfExp():
            yield node.body
            yield node.orelse
        case ast.Call():
            for i, keyword in enumerate(node.keywords):
                if keyword.arg is not None and keyword.arg not in UNCHANGED:
                    shorter = copy.deepcopy(node)
                    del shorter.keywords[i]
                    yield shorter
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(number)):
            yield ast.Constant(number + 1)
        case ast.Constant(value=float(number)):
            yield ast.Constant(number * 2 or 1.0)
