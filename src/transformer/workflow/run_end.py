"""Say at the end of a run what it made: its table, where that is, and what to look at next."""

import shutil
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError
from transformer.model.trained_by import notes_on_trainings
from transformer.tables.cells import read_table
from transformer.tables.entries import ENTRIES
from transformer.verification.published import verdict

# The first that was made is shown.
TABLES = dict.fromkeys(["table2", "table4", "table3", *ENTRIES])
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
        of_weights = notes_on_trainings(
            sorted(Path(file).parent for file in made if file.endswith("/training.json"))
        )
        published = verdict(scale, made)
    except UserError as error:  # a file of an older format; the run itself has succeeded
        of_weights, published = [], f"not compared with the published {scale}: {error}"
    lines = [*result(made, asked, scale, width), *of_weights, published]
    logger.info("\n".join(filter(None, lines)), extra={"result": True})


def result(made: Collection[str], asked: Sequence[str], scale: str, width: int) -> list[str]:
    """Return the lines that end a run: a table among the files ``made``, or else the first that were ``asked`` for."""
    table = next((name for name in TABLES if f"results/{name}.md" in made), None)
    if table is None:
        return [*asked[:SHOWN], *(["…"] if len(asked) > SHOWN else [])]
    of_table = f"results/{table}.html"
    page = f"add {of_table} to this command  for a page of it, whose models translate what you type"
    if shown := next((name for name in (PAGE, of_table) if name in made), None):
        page = f"{shown}  shows it, and its models translate what you type; open it in a browser"
    everything = f"{PAGE} in place of the table, with the same options, makes all tables and figures"
    return [
        *table_lines(Path("results", scale, "tables", f"{table}.json"), width),
        "",
        f"results/{table}.tex (.csv and .md beside it)",
        page,
        *([] if PAGE in made else [everything]),
    ]


def table_lines(path: Path, width: int) -> list[str]:
    """Return the title, the warning and the table in a file of cells, with the columns that fit into ``width``."""
    # This loads pandas, which takes a second.
    from transformer.tables.plain_table import plain_table

    table = read_table(path)
    lines, left_out = plain_table(table, width)
    about = [table.title, *([f"{table.warning}."] if table.warning else [])]
    more = [f"({left_out} more columns in results/{table.name}.md)"] if left_out else []
    return [*about, "", *lines, *more]
