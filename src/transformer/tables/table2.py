"""Table 2 of the paper: BLEU and training cost of translation models, the paper's rows and then ours.

Times and machine names are not read here, so that a resumed pipeline ends with the same bytes as an uninterrupted one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from transformer.common.errors import UserError
from transformer.tables.latex_table import RULE, across, latex_table, rules
from transformer.tables.latex_text import escape, from_markdown
from transformer.tables.literature import Literature
from transformer.tables.row_scores import (
    engine_notes,
    mark_notes,
    marked,
    over_seeds,
    p_against,
    score_text,
    seeds_of,
    spread_note,
)
from transformer.tables.runs import Run
from transformer.tables.scores_frame import scores_frame
from transformer.tables.table import (
    Cells,
    Document,
    Table,
    all_traced,
    four_decimals,
    numbers,
    records,
    traced,
)

PAPER_PAIRS = ("en-de", "en-fr")
BASE = "base"  # the run with which the others are compared
# The lines of our rows, in this order.  Which measure is the headline depends on the language (scoring/measures.py).
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
    "models' shapes by the same rules for the paper's runs and for ours; cost.md estimates ours too"
)
LAYERS = {
    "recurrent": "Recurrent",
    "convolutional": "Convolutional",
    "restricted": "Restricted self-attention",
}
T2T = {"t2t-1.0.3": "Base model, as T2T 1.0.3", "t2t-1.0.3-big": "Big, as T2T 1.0.3"}
T2T_NOTE = "Not in the paper: the models as its authors' code, Tensor2Tensor 1.0.3, made them"
LAYERS_NOTE = (
    "Not in the paper: base with another layer of section 4 in place of its encoder's self-attention"
)
OWN_NOTE = "Not in the paper's Table 2; the names are those of config/"
BASELINES = {"copy": "copying the source", "dictionary": "a word-for-word dictionary"}
# Field of a run, measure and pair → its column. The last three are not in the CSV file.
FIELDS = {
    "value": "bleu_{}", "low": "bleu_{}_low", "high": "bleu_{}_high", "sd": "bleu_{}_sd", "p": "bleu_{}_p",
    "printed": "bleu_{}_paper",
    "training_flops": "training_flops_{}", "path": "scores_{}", "sha256": "scores_sha256_{}",
    "text": "text_{}", "flops": "flops_{}", "flops_source": "flops_source_{}",
}  # fmt: skip


def build_table2(
    literature: Literature,
    runs: Sequence[Run],
    baselines: pd.DataFrame | None = None,
    pairs: Sequence[str] = PAPER_PAIRS,
) -> Table:
    """Join runs with the paper's rows, in columns for each of ``pairs``.

    The paper's cells are blank for a pair that it does not have, and its rows that have none of the pairs are left out.
    ``baselines`` has the figures of systems without training (``baselines_frame``), for a note.  Raises UserError when
    a run is of a language pair that the table does not have.
    """
    models = _models(literature, runs, pairs)
    extra = _extra(literature, models)
    literature = _of_pairs(literature, pairs)
    scores = scores_frame(runs)
    warning = warning_of(literature, runs[0])
    paper = _paper(literature, pairs)
    ours, p = _ours(literature, scores, models, pairs)
    ours = ours.assign(origin="ours", scale=runs[0].scale, corpus=runs[0].corpus, note=warning)
    cells = _cells(literature, ours, pairs)
    measures = measure_note(runs, pairs)
    notes = [f"<sup>{mark}</sup> {text}." for mark, _, _, text in _differing(literature.models)]
    seeds = seeds_of(runs)
    notes += _baseline_note(baselines) + mark_notes(p, BASE, "BLEU", seeds) + engine_notes(runs)
    others = [f"{note}: {', '.join(models[run] for run in group)}." for note, group in extra.items()]
    document: Document = [
        "# Table 2: BLEU and training cost",
        f"**{warning}.**",
        "Ours: BLEU on our test set, and counted FLOPs, those of the paper's runs too. Everything else is what the "
        f"paper reports. {spread_note(seeds)} {measures}",
        cells,
        *notes,
        f"{COST_NOTE}.",
        *others,
    ]
    caption = f"BLEU and training cost of translation models. {warning}. {spread_note(seeds)}"
    shown = scores["headline"] | scores["measure"].isin([SACREBLEU, "training_flops"])
    files = {name: ours[name].str.join(" ") for name in _columns(pairs) if name.startswith("scores_")}
    return Table(
        "table2",
        pd.concat([paper, ours.assign(**files)])[_columns(pairs)].fillna(""),
        document,
        _latex(cells, literature, ours, pairs, extra, warning, caption, [*notes, f"{FIRST_LINE} {measures}"]),
        numbers("table2", scores[shown]),
        runs,
    )


def scientific(flops: int) -> str:
    """Return ``1.2e14``: two significant digits, in the form of ``config/literature.yaml``."""
    mantissa, exponent = f"{flops:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def measure_note(runs: Sequence[Run], pairs: Sequence[str]) -> str:
    """Return what the measures of these pairs are, with the languages for which Moses has no rules."""
    note = MEASURE_NOTE if set(pairs) == set(PAPER_PAIRS) else _own_measure_note(pairs)
    signatures = {run.pair: run.measure(run.content["scores"]["headline"])["signature"] for run in runs}
    others = {pair: found[1] for pair in pairs if (found := FALLBACK.search(signatures.get(pair, "")))}
    for tokens in dict.fromkeys(others.values()):
        named = ", ".join(pair.upper() for pair, own in others.items() if own == tokens)
        note += f" For {named}, the tokens are sacreBLEU's ({tokens}): Moses has no rules for the target language."
    return note


def _own_measure_note(pairs: Sequence[str]) -> str:
    german = [pair.endswith("-de") for pair in pairs]
    split = f": {GERMAN_NOTE}" if any(german) else ""
    others = ", and into other languages without the split" if split and not all(german) else ""
    return f"BLEU as in the paper is that of Moses tokens{split}{others}."


def _of_pairs(literature: Literature, pairs: Sequence[str]) -> Literature:
    """Return the paper's numbers with blank ones for pairs that it lacks, without rows that have no pair's numbers."""
    models = literature.models
    for pair in (pair for pair in pairs if pair not in PAPER_PAIRS):
        models = models.assign(**{f"{what}.{pair}": "" for what in ("bleu", "training_cost", "counted_cost")})
    numbers = models[[f"{what}.{pair}" for what in ("bleu", "training_cost") for pair in pairs]]
    models = models[(numbers != "").any(axis="columns")].reset_index(drop=True)
    shown = {f"{what} {pair}" for what in ("bleu", "training_cost") for pair in (*pairs, "both")}
    differs = [[other for other in others if other["measure"] in shown] for others in models["differs"]]
    return replace(literature, models=models.assign(differs=pd.Series(differs, dtype=object)))


def _columns(pairs: Sequence[str]) -> list[str]:
    """Return the columns of the CSV file."""
    return [
        *("origin", "model", "measure"),
        *(f"bleu_{pair}{end}" for pair in pairs for end in ("", "_low", "_high", "_sd", "_p", "_paper")),
        *(f"{how}_flops_{pair}" for how in ("estimated", "training") for pair in pairs),
        *("seeds", "scale", "corpus", "note"),
        *(f"{what}_{pair}" for pair in pairs for what in ("scores", "scores_sha256")),
    ]


def _models(literature: Literature, runs: Sequence[Run], pairs: Sequence[str]) -> dict[str, str]:
    """Return run → model, in the order of our rows: the paper's, as by T2T, with other layers, and all other runs."""
    for run in runs:
        if run.pair not in pairs:
            raise UserError(
                f"{run.folder}: run '{run.name}' of {run.pair} is no row of Table 2; "
                f"its pairs are {', '.join(pairs)}"
            )
    paper = literature.models[literature.models["run"] != ""]
    known = dict(zip(paper["run"], paper["model"], strict=True)) | T2T
    known |= {name: f"{layer} encoder" for name, layer in LAYERS.items()}
    given = dict.fromkeys(run.name for run in runs)
    labels = {name: model for name, model in known.items() if name in given}
    return labels | {name: name for name in given if name not in known}


def _extra(literature: Literature, runs: Iterable[str]) -> dict[str, list[str]]:
    """Return note → those of our ``runs``, not in the paper, that it explains."""
    extra = [run for run in dict.fromkeys(runs) if run not in set(literature.models["run"])]
    groups = {
        T2T_NOTE: [run for run in extra if run in T2T],
        LAYERS_NOTE: [run for run in extra if run in LAYERS],
        OWN_NOTE: [run for run in extra if run not in T2T | LAYERS],
    }
    return {note: group for note, group in groups.items() if group}


def warning_of(literature: Literature, run: Run) -> str:
    """Return the warning that our figures are not on WMT data; it is part of every rendering."""
    ours = f"Ours: {run.scale} scale, {run.corpus}"
    data, *test_sets = run.corpus.split(", ")
    if test_sets == [literature.test_set]:
        return ours
    return f"{ours}{'' if data == 'WMT14' else ', not WMT'}; not comparable with {literature.test_set}"


def _differing(models: pd.DataFrame) -> list[tuple[str, int, str, str]]:
    """Return (mark, position of the row, measure, text) of each value that the paper itself gives in two ways."""
    found = [(position, other) for position, others in enumerate(models["differs"]) for other in others]
    return [
        (chr(ord("a") + i), position, other["measure"], f"{other['value']} in {other['source']}")
        for i, (position, other) in enumerate(found)
    ]


def _paper(literature: Literature, pairs: Sequence[str]) -> pd.DataFrame:
    """Return the paper's rows of the CSV file."""
    models = literature.models
    paper = pd.DataFrame({"model": models["label"], "measure": MEASURES[HEADLINE]})
    for pair in pairs:
        cost = models[f"training_cost.{pair}"]
        paper[f"bleu_{pair}"] = models[f"bleu.{pair}"]
        both = models["training_cost.both"] if pair in PAPER_PAIRS else ""
        paper[f"estimated_flops_{pair}"] = cost.where(cost != "", both)
        paper[f"training_flops_{pair}"] = models[f"counted_cost.{pair}"]
    notes = [(position, f"{measure}: {text}") for _, position, measure, text in _differing(models)]
    paper["note"] = ["; ".join(text for at, text in notes if at == position) for position in models.index]
    return paper.assign(origin=f"paper, {literature.version}", corpus=literature.test_set)


def _ours(
    literature: Literature, scores: pd.DataFrame, models: dict[str, str], pairs: Sequence[str]
) -> tuple[pd.DataFrame, pd.Series]:
    """Return one row per model and measure, with the columns of ``FIELDS`` for each pair, and the p-values."""
    bleu = scores[scores["headline"] | (scores["measure"] == SACREBLEU)]
    bleu = bleu.assign(measure=bleu["measure"].mask(bleu["headline"], HEADLINE))
    bleu = over_seeds(bleu, ["run", "pair", "measure"])
    p = p_against(bleu[bleu.index.get_level_values("measure") == HEADLINE], BASE)
    seeds = bleu["seeds"].groupby("run").first().map(lambda numbers: " ".join(map(str, numbers)))
    bleu = bleu.drop(columns="seeds").assign(p=p).reset_index()
    paper = literature.models.melt("run", [f"bleu.{pair}" for pair in pairs], "pair", "printed")
    paper = paper.assign(pair=paper["pair"].str.removeprefix("bleu."), measure=HEADLINE)
    training = scores[scores["measure"] == "training_flops"]
    training = training.assign(flops_source=list(map(traced, training["path"], training["sha256"])))
    bleu = bleu.merge(paper, how="left", on=["run", "pair", "measure"])
    # Seeds differ in their batches, and so a little in their operations; the table has those of the first.
    training = training.drop_duplicates(["run", "pair"])[["run", "pair", "training_flops", "flops_source"]]
    bleu = bleu.merge(training, on=["run", "pair"])
    text = map(score_text, bleu["value"], bleu["sd"], bleu["low"], bleu["high"])
    bleu = bleu.assign(
        text=list(map(marked, text, bleu["p"])),
        flops=bleu["training_flops"].map(scientific).where(bleu["measure"] == HEADLINE),
        **{name: four_decimals(bleu[name]) for name in ("value", "low", "high", "sd", "p")},
    )
    rows = pd.MultiIndex.from_product([models, MEASURES], names=["run", "measure"])
    wide = bleu.pivot(index=["run", "measure"], columns="pair", values=list(FIELDS))
    columns = pd.MultiIndex.from_product([FIELDS, pairs])
    wide = wide.reindex(rows).reindex(columns=columns).astype(object).fillna("")
    wide.columns = pd.Index([FIELDS[name].format(pair) for name, pair in columns])
    wide = wide.reset_index()
    wide = wide.assign(seeds=wide["run"].map(seeds))
    return wide.assign(model=wide["run"].map(models), measure=wide["measure"].map(MEASURES)), p


def _cells(literature: Literature, ours: pd.DataFrame, pairs: Sequence[str]) -> Cells:
    models = literature.models
    blank = [""] * len(models)
    where = [literature.source(2, row) for row in models["row"]]
    beside = ours["run"].map(dict(zip(models["run"], where, strict=True)))
    text = {"Model": [*models["label"], *(ours["model"] + ", ours, " + ours["measure"])]}
    sources = {}
    for pair in pairs:
        text[f"{pair.upper()}, paper"] = [*_printed(models, f"bleu {pair}"), *ours[f"bleu_{pair}_paper"]]
        sources[f"{pair.upper()}, paper"] = [*where, *beside]
        text[f"{pair.upper()}, ours"] = [*blank, *ours[f"text_{pair}"]]
        traces = map(all_traced, ours[f"scores_{pair}"], ours[f"scores_sha256_{pair}"])
        sources[f"{pair.upper()}, ours"] = [*blank, *traces]
    for pair in pairs:
        both = _printed(models, "training_cost both") if pair in PAPER_PAIRS else blank
        costs = zip(_printed(models, f"training_cost {pair}"), both, strict=True)
        head = f"estimated FLOPs, {pair.upper()}"
        text[head] = [*(cost or shared for cost, shared in costs), *("" for _ in ours.index)]
        sources[head] = [*where, *("" for _ in ours.index)]
    for pair in pairs:
        head = f"counted FLOPs, {pair.upper()}"
        text[head] = [*models[f"counted_cost.{pair}"], *ours[f"flops_{pair}"]]
        sources[head] = [*(f"our count of {row}" for row in where), *ours[f"flops_source_{pair}"]]
    return Cells(pd.DataFrame(text), sources)


def _printed(models: pd.DataFrame, measure: str) -> list[str]:
    """Return the paper's values of a measure such as ``bleu en-de``, with the paper's bold type and marks of notes."""
    values = models[measure.replace(" ", ".")]
    bold = [
        f"**{text}**" if measure in names else text
        for text, names in zip(values, models["bold"], strict=True)
    ]
    marks = {
        position: f"<sup>{mark}</sup>" for mark, position, what, _ in _differing(models) if what == measure
    }
    return [text + marks.get(position, "") for position, text in enumerate(bold)]


def _baseline_note(baselines: pd.DataFrame | None) -> list[str]:
    """Return a sentence on the BLEU of systems without training."""
    if baselines is None or baselines.empty:
        return []
    bleu = baselines[baselines["headline"]]
    text = bleu["value"].map("{:.1f}".format) + " (" + bleu["pair"].str.upper() + ")"
    figures = text.groupby(bleu["run"].map(BASELINES), sort=False).agg(", ".join)
    sentence = "; ".join(f"{what} {scores}" for what, scores in figures.items())
    return [f"BLEU without any training, measured as in the paper: {sentence}."]


def _latex(
    cells: Cells,
    literature: Literature,
    ours: pd.DataFrame,
    pairs: Sequence[str],
    extra: Mapping[str, Sequence[str]],
    warning: str,
    caption: str,
    notes: Sequence[str],
) -> str:
    models, count = literature.models, len(literature.models)
    heads = [("", "", "Model")]
    heads += [("BLEU", pair.upper(), side) for pair in pairs for side in ("paper", "ours")]
    heads += [
        ("Training cost (FLOPs)", how, pair.upper()) for how in ("estimated", "counted") for pair in pairs
    ]
    text = cells.text.map(from_markdown)
    first = ours["measure"] == MEASURES[HEADLINE]
    labels = ours["model"].map(escape).where(first, r"\quad " + ours["measure"])
    text["Model"] = [*models["label"].map(escape), *labels]
    above = rules(list(models["block"]))
    above[count] = f"{RULE}\n{across(escape(warning), len(heads))}"
    for note, group in extra.items():
        row = list(ours["run"]).index(group[0])
        above[count + row] = f"\\addlinespace[2pt]\n{across(escape(note), len(heads))}"
    files = [
        "; ".join(
            all_traced(row[f"scores_{pair}"], row[f"scores_sha256_{pair}"])
            for pair in pairs
            if row[f"text_{pair}"]
        )
        for row in records(ours)
    ]
    return latex_table(
        text.set_axis(pd.MultiIndex.from_tuples(heads), axis="columns"),
        label="table2",
        caption=caption,
        column_format=f"@{{}}l{'cccc' * len(pairs)}@{{}}",
        comments=[""] * count + files,
        above=above,
        notes=[*notes, f"{COST_NOTE}."],
    )
