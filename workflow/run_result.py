"""Show at the end of a run the table that it made, where it is, and what to look at next; make the page of it."""

import shlex
import shutil
from collections.abc import Collection, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from transformer.common.project import config_file, in_project
from transformer.common.yaml_files import read_yaml

# The first that was made is shown.
TABLES = ("table2", "table4", "table3", "test_sets", "claims", "comparison", "table1")
ON_PAGE = ("table1", "table2", "table3", "table4", "claims")
SHOWN = 3  # of the files that were asked for
PAGE = "results/index.html"
SHOWN_FOLDERS = (Path("results"), Path("results/figures"))  # whose files the page lists


def tell_result(workflow: Any, scale: str) -> None:
    """Log what a run made, and whether that is the published; write its page.

    Only the files of this run's jobs count: those it made, and those that were up to date.  Of what is beside them, as
    after ``--until``, nobody knows whether it fits the settings; and ``--touch`` makes nothing.
    """
    from snakemake.logging import logger

    from transformer.verification.published import verdict

    if workflow.touch:
        logger.info("touched only: nothing was made or compared", extra={"result": True})
        return
    dag = workflow.dag
    made = {str(file) for job in dag.jobs for file in job.output}
    asked = sorted(made & {*map(str, dag.targetfiles)}) or sorted(
        str(f) for job in dag.targetjobs for f in job.output
    )
    width = shutil.get_terminal_size((120, 24)).columns
    without: list[str] = []
    if PAGE not in made and has_page(made):
        from transformer.page.make_page import write_page

        there = sorted(path for path in map(Path, made) if path.parent in SHOWN_FOLDERS)
        files = [path for path in there if path.is_file()]  # results/curves is a folder
        without = write_page(Path("results", scale), files, Path(PAGE), verdict(scale))
    lines = [*result(made, asked, report_command(scale), width, without), verdict(scale, made)]
    logger.info("\n".join(filter(None, lines)), extra={"result": True})


def report_command(scale: str) -> str:
    """Return the command that makes the report of this scale; another folder than the project's has no Makefile."""
    if not in_project():
        return "snakemake … results/index.html"
    is_default = scale == read_yaml(config_file("config.yaml"))["scale"]
    return "make report" if is_default else f"make report SCALE={shlex.quote(scale)}"


def result(
    made: Collection[str], asked: Sequence[str], report: str, width: int, without: Sequence[str] = ()
) -> list[str]:
    """Return the lines that end a run: a table among the files ``made``, or else the first that were ``asked`` for.

    ``report`` is the command that makes the report; ``without`` says which models the page leaves out.
    """
    table = table_of(made)
    if table is None:
        return [*asked[:SHOWN], *(["…"] if len(asked) > SHOWN else []), *without]
    page = Path(f"results/{table}.md").read_text(encoding="utf-8")
    shown = f"{PAGE}  shows what there is, and its models translate what you type; open it in a browser"
    following = [f"next: {report}  makes all tables and figures, and trains the models that they still need"]
    return [
        *table_lines(page, width),
        "",
        f"results/{table}.tex (.csv and .md beside it)",
        *([shown] if has_page(made) else []),
        *without,
        *(following if PAGE not in made else []),
    ]


def has_page(made: Collection[str]) -> bool:
    """Return whether a run that made these files ends with a page: whether the page or a table on it is among them.

    A plain Snakemake, whose jobs have their packages from conda, cannot write the page; there, its own rule makes it.
    """
    has_packages = find_spec("pandas") is not None
    return PAGE in made or (has_packages and any(f"results/{name}.md" in made for name in ON_PAGE))


def table_of(made: Collection[str]) -> str | None:
    """Return the first of the tables that is among the files ``made``."""
    return next((name for name in TABLES if f"results/{name}.md" in made), None)


def table_lines(page: str, width: int) -> list[str]:
    """Return the title, the first remark and the table of a Markdown page, with the columns that fit into ``width``."""
    text = [line.strip("#* ") for line in page.splitlines() if line and not line.startswith("|")]
    rows = [line for line in page.splitlines() if line.startswith("|")]
    end = rows[0].rfind("|", 0, width) + 1
    more = ["(more columns in the file)"] if end < len(rows[0]) else []
    return [*text[:2], "", *(row[:end] for row in rows), *more]
