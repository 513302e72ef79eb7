"""Table 2 of the paper: BLEU and training cost of translation models, the paper's rows and then ours.

Times and machine names are not read here, so that a resumed pipeline ends with the same bytes as an uninterrupted one.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from transformer.common.errors import UserError
from transformer.scoring.tokens import SINGLE_CHARACTERS
from transformer.tables.latex_text import escape
from transformer.tables.literature import Literature
from transformer.tables.runs import Run, first_seeds
from transformer.tables.scores import scores_of
from transformer.tables.seed_means import (
    NOT_TESTED,
    P,
    Score,
    differences,
    mark_notes,
    marked,
    over_seeds,
    spread_note,
)
from transformer.tables.table import Column, Table, csv_frame, numbers, records

PAPER_PAIRS = ("en-de", "en-fr")
BASE = "base"  # the run with which the others are compared
# The lines of our rows, in this order.  Which measure is the headline depends on the language (scoring/bleu.py).
HEADLINE, SACREBLEU = "headline", "sacrebleu"
MEASURES = {HEADLINE: "as in the paper", SACREBLEU: "sacreBLEU"}
MEASURE_NOTE = (
    "BLEU as in the paper is that of Moses tokens: for EN-DE with compounds split at hyphens, as its authors' script "
    "does, and for EN-FR without the split, as others report it."
)
# Of a measure's signature, the tokens of sacreBLEU that stand in for those of Moses (scoring/moses.py).
FALLBACK = re.compile(r"tok:(?!moses)([\w-]+)")
FIRST_LINE = "Our first line: BLEU as in the paper; below it, sacreBLEU."
GERMAN_NOTE = "into German with compounds split at hyphens, as its authors' script does"
COST_NOTE = (
    "FLOPs are estimated as time, GPUs and their capacity multiplied (the paper, section 6.1), and counted from the "
    "models' shapes by the same rules for the paper's runs and for ours; cost.md estimates ours too."
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
BASELINES = {"copy": "copying the source", "dictionary": "a word-for-word dictionary"}
ENDS = ("", "_low", "_high", "_sd", "_p", "_p_holm", "_paper")  # of the columns of a BLEU
Row = dict[str, Any]


def build_table2(
    literature: Literature,
    runs: Sequence[Run],
    baselines: pd.DataFrame | None = None,
    pairs: Sequence[str] = PAPER_PAIRS,
) -> Table:
    """Join runs with the paper's rows, in columns for each of ``pairs``.

    The paper's cells are blank for a pair that it does not have, and its rows that have none of the pairs are left out.
    ``baselines`` has the figures of systems without training (``scores_of_baselines``), for a note.  Raises UserError
    when a run is of another pair.
    """
    for run in runs:
        if run.pair not in pairs:
            raise UserError(
                f"{run.folder}: Table 2 has no column for {run.pair}, only for {', '.join(pairs)}"
            )
    scores = scores_of(runs)
    warning, spread = warning_of(literature, runs[0]), spread_note(runs)
    measures = measure_note(runs, pairs)
    rows, notes = _paper(literature, pairs)
    titles = {len(rows): escape(warning)}
    facts = {"scale": runs[0].scale, "corpus": runs[0].corpus, "note": warning}
    explained: dict[str, dict[str, None]] = {}
    for row in _ours(literature, runs, scores, pairs):
        if row["why"] and row["why"] not in explained:
            titles[len(rows)] = escape(row["why"])
        explained.setdefault(row["why"], {})[row["model"]] = None
        rows.append(row | facts)
    p = [row.get(f"bleu_{pair}_p", "") for row in rows for pair in pairs]
    notes += _baseline_note(baselines) + mark_notes(p, BASE, "BLEU", runs)
    shown = scores["headline"] | scores["measure"].isin([SACREBLEU, "training_flops"])
    return Table(
        "table2",
        csv_frame(rows, _csv_columns(pairs)),
        _columns(rows, pairs),
        numbers("table2", scores[shown]),
        runs,
        above=[
            "# Table 2: BLEU and training cost",
            f"**{warning}.**",
            "Ours: BLEU on our test set, and counted FLOPs, those of the paper's runs too. Everything else is what "
            f"the paper reports. {spread} {measures}",
        ],
        below=[
            *notes,
            COST_NOTE,
            *(f"{why}: {', '.join(models)}." for why, models in explained.items() if why),
        ],
        caption=f"BLEU and training cost of translation models. {warning}. {spread}",
        notes=[*notes, f"{FIRST_LINE} {measures}", COST_NOTE],
        column_format=f"@{{}}l{'cccc' * len(pairs)}@{{}}",
        blocks=[row["block"] for row in rows],
        titles=titles,
        comments=[row["files"] for row in rows],
    )


def _csv_columns(pairs: Sequence[str]) -> list[str]:
    return [
        *("origin", "model", "measure"),
        *(f"bleu_{pair}{end}" for pair in pairs for end in ENDS),
        *(f"{how}_flops_{pair}" for how in ("estimated", "training") for pair in pairs),
        *("seeds", "scale", "corpus", "note"),
        *(f"{what}_{pair}" for pair in pairs for what in ("scores", "scores_sha256")),
    ]


def _columns(rows: Sequence[Row], pairs: Sequence[str]) -> list[Column]:
    """Return the columns that are shown; rows have a cell of theirs by the heads in LaTeX, if it is not blank."""
    labels = [row["label"] for row in rows]
    columns = [Column("Model", ("", "", "Model"), labels, [row["latex_label"] for row in rows])]
    heads = [
        (f"{pair.upper()}, {side}", ("BLEU", pair.upper(), side))
        for pair in pairs
        for side in ("paper", "ours")
    ]
    cost = "Training cost (FLOPs)"
    for how in ("estimated", "counted"):
        heads += [(f"{how} FLOPs, {pair.upper()}", (cost, how, pair.upper())) for pair in pairs]
    return columns + [Column(head, latex, [row.get(head, "") for row in rows]) for head, latex in heads]


def scientific(flops: int) -> str:
    """Return ``1.2e14``: two significant digits, in the form of ``resources/literature.yaml``."""
    mantissa, exponent = f"{flops:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def measure_note(runs: Sequence[Run], pairs: Sequence[str]) -> str:
    """Return what the measures of these pairs are, with the languages for which Moses has no rules."""
    note = MEASURE_NOTE if set(pairs) == set(PAPER_PAIRS) else _own_measure_note(pairs)
    scores = {run.pair: run.content["scores"] for run in runs}
    signatures = {pair: found["measures"][found["headline"]]["signature"] for pair, found in scores.items()}
    others = {pair: found[1] for pair in pairs if (found := FALLBACK.search(signatures.get(pair, "")))}
    for tokens in dict.fromkeys(others.values()):
        named = ", ".join(pair.upper() for pair, own in others.items() if own == tokens)
        note += (
            f" For {named}, the tokens are sacreBLEU's ({tokens}): Moses has no rules for the target language"
        )
        note += ", or its text has no blanks between words." if tokens == SINGLE_CHARACTERS else "."
    return note


def _own_measure_note(pairs: Sequence[str]) -> str:
    german = [pair.endswith("-de") for pair in pairs]
    split = f": {GERMAN_NOTE}" if any(german) else ""
    others = ", and into other languages without the split" if split and not all(german) else ""
    return f"BLEU as in the paper is that of Moses tokens{split}{others}."


def warning_of(literature: Literature, run: Run) -> str:
    """Return the warning that our figures are not on WMT data; it is part of every rendering."""
    ours = f"Ours: {run.scale} scale, {run.numerics} numerics, {run.corpus}"
    data, *test_sets = run.corpus.split(", ")
    if test_sets == [literature.test_set]:
        return ours
    return f"{ours}{'' if data == 'WMT14' else ', not WMT'}; not comparable with {literature.test_set}"


def _paper(literature: Literature, pairs: Sequence[str]) -> tuple[list[Row], list[str]]:
    """Return the paper's rows that have a number of the pairs, and a note on each that it gives in two ways."""
    rows: list[Row] = []
    notes: list[str] = []
    for printed in records(literature.models):
        if not any(printed.get(f"{what}.{pair}") for what in ("bleu", "training_cost") for pair in pairs):
            continue
        row = {"origin": f"paper, {literature.version}", "measure": MEASURES[HEADLINE], "files": ""}
        row |= {"model": printed["label"], "label": printed["label"], "latex_label": escape(printed["label"])}
        marks, remarks = {}, []
        for other in printed["differs"]:
            if other["measure"].split()[1] in (*pairs, "both"):
                mark = f"<sup>{chr(ord('a') + len(notes))}</sup>"
                text = f"{other['value']} in {other['source']}"
                marks[other["measure"]] = mark
                notes.append(f"{mark} {text}.")
                remarks.append(f"{other['measure']}: {text}")
        for pair in pairs:
            row |= _paper_cells(printed, pair, marks)
        corpus = literature.test_set
        rows.append(row | {"block": printed["block"], "corpus": corpus, "note": "; ".join(remarks)})
    return rows, notes


def _paper_cells(printed: Mapping[str, Any], pair: str, marks: Mapping[str, str]) -> Row:
    """Return the paper's numbers of a pair; those that are shown have its bold type and marks of notes."""

    def shown(measure: str) -> str:
        text = printed.get(measure.replace(" ", "."), "")
        return (f"**{text}**" if measure in printed["bold"] else text) + marks.get(measure, "")

    cost = f"training_cost {pair}"
    if pair in PAPER_PAIRS and not printed[f"training_cost.{pair}"]:
        cost = "training_cost both"
    counted = printed.get(f"counted_cost.{pair}", "")
    return {
        f"bleu_{pair}": printed.get(f"bleu.{pair}", ""),
        f"estimated_flops_{pair}": printed.get(cost.replace(" ", "."), ""),
        f"training_flops_{pair}": counted,
        f"{pair.upper()}, paper": shown(f"bleu {pair}"),
        f"estimated FLOPs, {pair.upper()}": shown(cost),
        f"counted FLOPs, {pair.upper()}": counted,
    }


def _bleu(scores: pd.DataFrame) -> dict[tuple[str, str, str], Score]:
    """Return BLEU by run, pair and measure."""
    bleu = scores[scores["headline"] | (scores["measure"] == SACREBLEU)]
    bleu = bleu.assign(measure=bleu["measure"].mask(bleu["headline"], HEADLINE))
    return over_seeds(bleu, ["run", "pair", "measure"])


def _ours(
    literature: Literature, runs: Sequence[Run], scores: pd.DataFrame, pairs: Sequence[str]
) -> Iterator[Row]:
    """Yield our rows, the paper's models first; ``why`` is the note that explains the others."""
    bleu = _bleu(scores)
    tested = {key: score for key, score in bleu.items() if key[2] == HEADLINE}
    p = differences(tested, {key: bleu.get((BASE, key[1], HEADLINE)) for key in tested})
    # Seeds differ in their batches, and so a little in their operations; the table has those of the first.
    flops = {(run.name, run.pair): run.content["training"]["training_flops"] for run in first_seeds(runs)}
    paper = {row["run"]: row for row in records(literature.models) if row["run"]}
    known = {run: (row["model"], "") for run, row in paper.items()}
    known |= {run: (model, why) for why, models in NOT_IN_PAPER.items() for run, model in models.items()}
    given = dict.fromkeys(run.name for run in runs)
    for run in dict.fromkeys([*known, *given]):
        if run in given:
            model, why = known.get(run, (run, OWN_NOTE))
            for row in _our_rows(run, model, bleu, p, flops, paper.get(run, {}), pairs):
                yield row | {"why": why}


def _our_rows(
    run: str,
    model: str,
    bleu: Mapping[tuple[str, str, str], Score],
    p: Mapping[tuple[str, str, str], P],
    flops: Mapping[tuple[str, str], int],
    paper: Mapping[str, Any],
    pairs: Sequence[str],
) -> Iterator[Row]:
    """Yield a row for each measure of a run; ``paper`` is the paper's row of the same model."""
    for measure, how in MEASURES.items():
        is_headline = measure == HEADLINE
        row: Row = {"origin": "ours", "model": model, "measure": how, "block": "ours"}
        row["label"] = f"{model}, ours, {how}"
        row["latex_label"] = escape(model) if is_headline else rf"\quad {how}"
        found = {pair: bleu[run, pair, measure] for pair in pairs if (run, pair, measure) in bleu}
        for pair, score in found.items():
            difference = p.get((run, pair, measure), NOT_TESTED)
            printed = paper.get(f"bleu.{pair}", "") if is_headline else ""
            row |= score.csv(f"bleu_{pair}", difference) | score.csv_files(f"_{pair}")
            row |= {
                f"bleu_{pair}_paper": printed,
                f"training_flops_{pair}": flops[run, pair],
                f"{pair.upper()}, paper": printed,
                f"{pair.upper()}, ours": marked(score.text, difference),
                f"counted FLOPs, {pair.upper()}": scientific(flops[run, pair]) if is_headline else "",
            }
        row["seeds"] = next((score.csv_seeds for score in found.values()), "")
        yield row | {"files": "; ".join(score.files for score in found.values())}


def _baseline_note(baselines: pd.DataFrame | None) -> list[str]:
    """Return a sentence on the BLEU of systems without training."""
    if baselines is None or baselines.empty:
        return []
    bleu = baselines[baselines["headline"]]
    text = bleu["value"].map("{:.1f}".format) + " (" + bleu["pair"].str.upper() + ")"
    figures = text.groupby(bleu["run"].map(BASELINES), sort=False).agg(", ".join)
    sentence = "; ".join(f"{what} {scores}" for what, scores in figures.items())
    return [f"BLEU without any training, measured as in the paper: {sentence}."]
