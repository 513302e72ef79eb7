"""Run docs/walkthrough.ipynb, and store what its cells print and draw.

    python docs/run_walkthrough.py

It needs no Jupyter.  The page needs Table 2 of the demo scale: snakemake --cores all results/table2.csv
"""

import ast
import base64
import contextlib
import io
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("agg")

import nbformat
from matplotlib import pyplot

NOTEBOOK = Path(__file__).with_name("walkthrough.ipynb")


def run(notebook: nbformat.NotebookNode) -> None:
    """Run the code cells in their order, and replace their outputs.  An exception of a cell is raised."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    code = (cell for cell in notebook.cells if cell.cell_type == "code")
    for number, cell in enumerate(code, start=1):
        cell.outputs = run_cell(cell.source, f"<cell {number}>", scope)
        cell.execution_count = number


def run_cell(source: str, name: str, scope: dict[str, Any]) -> list[nbformat.NotebookNode]:
    """Run one cell, and return its outputs: what it prints, its figures, and the value of its last line."""
    tree = ast.parse(source, name)
    last = tree.body[-1] if tree.body else None
    value = None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(tree.body[:-1], []), name, "exec"), scope)
            value = eval(compile(ast.Expression(last.value), name, "eval"), scope)
        else:
            exec(compile(tree, name, "exec"), scope)
    outputs = []
    if printed.getvalue():
        outputs.append(nbformat.v4.new_output("stream", name="stdout", text=printed.getvalue()))
    outputs += [nbformat.v4.new_output("display_data", picture(number)) for number in pyplot.get_fignums()]
    pyplot.close("all")
    if value is not None:
        outputs.append(nbformat.v4.new_output("execute_result", shown(value)))
    return outputs


def picture(number: int) -> dict[str, str]:
    """Return a figure as PNG."""
    content = io.BytesIO()
    pyplot.figure(number).savefig(content, format="png", bbox_inches="tight", metadata={"Software": None})
    return {"image/png": base64.b64encode(content.getvalue()).decode("ascii")}


def shown(value: object) -> dict[str, str]:
    """Return a value as text, and a DataFrame as a table, too."""
    html = getattr(value, "_repr_html_", None)
    return {"text/plain": repr(value)} | ({"text/html": html()} if html else {})


def main() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    run(notebook)
    nbformat.validate(notebook)
    nbformat.write(notebook, NOTEBOOK)


if __name__ == "__main__":
    main()
