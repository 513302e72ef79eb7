"""Table 2 by sentence length, which the paper does not have: BLEU on short, middle and long sentences of the test set.

They are the thirds of the test sentences by the tokens of their references, which are the same for every run.
"""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pandas as pd

from transformer.common.files import sha256_of
from transformer.scoring.bootstrap import percentile_interval
from transformer.scoring.multi_bleu import COUNTS
from transformer.tables.cells import OURS, Cell, Column, Line, Table
from transformer.tables.latex_text import escape
from transformer.tables.literature import Literature
from transformer.tables.runs import Run
from transformer.tables.seed_means import over_seeds, printed, seeds_text, spread_note
from transformer.tables.sentence_counts import beside, read_sentences
from transformer.tables.table2 import ENDS, measure_note, warning_of

THIRDS = ("short", "middle", "long")
SHOWN_ENDS = [end for end in ENDS if end not in ("_p", "_p_holm", "_paper")]


def build_table2_by_length(literature: Literature, runs: Sequence[Run], pairs: Sequence[str]) -> Table:
    """Score each third of the test sentences of ``pairs``; a third is blank if ties leave it without a sentence."""
    warning, spread, columns = (
        warning_of(literature, runs[0]),
        spread_note(runs),
        list(product(pairs, THIRDS)),
    )
    scores = pd.DataFrame([row for run in runs for row in _scores(run)])
    bleu = over_seeds(scores, ["run", "pair", "third"])
    lengths = scores.drop_duplicates(["pair", "third"]).groupby("pair", sort=False)["tokens"].agg(", ".join)
    tokens = "; ".join(f"{pair.upper()} {found}" for pair, found in lengths.items())
    notes = [f"Tokens of a reference, in its thirds: {tokens}.", measure_note(runs, pairs)]
    facts = {"origin": OURS, "scale": runs[0].scale, "corpus": runs[0].corpus, "note": warning}
    lines = []
    for name in dict.fromkeys(run.name for run in runs):
        found = {
            (pair, third): bleu[name, pair, third] for pair, third in columns if (name, pair, third) in bleu
        }
        cells = [printed(cell, f"bleu_{pair}_{third}") for (pair, third), cell in found.items()]
        of_run = {"run": name, "seeds": seeds_text(cells[0])}
        lines.append(Line([Cell("label", name, latex=escape(name)), *cells], name, facts=facts | of_run))
    return Table(
        "table2_by_length",
        [
            Column("label", ("Run",)),
            *(Column(f"bleu_{pair}_{third}", (pair.upper(), third)) for pair, third in columns),
        ],
        lines,
        csv=[
            *(
                "origin",
                "run",
                *(f"bleu_{pair}_{third}{end}" for pair, third in columns for end in SHOWN_ENDS),
            ),
            *("seeds", "scale", "corpus", "note"),
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
        caption=f"BLEU on the short, the middle and the long sentences of the test set. {warning}. {spread}",
        notes=notes,
        column_format=f"@{{}}l{'c' * len(columns)}@{{}}",
    )


def _scores(run: Run) -> Iterator[dict[str, object]]:
    """Yield the score of each third that has a sentence, as a row of the tidy frame."""
    path = beside(run.path("scores").as_posix())
    counts, score = read_sentences(path)
    lengths = counts[:, COUNTS.index("reference_length")]
    thirds = np.searchsorted(np.quantile(lengths, [1 / 3, 2 / 3], method="inverted_cdf"), lengths)
    facts = {
        "run": run.name,
        "pair": run.pair,
        "seed": run.seed,
        "path": path.as_posix(),
        "sha256": sha256_of(path),
    }
    for number, third in enumerate(THIRDS):
        if (chosen := thirds == number).any():
            interval = percentile_interval(counts[chosen], score)
            tokens = f"{lengths[chosen].min()} to {lengths[chosen].max()}"
            yield {
                **facts,
                "third": third,
                "tokens": tokens,
                "key": f"references of {tokens} tokens",
                "value": score(counts[chosen].sum(axis=0)),
                "low": interval["low"],
                "high": interval["high"],
            }
