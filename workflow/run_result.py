"""Show at the end of a run the table that it made, where it is, and what to look at next."""

import json
import re
import shlex
import shutil
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from transformer.common.project import config_file, in_project
from transformer.common.yaml_files import read_yaml

TABLES = (
    "table2",
    "table4",
    "table3",
    "test_sets",
    "comparison",
    "table1",
)  # the first that was made is shown
# What to look at after a run that made it.
NEXT = {
    "results/README.md": "the index of all results",
    "results/report.html": "tables, figures and run times as a web page; open it in a browser",
    "results/report.pdf": "the report as a document",
    "results/scores.csv": "every number that was measured, one per row",
    "results/comparison.md": "the paper's numbers beside ours",
    "results/{scale}/tables/cost.md": "what the trainings cost",
    "results/{scale}/provenance.json": "the files and settings behind each number",
}
SHOWN = 3  # of NEXT


def tell_result(workflow: Any, scale: str) -> None:
    """Log the result of a run that made all it was asked for."""
    from snakemake.logging import logger

    made = {str(file) for job in workflow.dag.jobs for file in job.output}
    asked = sorted(str(file) for file in workflow.dag.targetfiles)
    width = shutil.get_terminal_size((120, 24)).columns
    lines = result(made, asked, scale, width, report_command(scale))
    logger.info("\n".join(lines), extra={"result": True})


def report_command(scale: str) -> str:
    """Return the command that makes the report of this scale; another folder than the project's has no Makefile."""
    if not in_project():
        return "snakemake … results/report.html"
    is_default = scale == read_yaml(config_file("config.yaml"))["scale"]
    return "make report" if is_default else f"make report SCALE={shlex.quote(scale)}"


def result(made: Collection[str], asked: Sequence[str], scale: str, width: int, report: str) -> list[str]:
    """Return the lines that end a run: the first of TABLES among the files ``made``, and where to look next.

    Without a table they name the first files that the user ``asked`` for.  ``report`` is the command that makes one.
    """
    tables = [name for name in TABLES if f"results/{name}.md" in made]
    if tables:
        page = Path(f"results/{tables[0]}.md").read_text(encoding="utf-8")
        lines = [*table_lines(page, width), "", f"results/{tables[0]}.tex (.csv and .md beside it)"]
    else:
        lines = [*map(with_score, asked[:SHOWN]), *(["…"] if len(asked) > SHOWN else [])]
    places = [(place.format(scale=scale), what) for place, what in NEXT.items()]
    others = [(f"results/{name}.md", "another table") for name in tables[1:]]
    following = [(place, what) for place, what in places + others if place in made][:SHOWN]
    if tables and "results/report.html" not in made:
        following.append((report, "all tables and figures; this trains the other models first"))
    width_of_places = max((len(place) for place, _ in following), default=0)
    return [*lines, *(f"next: {place:<{width_of_places}}  {what}" for place, what in following)]


def with_score(path: str) -> str:
    """Return the path of a file that was asked for; of a translation model's scores.json, with its BLEU."""
    if Path(path).name != "scores.json":
        return path
    scores = json.loads(Path(path).read_text(encoding="utf-8"))
    if "headline" not in scores:
        return path
    bleu = scores["measures"][scores["headline"]]["value"]
    return f"{path}: BLEU {bleu:.1f} (as in the paper), {scores['sentences']:,} sentences"


def table_lines(page: str, width: int) -> list[str]:
    """Return the title, the first remark and the table of a Markdown page as plain text.

    The table has the columns from the left that fit into ``width``, at least two.
    """
    text = [line.strip("#* ") for line in page.splitlines() if line and not line.startswith("|")]
    rows = [
        [plain(cell) for cell in line.strip("|").split("|")]
        for line in page.splitlines()
        if line.startswith("|")
    ]
    rows = [row for row in rows if not all(re.fullmatch(r":?-+:?", cell) for cell in row)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    fitting = [n for n in range(2, len(widths) + 1) if sum(widths[:n]) + 2 * (n - 1) <= width]
    count = max(fitting, default=2)
    lines = [
        "  ".join(f"{cell:<{size}}" for cell, size in zip(row[:count], widths, strict=False)).rstrip()
        for row in rows
    ]
    lines.insert(1, "  ".join("─" * size for size in widths[:count]))
    left_out = len(widths) - count
    more = [f"({left_out} more {'column' if left_out == 1 else 'columns'} in the file)"] if left_out else []
    return [*text[:2], "", *lines, *more]


def plain(cell: str) -> str:
    """Return a cell of a Markdown table without its marks, and without the letter of a footnote."""
    return re.sub(r"<sup>.*?</sup>|</?sub>|\*\*", "", cell).strip()
