"""The table of test sets: BLEU of the runs of Table 2 on the scale's own test set and on those of ``further_tests``."""

from collections.abc import Iterator, Sequence
from itertools import product

from transformer.tables.cells import Cell, Column, Line, Table
from transformer.tables.inputs import Inputs
from transformer.tables.latex_text import escape
from transformer.tables.measures import SACREBLEU
from transformer.tables.runs import Run
from transformer.tables.scores import scores_of
from transformer.tables.seed_means import over_seeds, printed, spread_note
from transformer.tables.table2 import measure_note, warning_of

ENDS = ("", "_low", "_high", "_sd")  # of the columns of a pair


def make(inputs: Inputs) -> Table:
    """Return the table of its entry's inputs: the scale's own test set, then the others."""
    runs = [*inputs.runs, *inputs.further_tests]
    pairs = list(dict.fromkeys(run.pair for run in runs))
    warning, spread, measures = (
        warning_of(inputs.literature, runs),
        spread_note(runs),
        measure_note(runs, pairs),
    )
    return Table(
        "test_sets",
        [
            Column("test_set", ("Test set",)),
            Column("run", ("Run",)),
            Column("measure", ("BLEU",)),
            *(Column(f"bleu_{pair}", (pair.upper(),)) for pair in pairs),
        ],
        list(_lines(runs, pairs)),
        csv=[
            *("test_set", "run", "measure", *(f"bleu_{pair}{end}" for pair in pairs for end in ENDS)),
            *("seeds", "scale", "corpus", "note"),
            *(f"{what}_{pair}" for pair in pairs for what in ("scores", "scores_sha256")),
        ],
        files={f"scores_{pair}": f"bleu_{pair}" for pair in pairs},
        scale=runs[0].scale,
        corpus=runs[0].corpus,
        warning=warning,
        title="BLEU on each test set",
        above=[
            f"{spread} Each set is translated and scored by itself, with the models of Table 2. {measures}"
        ],
        caption=f"BLEU of the runs of Table 2 on each test set. {warning}. {spread}",
        notes=[measures],
        column_format=f"@{{}}lll{'c' * len(pairs)}@{{}}",
    )


def _lines(runs: Sequence[Run], pairs: Sequence[str]) -> Iterator[Line]:
    """Yield a line for each test set, run and measure, with the cell of each pair that there is."""
    scores = scores_of(runs)
    measures = {"as in the paper": scores["headline"], "sacreBLEU": scores["measure"] == SACREBLEU}
    found = {
        (*key, measure): cell
        for measure, chosen in measures.items()
        for key, cell in over_seeds(scores[chosen], ["test_set", "run", "pair"]).items()
    }
    sets, names = dict.fromkeys(run.test_set for run in runs), dict.fromkeys(run.name for run in runs)
    for test_set, run, measure in product(sets, names, measures):
        texts = {"test_set": test_set, "run": run, "measure": measure}
        cells = [Cell(column, text, latex=escape(text), value=text) for column, text in texts.items()]
        for pair in pairs:
            if score := found.get((test_set, run, pair, measure)):
                cells.append(printed(score, f"bleu_{pair}"))
        yield Line(cells, run, test_set)
