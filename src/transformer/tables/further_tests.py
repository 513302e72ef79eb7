"""The table of test sets: BLEU of the runs of Table 2 on the scale's own test set and on those of ``further_tests``."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from transformer.tables.cells import SOURCE, Cell, Column, Line, Table
from transformer.tables.inputs import Inputs
from transformer.tables.latex_text import escape
from transformer.tables.literature import Literature
from transformer.tables.runs import Run
from transformer.tables.scores import scores_of
from transformer.tables.seed_means import over_seeds, printed, spread_note
from transformer.tables.table2 import measure_note, warning_of

# The lines of each run: a measure and its lower-cased form (scoring/bleu.py).
RULES = {
    "multi_bleu_split": "Moses tokens, compounds split",
    "multi_bleu": "Moses tokens",
    "sacrebleu": "sacreBLEU",
}
LOWER = "_lowercased"
CASES = {"": "cased", LOWER: "lower-cased"}
COLUMNS = (
    "test_set run pair seed sentences measure headline bleu bleu_low bleu_high scale corpus note scores scores_sha256"
).split()


def make(inputs: Inputs) -> Table:
    """Return the table of its entry's inputs."""
    return build_test_sets(inputs.literature, inputs.runs, inputs.further_tests)


def build_test_sets(literature: Literature, runs: Sequence[Run], further: Sequence[Run]) -> Table:
    """Return the scores of ``runs`` on the scale's own test set, then those of ``further`` on the others."""
    all_runs = [*runs, *further]
    pairs = list(dict.fromkeys(run.pair for run in all_runs))
    warning, spread = warning_of(literature, all_runs), spread_note(all_runs)
    measures = measure_note(all_runs, pairs)
    return Table(
        "test_sets",
        [
            Column("title", ("Test set",), in_latex=False),
            Column("run", ("Run",), latex_heads=("run",)),
            Column("rules", ("BLEU of",)),
            *(
                Column(f"{pair}{case}", (pair.upper(), about))
                for pair, (case, about) in product(pairs, CASES.items())
            ),
        ],
        _lines(all_runs, pairs),
        csv=COLUMNS,
        csv_row=SOURCE,
        files={"scores": ""},
        scale=runs[0].scale,
        corpus=runs[0].corpus,
        warning=warning,
        title="BLEU on each test set",
        above=[
            f"BLEU on each test set. {spread} Each set is translated and scored by itself, with the models of "
            f"Table 2. {measures}",
        ],
        caption=f"BLEU of the runs of Table 2 on each test set. {warning}. {spread}",
        notes=[measures],
        column_format=f"@{{}}ll{'c' * len(CASES) * len(pairs)}@{{}}",
    )


def _lines(runs: Sequence[Run], pairs: Sequence[str]) -> list[Line]:
    """Return a line for each test set, run and kind of tokens, with the cell of each pair and case that there is."""
    scores = scores_of(runs)
    headlines = set(scores.loc[scores["headline"], ["pair", "measure"]].itertuples(index=False, name=None))
    found = over_seeds(scores[scores["test_set"] != ""], ["test_set", "run", "pair", "measure"])
    lines = []
    for test_set in dict.fromkeys(run.test_set for run in runs):
        sizes = {run.pair: run.content["scores"]["sentences"] for run in runs if run.test_set == test_set}
        title = block = f"{test_set} ({' and '.join(dict.fromkeys(map(str, sizes.values())))} sentences)"
        for run, (rules, about) in product(dict.fromkeys(run.name for run in runs), RULES.items()):
            name = escape(run) if rules == next(iter(RULES)) else "{}"
            cells = [Cell("title", block), Cell("run", run, latex=name), Cell("rules", about)]
            for pair, case in product(pairs, CASES):
                if score := found.get((test_set, run, pair, f"{rules}{case}")):
                    facts = {"measure": f"{rules}{case}", "pair": pair, "sentences": sizes[pair]}
                    facts["headline"] = not case and (pair, rules) in headlines
                    cells.append(replace(printed(score, f"{pair}{case}"), facts=facts))
            lines.append(Line(cells, run, block, title=title, facts={"test_set": test_set, "run": run}))
            title = ""
    return lines
