"""What the scripts of the tables share: their options, and writing a table with what is behind it.

Each table has a script of its own, which its rule calls, for example

    python -m transformer.tables.table2 --literature resources/literature.yaml \\
        --runs results/demo/runs/{base,big}/{en-de,en-fr} --output-dir results/demo/tables

It writes table2.json, which has the cells and what is behind them, and its renderings table2.tex, .csv and .md to the
output folder.  The scale and the corpus in the caption are those in the runs' config.json.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.artifacts import read_artifact
from transformer.common.notes import say
from transformer.common.project import local_path, resource_file
from transformer.corpus.licences import add_own_data, licence_note, terms_of, with_own
from transformer.corpus.registry import read_sources
from transformer.corpus.report import length_notes
from transformer.tables.cells import Table
from transformer.tables.commit import describe_commit
from transformer.tables.provenance import behind_table
from transformer.tables.render import write_table
from transformer.tables.runs import Run


def table_parser(about: str | None) -> argparse.ArgumentParser:
    """Return the parser of a table's script, with the options that all of them have.

    The table's file names its sources in the order of the options.
    """
    parser = argument_parser(about)
    add = parser.add_argument
    add("--literature", type=local_path, required=True, help="the paper's own numbers")
    add("--data", nargs="*", default=[], help="the sources of the corpora; none if they were generated")
    add_own_data(parser)
    add("--output-dir", type=local_path, required=True, help="folder for the table's files")
    return parser


def add_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=local_path, nargs="+", required=True, help="folders of scored runs")


def add_text(parser: argparse.ArgumentParser) -> None:
    about = "from check_text.py: further notes"
    parser.add_argument("--text", type=local_path, nargs="*", default=[], help=about)


def write(
    table: Table, arguments: argparse.Namespace, runs: Sequence[Run] = (), cited: Iterable[Path] = ()
) -> None:
    """Write a table with what is behind it: the files of its arguments, its ``runs`` and further files that it cites.

    What is to be said of its text stands below it, and is printed.
    """
    registry = read_sources(resource_file("sources.yaml")) if arguments.data else {}
    terms = with_own(terms_of(arguments.data, registry), arguments.own_data)
    of_text = list(_notes(getattr(arguments, "text", []), runs))
    for note in of_text:
        say(note)
    notes = list(filter(None, [*of_text, licence_note(terms)]))
    behind = behind_table(arguments, runs, terms, cited)
    whole = replace(table, below=[*table.below, *notes], notes=[*table.notes, *notes], behind=behind)
    page = write_table(whole, arguments.output_dir)
    print(f"commit {describe_commit()}", page, sep="\n\n", end="")


def _notes(files: Sequence[Path], runs: Sequence[Run]) -> Iterator[str]:
    """Yield what is to be said of the text, from the files of check_text.py, and of what runs left out of it."""
    for path in files:
        counted = read_artifact(path, "text")
        yield from counted["notes"]
        names: dict[int, dict[str, None]] = {}
        for run in runs:
            if run.pair == counted["pair"]:
                names.setdefault(run.content["config"]["training"]["max_length"], {})[run.name] = None
        of_all = dict.fromkeys(names, "training")
        of_some = {most: f"the training of {', '.join(runs_of)}" for most, runs_of in names.items()}
        yield from length_notes(counted, of_some if len(names) > 1 else of_all)
