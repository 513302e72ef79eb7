"""Table 2 of the paper: BLEU and training cost of translation models, the paper's rows and then ours.

Times and machine names are not read here, so that a resumed pipeline ends with the same bytes as an uninterrupted one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from transformer.common.errors import UserError, run_script
from transformer.scoring.tokens import SINGLE_CHARACTERS
from transformer.tables.cells import OURS, PAPER, Cell, Column, Line, Table
from transformer.tables.latex_text import escape
from transformer.tables.literature import PAPER_PAIRS, Literature, read_literature, records, scientific
from transformer.tables.measures import HEADLINE, MEASURES, Measure
from transformer.tables.runs import Run, first_seeds, ours_of, read_runs
from transformer.tables.scores import scores_of
from transformer.tables.seed_means import (
    counted,
    mark_notes,
    over_seeds,
    printed,
    spread_note,
    with_p_values,
)
from transformer.tables.table_script import add_runs, add_text, table_parser, write

BASE = "base"  # the run with which the others are compared
BLEU = "BLEU"
MEASURE_NOTE = (
    "BLEU as in the paper is that of Moses tokens: for EN-DE with compounds split at hyphens, as its authors' script "
    "does, and for EN-FR without the split, as others report it."
)
# Of a measure's signature, the tokens of sacreBLEU that stand in for those of Moses (scoring/moses.py).
FALLBACK = re.compile(r"tok:(?!moses)([\w-]+)")
FIRST_LINE = "Our first line: BLEU as in the paper"
GERMAN_NOTE = "into German with compounds split at hyphens, as its authors' script does"
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
ENDS = ("", "_low", "_high", "_sd", "_p", "_p_holm")  # of the columns of a measure


def main() -> None:
    parser = table_parser(__doc__)
    add_runs(parser)
    add_text(parser)
    parser.add_argument("--pairs", nargs="+", default=PAPER_PAIRS, help="the language pairs of its columns")
    arguments = parser.parse_args()
    runs = read_runs(arguments.runs)
    write(build_table2(read_literature(arguments.literature), runs, arguments.pairs), arguments, runs)


def build_table2(
    literature: Literature,
    runs: Sequence[Run],
    pairs: Sequence[str] = PAPER_PAIRS,
    measures: Sequence[Measure] = MEASURES,
) -> Table:
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
    about_measures = measure_note(runs, pairs)
    further = [measure for measure in measures if measure.unit != BLEU]
    names = _names(literature, runs)
    whys = dict.fromkeys(why for _, why in names.values() if why)
    scores = _scores(runs, measures, names)
    ours = list(_our_lines(literature, runs, names, pairs, warning, measures, scores))
    notes = _mark_notes(ours, pairs, names, runs)
    lines = "; below it, ".join(
        [FIRST_LINE, *(of.label for of in measures if of.unit == BLEU and of.name != HEADLINE)]
    )
    about_others = [measure.note for measure in further]
    return Table(
        "table2",
        _columns(pairs, further),
        [*_paper_lines(literature, pairs), *ours],
        csv=_csv_columns(pairs, further),
        files={f"scores_{pair}": f"bleu_{pair}" for pair in pairs},
        scale=runs[0].scale,
        corpus=runs[0].corpus,
        warning=warning,
        title="Table 2: BLEU and training cost",
        above=[
            "Ours: BLEU on our test set, and counted FLOPs, those of the paper's runs too. Everything else is what "
            f"the paper reports. {' '.join([spread, about_measures, *about_others])}",
        ],
        below=[
            *notes,
            COST_NOTE,
            *(f"{why}: {', '.join(model for model, of in names.values() if of == why)}." for why in whys),
        ],
        caption=f"BLEU and training cost of translation models. {warning}. {spread}",
        notes=[*notes, " ".join([f"{lines}.", about_measures, *about_others]), COST_NOTE],
    )


def _mark_notes(
    ours: Sequence[Line], pairs: Sequence[str], names: Mapping[str, tuple[str, str]], runs: Sequence[Run]
) -> list[str]:
    """Return the notes on the comparisons with base."""
    own = {model for model, why in names.values() if why}
    base = BASE, names.get(BASE, ("", ""))[0]
    columns = dict.fromkeys((f"bleu_{pair}" for pair in pairs), BLEU)
    return mark_notes(ours, columns, base, runs, lambda line: line.name in own)


def _csv_columns(pairs: Sequence[str], further: Sequence[Measure]) -> list[str]:
    return [
        *("origin", "model", "measure"),
        *(f"bleu_{pair}{end}" for pair in pairs for end in (*ENDS, "_paper")),
        *(f"{measure.column}_{pair}{end}" for measure in further for pair in pairs for end in ENDS),
        *(f"{how}_flops_{pair}" for how in ("estimated", "training") for pair in pairs),
        *("seeds", "scale", "corpus", "note"),
        *(f"{what}_{pair}" for pair in pairs for what in ("scores", "scores_sha256")),
    ]


def _columns(pairs: Sequence[str], further: Sequence[Measure]) -> list[Column]:
    cost = "Training cost (FLOPs)"
    return [
        Column("label", ("Model",)),
        *(
            Column(f"bleu_{pair}", (pair.upper(), side), origin, (BLEU, pair.upper(), side))
            for pair in pairs
            for side, origin in (("paper", PAPER), ("ours", OURS))
        ),
        *(
            Column(
                f"{measure.column}_{pair}",
                (unit := measure.unit, pair.upper()),
                OURS,
                (unit, pair.upper(), "ours"),
            )
            for measure in further
            for pair in pairs
        ),
        *(
            Column(f"{column}_{pair}", (f"{how} FLOPs", pair.upper()), "", (cost, how, pair.upper()))
            for how, column in (("estimated", "estimated_flops"), ("counted", "training_flops"))
            for pair in pairs
        ),
    ]


def measure_note(runs: Sequence[Run], pairs: Sequence[str]) -> str:
    """Return what the measures of these pairs are, with the languages for which Moses has no rules."""
    note = MEASURE_NOTE if set(pairs) == set(PAPER_PAIRS) else _own_measure_note(pairs)
    scores = {run.pair: run.content["scores"] for run in runs}
    signatures = {pair: found["measures"][found["headline"]]["signature"] for pair, found in scores.items()}
    others = {pair: found[1] for pair in pairs if (found := FALLBACK.search(signatures.get(pair, "")))}
    for tokens in dict.fromkeys(others.values()):
        named = ", ".join(pair.upper() for pair, own in others.items() if own == tokens)
        note += f" For {named}, the tokens are sacreBLEU's ({tokens}): Moses has no rules for this code of a language"
        note += ", or its text has no blanks between words." if tokens == SINGLE_CHARACTERS else "."
    return note


def _own_measure_note(pairs: Sequence[str]) -> str:
    german = [pair.endswith("-de") for pair in pairs]
    split = f": {GERMAN_NOTE}" if any(german) else ""
    others = ", and into other languages without the split" if split and not all(german) else ""
    return f"BLEU as in the paper is that of Moses tokens{split}{others}."


def warning_of(literature: Literature, runs: Sequence[Run]) -> str:
    """Return the warning that our numbers are not on WMT data; it is part of every rendering."""
    ours = ours_of(runs)
    data, *test_sets = runs[0].corpus.split(", ")
    if test_sets == [literature.test_set]:
        return ours
    return f"{ours}{'' if data == 'WMT14' else ', not WMT'}; not comparable with {literature.test_set}"


def _paper_lines(literature: Literature, pairs: Sequence[str]) -> Iterator[Line]:
    """Yield the paper's rows that have a number of the pairs; what it says elsewhere is a footnote."""
    for row in records(literature.models):
        cells = [cell for pair in pairs for cell in _paper_cells(row, pair)]
        if not cells:
            continue
        label = Cell("label", row["label"], origin=PAPER, latex=escape(row["label"]))
        remarks = [
            f"{measure}: {note}"
            for measure, note in _differing(row).items()
            if measure.split()[1] in (*pairs, "both")
        ]
        facts = {
            "origin": f"paper, {literature.version}",
            "model": row["label"],
            "measure": "as in the paper",
        }
        facts |= {"corpus": literature.test_set, "note": "; ".join(remarks)}
        yield Line([label, *cells], row["label"], row["block"], PAPER, facts=facts)


def _paper_cells(row: Mapping[str, Any], pair: str) -> Iterator[Cell]:
    """Yield the paper's numbers of a pair; it may give one training cost for both of its pairs."""
    cost = f"training_cost {pair}"
    if pair in PAPER_PAIRS and not row[f"training_cost.{pair}"]:
        cost = "training_cost both"
    measures = {"bleu": f"bleu {pair}", "estimated_flops": cost, "training_flops": f"counted_cost {pair}"}
    for column, measure in measures.items():
        if text := row.get(measure.replace(" ", "."), ""):
            note, is_bold = _differing(row).get(measure, ""), measure in row["bold"]
            yield Cell(f"{column}_{pair}", text, origin=PAPER, value=text, note=note, is_bold=is_bold)


def _differing(row: Mapping[str, Any]) -> dict[str, str]:
    """Return by measure what the paper says elsewhere."""
    return {other["measure"]: f"{other['value']} in {other['source']}" for other in row["differs"]}


def _names(literature: Literature, runs: Sequence[Run]) -> dict[str, tuple[str, str]]:
    """Return our runs, the paper's models first, with the model and the note that explains those it does not have."""
    known = {row["run"]: (row["model"], "") for row in records(literature.models) if row["run"]}
    known |= {run: (model, why) for why, models in NOT_IN_PAPER.items() for run, model in models.items()}
    given = dict.fromkeys(run.name for run in runs)
    return {run: known.get(run, (run, OWN_NOTE)) for run in dict.fromkeys([*known, *given]) if run in given}


def _scores(
    runs: Sequence[Run],
    measures: Sequence[Measure],
    names: Mapping[str, tuple[str, str]],
) -> dict[tuple[str, str, str], Cell]:
    """Return the scores by run, pair and measure; those of BLEU as in the paper are tested against base's."""
    scores = scores_of(runs)
    scores = pd.concat([scores, scores[scores["headline"]].assign(measure=HEADLINE)])
    found = over_seeds(
        scores[scores["measure"].isin([of.name for of in measures])], ["run", "pair", "measure"]
    )
    papers = [run for run, (_, why) in names.items() if not why]
    for pair in dict.fromkeys(scores["pair"]):
        cells = {run: found[key] for run in names if (key := (run, pair, HEADLINE)) in found}
        tested = with_p_values(cells, BASE, papers)
        found |= {(run, pair, HEADLINE): cell for run, cell in tested.items()}
    return found


def _our_lines(
    literature: Literature,
    runs: Sequence[Run],
    names: Mapping[str, tuple[str, str]],
    pairs: Sequence[str],
    warning: str,
    measures: Sequence[Measure],
    scores: Mapping[tuple[str, str, str], Cell],
) -> Iterator[Line]:
    """Yield a line for each measure of BLEU of each run; the first has the other measures in columns of their own."""
    # Seeds differ in their batches, and so a little in their operations; the table has those of the first.
    trained = {(run.name, run.pair): run for run in first_seeds(runs)}
    paper = {row["run"]: row for row in records(literature.models) if row["run"]}
    explained, title = {""}, warning
    for run, (model, why) in names.items():
        if why not in explained:
            explained.add(why)
            title = why
        for line in sorted(measures, key=lambda measure: measure.name != HEADLINE):
            if line.unit != BLEU:
                continue
            is_first = line.name == HEADLINE
            shown = [line, *(of for of in measures if is_first and of.unit != BLEU)]
            found = {
                (of, pair): cell
                for of in shown
                for pair in pairs
                if (cell := scores.get((run, pair, of.name)))
            }
            scored = [pair for of, pair in found if of is line]
            cells = [Cell("label", f"{model}, ours, {line.label}", latex=rf"\quad {line.label}")]
            if is_first:
                cells = [replace(cells[0], latex=escape(model)), *_printed_beside(paper.get(run, {}), scored)]
            cells += [
                printed(cell, f"{of.column}_{pair}", quantity=f"BLEU, {pair.upper()}" * (of.name == HEADLINE))
                for (of, pair), cell in found.items()
            ]
            cells += [_flops(trained[run, pair], is_first) for pair in scored]
            yield Line(cells, model, OURS, title=title, facts={"model": model, "measure": line.label})
            title = ""


def _printed_beside(row: Mapping[str, Any], pairs: Iterable[str]) -> Iterator[Cell]:
    """Yield what the paper has of the same model, without its types and notes."""
    for pair in pairs:
        for column, key in (("bleu", "bleu"), ("training_flops", "counted_cost")):
            if text := row.get(f"{key}.{pair}", ""):
                yield Cell(f"{column}_{pair}", text, origin=PAPER, value=text)


def _flops(run: Run, is_shown: bool) -> Cell:
    """Return the operations of a training, which are shown and compared once for each run."""
    cell = counted(run, "training_flops", f"training_flops_{run.pair}")
    if not is_shown:
        return cell
    return replace(cell, shown=scientific(cell.value), quantity=f"counted FLOPs, {run.pair.upper()}")


if __name__ == "__main__":
    run_script(main)
