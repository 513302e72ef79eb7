"""The table of test sets: BLEU of the runs of Table 2 on the scale's own test set and on those of ``further_tests``."""

from collections.abc import Sequence
from itertools import product

import pandas as pd

from transformer.tables.latex_table import across, latex_table, rules
from transformer.tables.latex_text import escape, from_markdown
from transformer.tables.literature import Literature
from transformer.tables.row_scores import engine_notes, over_seeds, score_text, seeds_of, spread_note
from transformer.tables.runs import Run
from transformer.tables.scores_frame import scores_frame
from transformer.tables.table import Cells, Document, Table, all_traced, four_decimals, numbers
from transformer.tables.table2 import measure_note, warning_of

# The lines of each run: a measure and its lower-cased form (scoring/measures.py).
RULES = {
    "multi_bleu_split": "Moses tokens, compounds split",
    "multi_bleu": "Moses tokens",
    "sacrebleu": "sacreBLEU",
}
LOWER = "_lowercased"
CASES = {"": "cased", LOWER: "lower-cased"}
LINE = ["test_set", "run", "rules"]  # what a line of the table is of
COLUMNS = (
    "test_set run pair seed sentences measure headline bleu bleu_low bleu_high scale corpus note scores scores_sha256"
).split()


def build_test_sets(literature: Literature, runs: Sequence[Run], further: Sequence[Run]) -> Table:
    """Return the scores of ``runs`` on the scale's own test set, then those of ``further`` on the others."""
    all_runs = [*runs, *further]
    warning = warning_of(literature, runs[0])
    scores = scores_frame(all_runs)
    scores = scores[scores["test_set"].ne("") & scores["measure"].str.removesuffix(LOWER).isin(RULES)]
    of_sets = seeds_of(all_runs)
    sentences = {run.path("scores").as_posix(): run.content["scores"]["sentences"] for run in all_runs}
    bleu = scores.assign(sentences=scores["path"].map(sentences), note=warning)
    cells = _cells(bleu)
    measures = measure_note(all_runs, list(dict.fromkeys(run.pair for run in all_runs)))
    about = (
        f"BLEU on each test set. {spread_note(of_sets)} Each set is translated and scored by itself, with the "
        f"models of Table 2. {measures}"
    )
    notes = engine_notes(all_runs)
    document: Document = ["# BLEU on each test set", f"**{warning}.**", about, cells, *notes]
    return Table(
        "test_sets",
        _data(bleu),
        document,
        _latex(
            cells, list(dict.fromkeys(bleu["pair"])), f"{warning}. {spread_note(of_sets)}", [measures, *notes]
        ),
        numbers("test_sets", scores),
        all_runs,
    )


def _data(bleu: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each test set, run, pair and measure."""
    names = {"value": "bleu", "low": "bleu_low", "high": "bleu_high"}
    data = bleu.assign(**{name: four_decimals(bleu[name]) for name in names})
    data = data.rename(columns=names | {"path": "scores", "sha256": "scores_sha256"})
    return data[COLUMNS]


def _cells(bleu: pd.DataFrame) -> Cells:
    """Return a line for each test set, run and kind of tokens; a pair that a set does not have is blank."""
    pairs, runs = dict.fromkeys(bleu["pair"]), dict.fromkeys(bleu["run"])
    titles = {
        name: f"{name} ({' and '.join(map(str, group.unique()))} sentences)"
        for name, group in bleu.groupby("test_set", sort=False)["sentences"]
    }
    bleu = over_seeds(bleu, ["test_set", "run", "pair", "measure"]).reset_index()
    bleu = bleu.assign(
        rules=bleu["measure"].str.removesuffix(LOWER),
        case=bleu["measure"].str.endswith(LOWER).map({False: "", True: LOWER}),
        text=list(map(score_text, bleu["value"], bleu["sd"], bleu["low"], bleu["high"])),
        source=list(map(all_traced, bleu["path"], bleu["sha256"])),
    )
    wide = bleu.pivot(index=LINE, columns=["pair", "case"], values=["text", "source"])
    lines = list(product(titles, runs, RULES))
    columns = {f"{pair.upper()}, {CASES[case]}": (pair, case) for pair, case in product(pairs, CASES)}
    wide = wide.reindex(pd.MultiIndex.from_tuples(lines, names=LINE))
    wide = wide.reindex(columns=pd.MultiIndex.from_product([["text", "source"], pairs, CASES])).fillna("")
    text = {"Test set": [titles[name] for name, _, _ in lines], "Run": [run for _, run, _ in lines]}
    text["BLEU of"] = [RULES[tokens] for _, _, tokens in lines]
    text |= {head: list(wide["text", *column]) for head, column in columns.items()}
    return Cells(
        pd.DataFrame(text), {head: list(wide["source", *column]) for head, column in columns.items()}
    )


def _latex(cells: Cells, pairs: Sequence[str], about: str, notes: Sequence[str]) -> str:
    heads = [("", "run"), ("", "BLEU of")]
    heads += [(pair.upper(), case) for pair, case in product(pairs, CASES.values())]
    test_sets = list(cells.text["Test set"])
    text = cells.text.drop(columns="Test set").map(from_markdown)
    text["Run"] = text["Run"].where(cells.text["BLEU of"] == RULES["multi_bleu_split"], "")
    sources = pd.DataFrame(cells.sources)
    return latex_table(
        text.set_axis(pd.MultiIndex.from_tuples(heads), axis="columns"),
        label="test_sets",
        caption=f"BLEU of the runs of Table 2 on each test set. {about}",
        column_format=f"@{{}}ll{'cc' * len(pairs)}@{{}}",
        comments=["; ".join(dict.fromkeys(filter(None, line))) for line in sources.itertuples(index=False)],
        above={
            row: f"{rule}\n{across(escape(test_sets[row]), len(heads))}"
            for row, rule in rules(test_sets).items()
        },
        notes=notes,
    )
