"""Table 3 of the paper: variations of the architecture, each of our figures beside the paper's.

Runs that the paper does not have follow as a block of their own.  Figures are perplexity per subword and BLEU of the
last checkpoint on the development set (section 6.2: no averaging).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any

import pandas as pd

from transformer.common.errors import UserError
from transformer.tables.latex_text import escape, from_markdown
from transformer.tables.literature import Literature
from transformer.tables.parameter_count import parameters_2017
from transformer.tables.runs import Run
from transformer.tables.scores import scores_of
from transformer.tables.seed_means import (
    csv_scores,
    engine_notes,
    mark_notes,
    marked,
    over_seeds,
    p_against,
    spread_note,
)
from transformer.tables.table import Column, Table, numbers, records

PAPER_PAIR, BASE = "en-de", "base"
TITLES = {"en-de": "English to German", "en-fr": "English to French"}
# Setting → its head, and its head in LaTeX, in the paper's order.
SETTINGS = {
    "N": ("N", "$N$"),
    "d_model": ("d_model", r"$d_\mathrm{model}$"),
    "d_ff": ("d_ff", r"$d_\mathrm{ff}$"),
    "h": ("h", "$h$"),
    "d_k": ("d_k", "$d_k$"),
    "d_v": ("d_v", "$d_v$"),
    "dropout": ("P_drop", "$P_{drop}$"),
    "label_smoothing": ("eps_ls", r"$\epsilon_{ls}$"),
    "steps": ("train steps", "steps"),
}
OURS = "ours only"  # the block of runs that the paper does not have
# Settings of training that change neither the model nor its last checkpoint, besides the seed.
UNSEEN = {
    *("checkpoint_every_steps", "checkpoint_every_minutes", "keep_checkpoints"),
    *("validate_every_steps", "threads", "seed"),
}
MIDDLE = "d_k"  # the middle setting, below which a row's remark is centred
COLUMNS = [
    *("row", "block", "run", *SETTINGS, "positions", *(f"{name}_paper" for name in SETTINGS)),
    *("perplexity", "perplexity_sd", "perplexity_paper"),
    *("bleu", "bleu_sd", "bleu_low", "bleu_high", "bleu_p", "bleu_paper"),
    *("parameters", "parameters_2017_code", "parameters_paper_millions"),
    *("seeds", "scale", "corpus", "note", "scores", "scores_sha256"),
]


def build_table3(
    literature: Literature,
    runs: Sequence[Run],
    paper_settings: Mapping[str, Mapping[str, int]],
    pair: str = PAPER_PAIR,
) -> Table:
    """Join runs with the paper's rows; ``paper_settings`` gives the settings of these rows at the paper's size.

    The paper's scores are blank if ``pair`` is not its language pair.  Raises UserError when a run is of another pair,
    when a row of the paper has no run, or when rows have different numbers of runs.
    """
    seeds = _check(list(literature.variations["run"]), runs, pair)
    scores = scores_of(runs)
    warning = f"Ours: {runs[0].scale} scale, {runs[0].corpus}, development set"
    if pair == PAPER_PAIR:
        warning += f"; the paper's: {literature.dev_set}"
    else:
        warning += f", {pair.upper()}, for which the paper has no scores"
    rows = _rows(literature, runs, scores, paper_settings)
    if pair != PAPER_PAIR:
        rows[["perplexity_paper", "bleu_paper"]] = ""
    data = rows.assign(scale=runs[0].scale, corpus=runs[0].corpus, note=warning)
    notes = _explanations(seeds) + mark_notes(rows["bleu_p"], BASE, "BLEU", seeds)
    notes += _own_notes(rows) + engine_notes(runs)
    shown = scores["headline"] | scores["measure"].isin(["perplexity", "parameters"])
    own = (rows["block"] == OURS).to_numpy().nonzero()[0]
    columns = _columns(rows)
    return Table(
        "table3",
        data[COLUMNS],
        columns,
        numbers("table3", scores[shown]),
        runs,
        above=["# Table 3: variations of the Transformer", f"**{warning}.**", " ".join(notes)],
        caption=f"Variations of the Transformer, {TITLES.get(pair, pair.upper())}. {warning}.",
        notes=notes,
        column_format=f"@{{}}l{'c' * (len(columns) - 1)}@{{}}",
        blocks=list(rows["block"]),
        titles={int(row): "Ours only: not in the paper" for row in own[:1]},
        comments=list(rows["files"]),
        size=r"\scriptsize",
        space="2.5pt",
    )


def _check(known: Sequence[str], runs: Sequence[Run], pair: str) -> int:
    """Return the number of seeds, which is the same for every row."""
    for run in runs:
        if run.pair != pair:
            raise UserError(
                f"{run.folder}: run '{run.name}' of {run.pair} is no row of Table 3; its runs are of {pair}"
            )
    names = [run.name for run in runs]
    seeds = names.count(known[0])
    for name in dict.fromkeys([*known, *names]):
        if names.count(name) != seeds or not seeds:
            raise UserError(
                f"Table 3 has {names.count(name)} of the run '{name}', but {seeds} of '{known[0]}'; "
                "give every row as many seeds"
            )
    return seeds


def _rows(
    literature: Literature,
    runs: Sequence[Run],
    scores: pd.DataFrame,
    paper_settings: Mapping[str, Mapping[str, int]],
) -> pd.DataFrame:
    """Return all rows with our settings, and with mean and standard deviation of our figures over seeds."""
    configs = {run.name: run.content["config"] for run in reversed(runs)}
    settings = {name: config["model"] | config["training"] for name, config in configs.items()}
    ours = [
        {"run": name, **{key: f"{own[key]}" for key in (*SETTINGS, "positions")}}
        | {"others": _others(own, settings[BASE])}
        for name, own in settings.items()
    ]
    rows = _paper_rows(literature, dict.fromkeys(run.name for run in runs), paper_settings)
    rows = rows.merge(pd.DataFrame(ours), on="run")
    perplexity = over_seeds(scores[scores["measure"] == "perplexity"], ["run"]).assign(p=math.nan)
    text = list(map(mean, perplexity["value"], perplexity["sd"], repeat(2)))
    perplexity = csv_scores(perplexity, "perplexity").assign(perplexity_text=text)
    bleu = over_seeds(scores[scores["headline"]], ["run"])
    bleu["p"] = p_against(bleu, BASE)
    text = list(map(marked, map(mean, bleu["value"], bleu["sd"], repeat(1)), bleu["p"]))
    bleu = csv_scores(bleu, "bleu").assign(bleu_text=text)
    parameters = scores.groupby("run").agg(parameters=("parameters", "first"))
    for found in (perplexity[["perplexity", "perplexity_sd", "perplexity_text"]], bleu, parameters):
        rows = rows.merge(found, on="run")
    return rows


def _paper_rows(
    literature: Literature, names: Iterable[str], paper_settings: Mapping[str, Mapping[str, int]]
) -> pd.DataFrame:
    """Return the paper's rows, then a row for each of the other ``names``, whose cells of the paper are blank."""
    columns = {f"changes.{name}": f"{name}_paper" for name in SETTINGS}
    columns |= {name: f"{name}_paper" for name in ("perplexity", "bleu")}
    rows = literature.variations.rename(columns=columns | {"parameters": "parameters_paper_millions"})
    rows["parameters_2017_code"] = [parameters_2017(paper_settings[run]) for run in rows["run"]]
    blank, known = dict.fromkeys(rows.columns, ""), set(rows["run"])
    own = [blank | {"block": OURS, "run": name} for name in names if name not in known]
    return pd.DataFrame([*records(rows), *own], columns=rows.columns)


def _others(settings: Mapping[str, Any], base: Mapping[str, Any]) -> str:
    """Return in which settings, besides those that have a column, a run differs from base."""
    hidden = {*SETTINGS, *UNSEEN}
    # config.json leaves out newer settings at their defaults.
    values = {key: settings.get(key, "default") for key in [*base, *settings] if key not in hidden}
    return ", ".join(f"{key} {value}" for key, value in values.items() if value != base.get(key, "default"))


def _own_notes(rows: pd.DataFrame) -> list[str]:
    """Return what there is to say about the runs that the paper does not have."""
    own = rows[rows["block"] == OURS]
    if own.empty:
        return []
    others = [f"; {row['run']} also differs in {row['others']}" for row in records(own) if row["others"]]
    return [
        "Ours only: runs that the paper does not have, with our settings, blank where they equal our base"
        f"{''.join(others)}."
    ]


def mean(value: float, deviation: float, digits: int) -> str:
    """Return ``4.92``, and for several seeds ``4.92 ± 0.03``: mean and sample standard deviation."""
    text = f"{value:.{digits}f}"
    return text if pd.isna(deviation) else f"{text} ± {deviation:.{digits}f}"


def millions(parameters: int | str) -> str:
    """Return parameters × 10^6 as ``65``, and below ten million as ``1.64``, where the paper's precision is too low.

    A blank stays blank.
    """
    if isinstance(parameters, str):
        return parameters
    return f"{parameters / 1e6:.0f}" if parameters >= 1e7 else f"{parameters / 1e6:.2f}"


def _columns(rows: pd.DataFrame) -> list[Column]:
    """Return the columns that are shown."""
    lines = records(rows)
    labels = [_label(row) for row in lines]
    names = [
        f"{label}{', ours only' if row['block'] == OURS else ''} {row['remark']}".rstrip()
        for label, row in zip(labels, lines, strict=True)
    ]
    columns = [Column("", ("", ""), names, list(map(escape, labels)))]
    (base,) = (row for row in lines if row["run"] == BASE)
    for name, (head, latex) in SETTINGS.items():
        cells = [_setting(row, base, name) for row in lines]
        # The remark is wider than its column, over blank cells.
        remarks = [
            rf"\makebox[0pt]{{{escape(row['remark'])}}}" if row["remark"] and name == MIDDLE else ""
            for row in lines
        ]
        texts = [from_markdown(cell) + remark for cell, remark in zip(cells, remarks, strict=True)]
        columns.append(Column(head, ("", latex), cells, texts))
    counts = r"params $\times 10^6$"
    return [
        *columns,
        Column("PPL, paper", ("PPL (dev)", "paper"), rows["perplexity_paper"]),
        Column("PPL, ours", ("PPL (dev)", "ours"), rows["perplexity_text"]),
        Column("BLEU, paper", ("BLEU (dev)", "paper"), rows["bleu_paper"]),
        Column("BLEU, ours", ("BLEU (dev)", "ours"), rows["bleu_text"]),
        Column("params ×10⁶, paper", (counts, "paper"), rows["parameters_paper_millions"]),
        Column("2017 code", (counts, "2017 code"), list(map(millions, rows["parameters_2017_code"]))),
        Column("ours", (counts, "ours"), list(map(millions, rows["parameters"]))),
    ]


def _setting(row: Mapping[str, Any], base: Mapping[str, Any], name: str) -> str:
    """Return ``512``, or ``512 [128]`` where our value differs; nothing where the paper leaves the cell blank.

    Of a run that the paper does not have, return our value, or nothing where it is that of our base.
    """
    paper, ours = str(row[f"{name}_paper"]), str(row[name])
    if row["block"] == OURS:
        return "" if ours == base[name] else ours
    if not paper or float(paper.replace("K", "000")) == float(ours):
        return paper
    return f"{paper} [{ours}]"


def _label(row: Mapping[str, Any]) -> str:
    """Return the paper's first column, ``base``, ``(A)`` …, ``big``; otherwise the run's name."""
    if row["block"] == OURS:
        return str(row["run"])
    return f"({row['block']})" if len(row["block"]) == 1 else str(row["block"])


def _explanations(seeds: int) -> list[str]:
    """Return the notes that explain the table."""
    several = f" {spread_note(seeds)}" if seeds > 1 else ""
    return [
        "Settings are the paper's, blank where they equal base; in brackets, where ours differ at this scale.",
        f"Perplexity per subword and BLEU (as in the paper) of the last checkpoint, not averaged.{several}",
        "Parameters: the paper's; of that model in its authors' code of 2017; of our trained model.",
        "That code had a vocabulary of 40,960 and biases in attention, and rounds to the paper's in every row but big.",
    ]
