"""Table 2 by sentence length, which the paper does not have: BLEU on short, middle and long sentences of the test set.

They are the thirds of the test sentences by the tokens of their references, which are the same for every run.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from transformer.common.files import sha256_of
from transformer.scoring.bootstrap import percentile_interval
from transformer.scoring.multi_bleu import COUNTS
from transformer.tables.cells import Cell, Column, Line, Table
from transformer.tables.inputs import Inputs
from transformer.tables.latex_text import escape
from transformer.tables.literature import Literature
from transformer.tables.runs import Run
from transformer.tables.seed_means import over_seeds, printed, spread_note
from transformer.tables.sentence_counts import beside, read_sentences
from transformer.tables.table2 import measure_note, warning_of

THIRDS = ("short", "middle", "long")
ENDS = ("", "_low", "_high", "_sd")  # of the columns of a BLEU in the CSV file


def make(inputs: Inputs) -> Table:
    """Return the table of its entry's inputs."""
    return build_table2_by_length(inputs.literature, inputs.runs, inputs.pairs)


def build_table2_by_length(literature: Literature, runs: Sequence[Run], pairs: Sequence[str]) -> Table:
    """Score each third of the test sentences of ``pairs``; one that ties leave without a sentence is blank."""
    warning, spread = warning_of(literature, runs), spread_note(runs)
    thirds = {f"bleu_{pair}_{third}": (pair.upper(), third) for pair, third in product(pairs, THIRDS)}
    scores = pd.DataFrame([row for run in runs for row in _scores(run)])
    bleu = over_seeds(scores, ["run", "column"])
    tokens = scores.drop_duplicates("column").groupby("pair", sort=False)["tokens"].agg(", ".join)
    lengths = "; ".join(f"{pair} {of_pair}" for pair, of_pair in tokens.items())
    notes = [f"Tokens of a reference, in its thirds: {lengths}.", measure_note(runs, pairs)]
    lines = []
    for run in dict.fromkeys(run.name for run in runs):
        cells = [printed(bleu[run, column], column) for column in thirds if (run, column) in bleu]
        lines.append(Line([Cell("run", run, latex=escape(run), value=run), *cells], run))
    return Table(
        "table2_by_length",
        [Column("run", ("Run",)), *(Column(column, heads) for column, heads in thirds.items())],
        lines,
        csv=[
            *(
                "run",
                *(f"{column}{end}" for column in thirds for end in ENDS),
                "seeds",
                "scale",
                "corpus",
                "note",
            ),
            *(f"{what}_{pair}" for pair in pairs for what in ("scores", "scores_sha256")),
        ],
        files={f"scores_{pair}": f"bleu_{pair}_short" for pair in pairs},
        scale=runs[0].scale,
        corpus=runs[0].corpus,
        warning=warning,
        title="Table 2 by sentence length",
        above=[
            f"BLEU on the short, the middle and the long third of our test set. {spread} {' '.join(notes)}"
        ],
        caption=f"BLEU on the short, the middle and the long third of the test set. {warning}. {spread}",
        notes=notes,
    )


def _scores(run: Run) -> Iterator[dict[str, Any]]:
    """Yield the score of each third that has a sentence, as a row of the tidy frame."""
    path = beside(run.path("scores").as_posix())
    read = read_sentences(path)
    counts, score = read.counts, read.score
    lengths = counts[:, COUNTS.index("reference_length")]
    ends = np.quantile(lengths, [1 / 3, 2 / 3], method="inverted_cdf")
    thirds = np.searchsorted(ends, lengths)
    facts = {"run": run.name, "seed": run.seed, "path": path.as_posix(), "sha256": sha256_of(path)}
    for number, third in enumerate(THIRDS):
        if (chosen := thirds == number).any():
            tokens = f"{lengths[chosen].min()} to {lengths[chosen].max()}"
            names = {"column": f"bleu_{run.pair}_{third}", "pair": run.pair.upper(), "tokens": tokens}
            value = score(counts[chosen].sum(axis=0))
            interval = percentile_interval(counts[chosen], score)
            yield facts | names | {"key": f"references of {tokens} tokens", "value": value} | interval
