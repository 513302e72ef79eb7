"""Draw the map of docs/architecture.md from the imports, and bring the page's table of packages up to date.

    python docs/draw_architecture.py

It writes docs/architecture.svg and the table between the two marks in docs/architecture.md.
tests/architecture/test_architecture_page.py fails when either is out of date.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("svg")

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
LIBRARY = SOURCE / "transformer"
PAGE = ROOT / "docs" / "architecture.md"
PICTURE = ROOT / "docs" / "architecture.svg"
MARKS = "<!-- packages: written by docs/draw_architecture.py -->\n", "<!-- end of packages -->\n"


@dataclass(frozen=True)
class Package:
    """One package of the library, as its files describe it."""

    name: str
    purpose: str  # the first line of its docstring
    imports: frozenset[str]  # other packages of the library
    lines: int


def read_packages() -> dict[str, Package]:
    """Return the packages of the library by name, those without imports first."""
    found = [_read(folder) for folder in sorted(LIBRARY.iterdir()) if (folder / "__init__.py").exists()]
    packages = {package.name: package for package in found}
    order = sorted(packages, key=lambda name: (level(name, packages), name))
    return {name: packages[name] for name in order}


def level(name: str, packages: dict[str, Package]) -> int:
    """Return the length of the longest chain of imports that starts at a package."""
    return max((1 + level(other, packages) for other in packages[name].imports), default=0)


def direct_imports(name: str, packages: dict[str, Package]) -> set[str]:
    """Return the imports of a package that no longer chain of imports implies."""
    imports = packages[name].imports
    return {other for other in imports if not any(other in _reachable(via, packages) for via in imports)}


def table(packages: dict[str, Package]) -> str:
    """Return the packages as a Markdown table: purpose, imports, importers and lines of code."""
    rows = ["| package | purpose | imports | imported by | lines |", "|---|---|---|---|---|"]
    for package in packages.values():
        importers = [other.name for other in packages.values() if package.name in other.imports]
        imports = [name for name in packages if name in package.imports]
        cells = [f"`{package.name}`", package.purpose, ", ".join(imports), ", ".join(importers)]
        rows.append(f"| {' | '.join([*cells, str(package.lines)])} |")
    return "\n".join(rows) + "\n"


def draw(packages: dict[str, Package], path: Path) -> None:
    """Draw one row of boxes for each level, and an arrow for each direct import."""
    pyplot.rcParams.update({"svg.hashsalt": "architecture", "svg.fonttype": "none", "font.size": 9})
    rows: dict[int, list[str]] = {}
    for name in packages:
        rows.setdefault(level(name, packages), []).append(name)
    base = next(iter(packages)) if len(rows[0]) == 1 else None  # a package below all others is drawn as a bar
    width = float(max(map(len, rows.values())))
    places = _places(rows, packages, width)
    top = len(rows)
    figure, axes = pyplot.subplots(figsize=(1.75 * width, 1.15 * (top + 1)))
    for name, (x, y) in places.items():
        package = packages[name]
        _box(axes, x, y, width - 0.2 if name == base else 0.8, f"{name}\n{package.lines} lines", "#dbe9f6")
        for other in sorted(direct_imports(name, packages) - {base}):
            to_x, to_y = places[other]
            axes.annotate(
                "",
                xy=(to_x + 0.15 * (x > to_x) - 0.15 * (x < to_x), to_y + 0.25),
                xytext=(x, y - 0.25),
                arrowprops={"arrowstyle": "-|>", "color": "#666666", "shrinkA": 0, "shrinkB": 0},
                zorder=0,
            )
    _box(axes, 0.4 * width, top, 0.7 * width, scripts(), "#e8f3df")
    _box(
        axes,
        0.87 * width,
        top,
        0.22 * width,
        f"demo_grammar\n{_lines(SOURCE / 'demo_grammar')} lines",
        "#f6ead7",
    )
    axes.set(xlim=(0, width), ylim=(-0.4, top + 0.4))
    axes.axis("off")
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})


def scripts() -> str:
    """Return a line on the scripts: they import the library, and nothing imports them."""
    folders = [folder for folder in sorted(SOURCE.iterdir()) if folder.is_dir() and any(folder.glob("*.py"))]
    stages = [folder for folder in folders if not (folder / "__init__.py").exists()]
    lines = sum(map(_lines, stages))
    return f"scripts, one folder for each stage, {lines} lines:\n{', '.join(stage.name for stage in stages)}"


def _places(
    rows: dict[int, list[str]], packages: dict[str, Package], width: float
) -> dict[str, tuple[float, int]]:
    """Return the centre of each box; packages lie near those that they import or that import them."""
    x: dict[str, float] = {}
    for _ in range(4):
        for names in rows.values():
            near = {
                name: [
                    x[other]
                    for other in x
                    if other in packages[name].imports or name in packages[other].imports
                ]
                for name in names
            }
            names.sort(key=lambda name: sum(near[name]) / max(len(near[name]), 1))
            x |= {name: (position + 0.5) * width / len(names) for position, name in enumerate(names)}
    return {name: (x[name], row) for row, names in rows.items() for name in names}


def _box(axes: Axes, x: float, y: float, width: float, text: str, colour: str) -> None:
    corner = (x - width / 2, y - 0.25)
    style = "round,pad=0,rounding_size=0.05"
    axes.add_patch(FancyBboxPatch(corner, width, 0.5, boxstyle=style, facecolor=colour, edgecolor="#444444"))
    axes.text(x, y, text, ha="center", va="center")


def _read(folder: Path) -> Package:
    documentation = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    imports = {name for path in folder.rglob("*.py") for name in _imports(path)}
    return Package(
        folder.name, documentation.partition("\n")[0], frozenset(imports - {folder.name}), _lines(folder)
    )


def _imports(path: Path) -> Iterator[str]:
    """Yield the package of each import of the library in a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "transformer":
            yield from (alias.name for alias in node.names)
            continue
        module = node.module if isinstance(node, ast.ImportFrom) else None
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [module or ""]
        yield from (name.split(".")[1] for name in names if name.startswith("transformer."))


def _reachable(name: str, packages: dict[str, Package]) -> set[str]:
    imports = packages[name].imports
    return set(imports).union(*(_reachable(other, packages) for other in imports))


def _lines(folder: Path) -> int:
    return sum(path.read_text(encoding="utf-8").count("\n") for path in folder.rglob("*.py"))


def main() -> None:
    packages = read_packages()
    draw(packages, PICTURE)
    page = PAGE.read_text(encoding="utf-8")
    between = re.compile(f"(?<={re.escape(MARKS[0])}).*(?={re.escape(MARKS[1])})", re.DOTALL)
    PAGE.write_text(between.sub(lambda _: table(packages), page), encoding="utf-8")


if __name__ == "__main__":
    main()
