"""Table 2 of the paper: BLEU and training cost of translation models, the paper's rows and then ours.

Times and machine names are not read here, so that a resumed pipeline ends with the same bytes as an uninterrupted one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from transformer.common.errors import UserError, run_script
from transformer.tables.cells import OURS, PAPER, Cell, Column, Line, Table, paper_cell
from transformer.tables.latex_text import escape
from transformer.tables.literature import PAPER_PAIRS, Literature, Row, read_literature
from transformer.tables.measures import HEADLINE, MEASURES
from transformer.tables.runs import Run, ours_of, read_runs, trainings_of
from transformer.tables.seed_means import mark_notes, score_cell, spread_note, training_cell, with_p_values
from transformer.tables.table_script import add_runs, add_text, table_parser, write

BASE = "base"  # the run with which the others are compared
MEASURE_NOTE = (
    "BLEU as in the paper is that of Moses tokens: for EN-DE with compounds split at hyphens, as its authors' script "
    "does, and for EN-FR without the split, as others report it."
)
OWN_MEASURE_NOTE = (
    "BLEU as in the paper is that of Moses tokens: into German with compounds split at hyphens, as its authors' script "
    "does, and into other languages without the split."
)
# Of a measure's signature, the tokens of sacreBLEU that stand in for those of Moses (scoring/bleu.py).
OTHER_TOKENS = re.compile(r"tok:(?!moses)([\w-]+)")
COST_NOTE = (
    "FLOPs are estimated as time, GPUs and their capacity multiplied (the paper, section 6.1), and counted from the "
    "models' shapes by the same rules for the paper's runs and for ours."
)
LAYERS = {
    "recurrent": "Recurrent encoder",
    "convolutional": "Convolutional encoder",
    "restricted": "Restricted self-attention encoder",
}
T2T = {"t2t-1.0.3": "Base model, as T2T 1.0.3", "t2t-1.0.3-big": "Big, as T2T 1.0.3"}
# The rows of ours that the paper does not have, by the notes that explain them.
NOT_IN_PAPER = {
    "Not in the paper: the models as its authors' code, Tensor2Tensor 1.0.3, made them": T2T,
    "Not in the paper: base with another layer of section 4 in place of its encoder's self-attention": LAYERS,
}
OWN_NOTE = "Not in the paper's Table 2; the names are those of config/"
# The columns of the paper's numbers, and where literature.yaml has them.
PAPERS_NUMBERS = {"bleu": "bleu", "estimated_flops": "training_cost", "training_flops": "counted_cost"}
ENDS = ("", "_low", "_high", "_sd", "_p", "_p_holm", "_paper")  # of the columns of BLEU
# The cells of a measure, by its name and the language pair; those of a pair by run.
Scores = Mapping[tuple[str, str], Mapping[str, Cell]]


def main() -> None:
    parser = table_parser(__doc__)
    add_runs(parser)
    add_text(parser)
    parser.add_argument("--pairs", nargs="+", default=PAPER_PAIRS, help="the language pairs of its columns")
    arguments = parser.parse_args()
    runs = read_runs(arguments.runs)
    write(build_table2(read_literature(arguments.literature), runs, arguments.pairs), arguments, runs)


def build_table2(literature: Literature, runs: Sequence[Run], pairs: Sequence[str] = PAPER_PAIRS) -> Table:
    """Join runs with the paper's rows, in columns for each of ``pairs``.

    The paper's cells are blank for a pair that it does not have, and its rows that have none of the pairs are left out.
    Raises UserError when a run is of another pair.
    """
    for run in runs:
        if run.pair not in pairs:
            raise UserError(
                f"{run.folder}: Table 2 has no column for {run.pair}, only for {', '.join(pairs)}"
            )
    warning, spread = warning_of(literature, runs), spread_note(runs)
    about = measure_note(runs, pairs)
    order = "; below it, ".join(
        f"BLEU {label}" if of == HEADLINE else label for of, label in MEASURES.items()
    )
    names = _names(literature, runs)
    models = {why: [model for model, of in names.values() if of == why] for _, why in names.values() if why}
    scores = _scores(runs, pairs, [run for run, (_, why) in names.items() if not why])
    ours = list(_our_lines(literature, runs, names, pairs, scores, warning))
    notes = mark_notes(
        ours,
        dict.fromkeys((f"bleu_{pair}" for pair in pairs), "BLEU"),
        (BASE, names.get(BASE, ("", ""))[0]),
        runs,
        is_own=lambda line: any(line.name in of for of in models.values()),
    )
    return Table(
        "table2",
        _columns(pairs),
        [*_paper_lines(literature, pairs), *ours],
        csv=_csv_columns(pairs),
        files={f"scores_{pair}": f"bleu_{pair}" for pair in pairs},
        scale=runs[0].scale,
        corpus=runs[0].corpus,
        warning=warning,
        title="Table 2: BLEU and training cost",
        above=[
            "Ours: BLEU on our test set, and counted FLOPs, those of the paper's runs too. Everything else is what "
            f"the paper reports. {spread} {about}",
        ],
        below=[*notes, COST_NOTE, *(f"{why}: {', '.join(of)}." for why, of in models.items())],
        caption=f"BLEU and training cost of translation models. {warning}. {spread}",
        notes=[*notes, f"Our first line: {order}. {about}", COST_NOTE],
    )


def _csv_columns(pairs: Sequence[str]) -> list[str]:
    return [
        *("origin", "model", "measure"),
        *(f"bleu_{pair}{end}" for pair in pairs for end in ENDS),
        *(f"{how}_flops_{pair}" for how in ("estimated", "training") for pair in pairs),
        *("seeds", "scale", "corpus", "note"),
        *(f"{what}_{pair}" for pair in pairs for what in ("scores", "scores_sha256")),
    ]


def _columns(pairs: Sequence[str]) -> list[Column]:
    columns = [Column("label", ("Model",))]
    for pair, (side, origin) in product(pairs, (("paper", PAPER), ("ours", OURS))):
        heads = (pair.upper(), side)
        columns.append(Column(f"bleu_{pair}", heads, origin, ("BLEU", *heads)))
    for (how, column), pair in product((("estimated", "estimated"), ("counted", "training")), pairs):
        latex = ("Training cost (FLOPs)", how, pair.upper())
        columns.append(Column(f"{column}_flops_{pair}", (f"{how} FLOPs", pair.upper()), "", latex))
    return columns


def measure_note(runs: Sequence[Run], pairs: Sequence[str]) -> str:
    """Return what BLEU is for these pairs, and where Moses' rules do not suit a language or its text."""
    note = MEASURE_NOTE if set(pairs) == set(PAPER_PAIRS) else OWN_MEASURE_NOTE
    scores = {run.pair: run.content["scores"] for run in runs}
    for pair in filter(scores.get, pairs):
        signature = scores[pair]["measures"][scores[pair]["headline"]]["signature"]
        if other := OTHER_TOKENS.search(signature):
            note += f" For {pair.upper()}, the tokens are sacreBLEU's ({other[1]}): Moses' rules do not suit the text."
    return note


def warning_of(literature: Literature, runs: Sequence[Run]) -> str:
    """Return the warning that our numbers are not on WMT data; it is part of every rendering."""
    ours = ours_of(runs)
    data, *test_sets = runs[0].corpus.split(", ")
    if test_sets == [literature.test_set]:
        return ours
    return f"{ours}{'' if data == 'WMT14' else ', not WMT'}; not comparable with {literature.test_set}"


def _paper_lines(literature: Literature, pairs: Sequence[str]) -> Iterator[Line]:
    """Yield the paper's rows that have a number of the pairs; what it says elsewhere is a footnote."""
    for row in literature.models:
        elsewhere = {of["measure"]: f"{of['value']} in {of['source']}" for of in row.get("differs", ())}
        cells = [
            replace(cell, note=elsewhere.get(place, ""), is_bold=place in row.get("bold", ()))
            for place, cell in _papers_numbers(row, pairs)
        ]
        if cells:
            of_pairs = (place for place in elsewhere if place.split()[1] in (*pairs, "both"))
            label = row["label"]
            facts = {"origin": f"paper, {literature.version}", "model": label, "measure": "as in the paper"}
            facts["corpus"] = literature.test_set
            facts["note"] = "; ".join(f"{place}: {elsewhere[place]}" for place in of_pairs)
            label_cell = Cell("label", label, origin=PAPER, latex=escape(label))
            yield Line([label_cell, *cells], label, row["block"], PAPER, facts=facts)


def _papers_numbers(
    row: Row, pairs: Sequence[str], columns: Iterable[str] = PAPERS_NUMBERS
) -> Iterator[tuple[str, Cell]]:
    """Yield the paper's numbers of a row, each with its place there; one training cost may be of both its pairs."""
    for pair, column in product(pairs, columns):
        key = PAPERS_NUMBERS[column]
        of_pair = "both" if pair in PAPER_PAIRS and "both" in row.get(key, {}) else pair
        if text := row.get(key, {}).get(of_pair):
            yield f"{key} {of_pair}", paper_cell(f"{column}_{pair}", text)


def _names(literature: Literature, runs: Sequence[Run]) -> dict[str, tuple[str, str]]:
    """Return our runs, the paper's models first, with the model and the note that explains those it does not have."""
    known = {row["run"]: (row["model"], "") for row in literature.models if "run" in row}
    known |= {run: (model, why) for why, models in NOT_IN_PAPER.items() for run, model in models.items()}
    given = dict.fromkeys(run.name for run in runs)
    return {run: known.get(run, (run, OWN_NOTE)) for run in dict.fromkeys([*known, *given]) if run in given}


def _scores(runs: Sequence[Run], pairs: Sequence[str], papers: Sequence[str]) -> Scores:
    """Return the cells of each measure; those of BLEU as in the paper are tested against base's."""
    trainings, scores = trainings_of(runs), dict[tuple[str, str], dict[str, Cell]]()
    for measure, pair in product(MEASURES, pairs):
        is_tested = measure == HEADLINE
        quantity = f"BLEU, {pair.upper()}" if is_tested else ""
        cells = {
            run: score_cell(f"bleu_{pair}", found, quantity=quantity)
            for (run, of_pair), seeds in trainings.items()
            if of_pair == pair and (found := [score for of in seeds if (score := of.score(measure))])
        }
        scores[measure, pair] = with_p_values(cells, BASE, papers) if is_tested else cells
    return scores


def _our_lines(
    literature: Literature,
    runs: Sequence[Run],
    names: Mapping[str, tuple[str, str]],
    pairs: Sequence[str],
    scores: Scores,
    title: str,
) -> Iterator[Line]:
    """Yield a line for each measure of each run; the first has the paper's numbers as well.

    Above the first line stands a ``title``, and above those that the paper does not have why they are here.
    """
    trainings, explained = trainings_of(runs), {""}
    papers = {row["run"]: row for row in literature.models if "run" in row}
    for (run, (model, why)), (measure, label) in product(names.items(), MEASURES.items()):
        if why not in explained:
            explained.add(why)
            title = why
        is_first = measure == HEADLINE
        scored = [pair for pair in pairs if run in scores[measure, pair]]
        latex = escape(model) if is_first else rf"\quad {label}"
        cells = [Cell("label", f"{model}, ours, {label}", latex=latex)]
        if is_first:
            numbers = _papers_numbers(papers.get(run, {}), scored, ("bleu", "training_flops"))
            cells += [cell for _, cell in numbers]
        cells += [scores[measure, pair][run] for pair in scored]
        # Seeds differ in their batches, and so a little in their operations; the table has those of the first.
        cells += [_flops(trainings[run, pair][0], is_first) for pair in scored]
        yield Line(cells, model, OURS, title=title, facts={"model": model, "measure": label})
        title = ""


def _flops(run: Run, is_shown: bool) -> Cell:
    """Return the operations of a training, which are shown and compared once for each run."""
    cell = training_cell(run, "training_flops", f"training_flops_{run.pair}")
    if not is_shown:
        return cell
    return replace(cell, shown=scientific(cell.value), quantity=f"counted FLOPs, {run.pair.upper()}")


def scientific(flops: int) -> str:
    """Return ``1.2e14``: two significant digits, in the form of ``resources/literature.yaml``."""
    mantissa, exponent = f"{flops:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


if __name__ == "__main__":
    run_script(main)
