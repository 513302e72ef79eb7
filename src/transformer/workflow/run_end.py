"""Say at the end of a run what it made: its table, where that is, and what to look at next."""

import shlex
import shutil
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError
from transformer.common.project import config_file, in_project
from transformer.common.yaml_files import read_yaml
from transformer.verification.published import verdict

# The first that was made is shown.
TABLES = ("table2", "table4", "table3", "test_sets", "claims", "comparison", "table1")
SHOWN = 3  # of the files that were asked for
PAGE = "results/index.html"


def tell_result(workflow: Any, scale: str) -> None:
    """Log what a run made, and whether that is the published.

    Only the files of this run's jobs count: those it made, and those that were up to date.  Of what is beside them, as
    after ``--until``, nobody knows whether it fits the settings; and ``--touch`` makes nothing.
    """
    from snakemake.logging import logger

    if workflow.touch:
        logger.info("touched only: nothing was made or compared", extra={"result": True})
        return
    dag = workflow.dag
    made = {str(file) for job in dag.jobs for file in job.output}
    asked = sorted(made & {*map(str, dag.targetfiles)}) or sorted(
        str(file) for job in dag.targetjobs for file in job.output
    )
    width = shutil.get_terminal_size((120, 24)).columns
    try:
        published = verdict(scale, made)
    except UserError as error:  # a file of an older format; the run itself has succeeded
        published = f"not compared with the published {scale}: {error}"
    lines = [*result(made, asked, report_command(scale), width), published]
    logger.info("\n".join(filter(None, lines)), extra={"result": True})


def report_command(scale: str) -> str:
    """Return the command that makes the report of this scale; another folder than the project's has no Makefile."""
    if not in_project():
        return "snakemake … results/index.html"
    is_default = scale == read_yaml(config_file("config.yaml"))["scale"]
    return "make report" if is_default else f"make report SCALE={shlex.quote(scale)}"


def result(made: Collection[str], asked: Sequence[str], report: str, width: int) -> list[str]:
    """Return the lines that end a run: a table among the files ``made``, or else the first that were ``asked`` for.

    ``report`` is the command that makes the report.
    """
    table = next((name for name in TABLES if f"results/{name}.md" in made), None)
    if table is None:
        return [*asked[:SHOWN], *(["…"] if len(asked) > SHOWN else [])]
    page = f"add {PAGE} to this command  for a page of it, whose models translate what you type"
    if PAGE in made:
        page = f"{PAGE}  shows what there is, and its models translate what you type; open it in a browser"
    elif Path(PAGE).exists():
        page = f"{PAGE} is from an earlier run: add it to this command  to make it again"
    following = f"next: {report}  makes all tables and figures, and trains the models that they still need"
    is_everything = "results/comparison.md" in made
    return [
        *table_lines(Path(f"results/{table}.md").read_text(encoding="utf-8"), width),
        "",
        f"results/{table}.tex (.csv and .md beside it)",
        page,
        *([] if is_everything else [following]),
    ]


def table_lines(page: str, width: int) -> list[str]:
    """Return the title, the first remark and the table of a Markdown page, with the columns that fit into ``width``."""
    text = [line.strip("#* ") for line in page.splitlines() if line and not line.startswith("|")]
    rows = [line for line in page.splitlines() if line.startswith("|")]
    end = rows[0].rfind("|", 0, width) + 1
    more = ["(more columns in the file)"] if end < len(rows[0]) else []
    return [*text[:2], "", *(row[:end] for row in rows), *more]
