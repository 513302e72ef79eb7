"""Make a table of the paper from the paper's own numbers and the scores of our runs.

    python src/transformer/tables/make_table.py table2 --literature resources/literature.yaml \\
        --runs results/demo/runs/{base,big}/{en-de,en-fr} \\
        --output-dir results/demo/tables

This writes table2.json, which has the cells and what is behind them, and its renderings table2.tex, .csv and .md to the
output folder.  table1 is made from --layers instead of runs, and test_sets from --tests as well as runs.  The scale and
the corpus in the caption are those in the runs' config.json.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.artifacts import read_artifact
from transformer.common.errors import run_script
from transformer.common.notes import length_notes, say
from transformer.common.project import local_path, resource_file
from transformer.common.yaml_files import read_yaml
from transformer.corpus.licences import add_own_data, licence_note, terms_of, with_own
from transformer.corpus.registry import read_sources
from transformer.tables.cells import Table
from transformer.tables.commit import describe_commit
from transformer.tables.further_tests import build_test_sets
from transformer.tables.literature import read_literature
from transformer.tables.provenance import behind_table
from transformer.tables.render import write_table
from transformer.tables.runs import AVERAGED, LAST, PARSES, Run, read_further_tests, read_runs
from transformer.tables.scores import scores_of_baselines
from transformer.tables.table1 import build_table1
from transformer.tables.table2 import PAPER_PAIRS, build_table2
from transformer.tables.table2_by_length import build_table2_by_length
from transformer.tables.table3 import build_table3
from transformer.tables.table4 import build_table4

TABLES = ("table1", "table2", "table3", "table4", "test_sets", "table2_by_length")
NEEDED = {"table1": ["layers"], "table3": ["runs", "paper_settings"]}
RUN_FILES = {"table3": LAST, "table4": PARSES}  # other tables read the scores of the averaged model


def main() -> None:
    """Read and render everything before writing anything."""
    arguments = parse_arguments()
    page = write_table(table_of(arguments, tell=say), arguments.output_dir)
    print(f"commit {describe_commit()}", page, sep="\n\n", end="")


def table_of(arguments: argparse.Namespace, tell: Callable[[str], None] = lambda note: None) -> Table:
    """Return a table with everything behind it, and ``tell`` what is to be said of its text."""
    runs = read_runs(arguments.runs, RUN_FILES.get(arguments.table, AVERAGED))
    further_tests = read_further_tests(arguments.tests)
    registry = read_sources(resource_file("sources.yaml")) if arguments.data else {}
    terms = with_own(terms_of(arguments.data, registry), arguments.own_data)
    table = _built(arguments, runs, further_tests)
    of_text = [*_notes(arguments.text, runs)]
    for note in of_text:
        tell(note)
    notes = list(filter(None, [*of_text, licence_note(terms)]))
    behind = behind_table(arguments, [*runs, *further_tests], terms)
    return replace(table, below=[*table.below, *notes], notes=[*table.notes, *notes], behind=behind)


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


def _built(arguments: argparse.Namespace, runs: Sequence[Run], further_tests: Sequence[Run]) -> Table:
    """Build one of ``TABLES``; each uses a part of the arguments."""
    literature, pairs = read_literature(arguments.literature), arguments.pairs
    match arguments.table:
        case "table1":
            return build_table1(literature, arguments.layers)
        case "table2":
            scores = scores_of_baselines(arguments.baselines, runs[0].scale, runs[0].corpus)
            return build_table2(literature, runs, scores, pairs)
        case "table3":
            paper = read_yaml(arguments.paper_settings)
            settings = {run: paper["base"] | changes for run, changes in paper.items()}
            return build_table3(literature, runs, settings, pairs[0])
        case "table2_by_length":
            return build_table2_by_length(literature, runs, pairs)
        case "test_sets":
            return build_test_sets(literature, runs, further_tests)
    return build_table4(literature, runs)


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line, or these words; each table needs options of its own."""
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add("table", choices=TABLES)
    add("--literature", type=local_path, required=True, help="the paper's own numbers")
    add("--runs", type=local_path, nargs="*", default=[], metavar="FOLDER", help="folders of scored runs")
    add("--layers", type=local_path, nargs="?", metavar="FILE", help="of table1: from measure_layers.py")
    add("--pairs", nargs="+", default=PAPER_PAIRS, help="of table2: its columns; of table3: its pair")
    add("--baselines", type=local_path, nargs="*", default=[], help="of table2: from score_baselines.py")
    add("--paper-settings", type=Path, nargs="?", help="of table3: config/runs.yaml, at the paper's size")
    add("--tests", type=local_path, nargs="*", default=[], help="of test_sets: folders RUN/tests/NAME")
    add("--text", type=Path, nargs="*", default=[], metavar="FILE", help="from check_text.py: further notes")
    add("--data", nargs="*", default=[], help="the sources of the corpora; none if they were generated")
    add_own_data(parser)
    add("--output-dir", type=local_path, required=True, help="folder for the table's files")
    arguments = parser.parse_args(words)
    for option in NEEDED.get(arguments.table, ["runs"]):
        if not getattr(arguments, option):
            parser.error(f"{arguments.table} needs --{option.replace('_', '-')}")
    return arguments


if __name__ == "__main__":
    run_script(main)
