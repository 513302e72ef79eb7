"""Make a table from the paper's own numbers and the scores of our runs.

    python src/transformer/tables/make_table.py table2 --literature resources/literature.yaml \\
        --runs results/demo/runs/{base,big}/{en-de,en-fr} \\
        --output-dir results/demo/tables

This writes table2.json, which has the cells and what is behind them, and its renderings table2.tex, .csv and .md to the
output folder.  entries.py says what each table is made from.  The scale and the corpus in the caption are those in the
runs' config.json.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.artifacts import read_artifact
from transformer.common.errors import run_script
from transformer.common.notes import say
from transformer.common.project import local_path, resource_file
from transformer.corpus.licences import add_own_data, licence_note, terms_of, with_own
from transformer.corpus.registry import read_sources
from transformer.corpus.report import length_notes
from transformer.tables.cells import Table
from transformer.tables.commit import describe_commit
from transformer.tables.entries import ENTRIES, NEEDED
from transformer.tables.inputs import Inputs
from transformer.tables.literature import PAPER_PAIRS, read_literature
from transformer.tables.provenance import behind_table
from transformer.tables.render import write_table
from transformer.tables.runs import Run, read_further_tests, read_runs
from transformer.tables.scored_rows import sentence_files

# What a table is made from, by option; a table's file names its sources in this order.
PATHS = {
    "runs": "folders of scored runs",
    "references": "of table2: texts that measures count again",
    "tables": "whose cells it is made from",
    "tests": "folders RUN/tests/NAME",
    "layers": "from measure_layers.py",
    "baselines": "from score_baselines.py",
    "paper_settings": "config/runs.yaml, at the paper's size",
    "claims": "what the paper asserts",
    "averages": "perplexity of averages that claims are about",
    "text": "from check_text.py: further notes",
}
PASSED_ON = "pairs measures references layers paper_settings baselines claims tables".split()


def main() -> None:
    """Read and render everything before writing anything."""
    arguments = parse_arguments()
    page = write_table(table_of(arguments, tell=say), arguments.output_dir)
    print(f"commit {describe_commit()}", page, sep="\n\n", end="")


def table_of(arguments: argparse.Namespace, tell: Callable[[str], None] = lambda note: None) -> Table:
    """Return a table with everything behind it, and ``tell`` what is to be said of its text."""
    entry = ENTRIES[arguments.table]
    runs = read_runs(arguments.runs, entry.files) if not entry.tables else []
    further_tests = read_further_tests(arguments.tests)
    registry = read_sources(resource_file("sources.yaml")) if arguments.data else {}
    terms = with_own(terms_of(arguments.data, registry), arguments.own_data)
    inputs = Inputs(
        read_literature(arguments.literature),
        runs=runs,
        further_tests=further_tests,
        trainings=[run / "training.json" for run in arguments.runs] if entry.tables else [],
        **{name: getattr(arguments, name) for name in PASSED_ON},
    )
    table = entry.make(inputs)
    of_text = [*_notes(arguments.text, runs)]
    for note in of_text:
        tell(note)
    notes = list(filter(None, [*of_text, licence_note(terms)]))
    cited = [*inputs.trainings, *sentence_files(inputs.numbers)] if entry.tables else []
    behind = behind_table(arguments, [*runs, *further_tests], terms, cited)
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


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line, or these words; each table needs options of its own."""
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add("table", choices=ENTRIES)
    add("--literature", type=local_path, required=True, help="the paper's own numbers")
    add("--pairs", nargs="+", default=PAPER_PAIRS, help="of table2: its columns; of table3: its pair")
    add("--measures", nargs="*", default=[], help="of table2: entries of measures.py")
    for name, about in PATHS.items():
        add(f"--{name.replace('_', '-')}", type=local_path, nargs="*", default=[], help=about)
    add("--data", nargs="*", default=[], help="the sources of the corpora; none if they were generated")
    add_own_data(parser)
    add("--output-dir", type=local_path, required=True, help="folder for the table's files")
    arguments = parser.parse_args(words)
    entry = ENTRIES[arguments.table]
    needed = [name for name in NEEDED if name in entry.reads]
    needed += ["tables"] if entry.tables else ["runs"] if entry.runs else []
    for option in needed:
        if not getattr(arguments, option):
            parser.error(f"{arguments.table} needs --{option.replace('_', '-')}")
    return arguments


if __name__ == "__main__":
    run_script(main)
