"""Table 3 of the paper: variations of the architecture, each of our figures beside the paper's.

Runs that the paper does not have follow as a block of their own.  Figures are perplexity per subword and BLEU of the
last checkpoint on the development set (section 6.2: no averaging).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from transformer.common.errors import UserError
from transformer.tables.latex_table import RULE, across, latex_table, rules
from transformer.tables.latex_text import escape, from_markdown
from transformer.tables.literature import Literature
from transformer.tables.parameter_count import parameters_2017
from transformer.tables.row_scores import engine_notes, mark_notes, marked, over_seeds, p_against
from transformer.tables.runs import Run
from transformer.tables.scores_frame import scores_frame
from transformer.tables.table import Cells, Document, Table, all_traced, four_decimals, numbers, records

PAPER_PAIR, BASE = "en-de", "base"
TITLES = {"en-de": "English to German", "en-fr": "English to French"}
# Setting → its head, and its head in LaTeX, in the paper's order.
SETTINGS = {
    "N": ("N", "$N$"), "d_model": ("d_model", r"$d_\mathrm{model}$"), "d_ff": ("d_ff", r"$d_\mathrm{ff}$"),
    "h": ("h", "$h$"), "d_k": ("d_k", "$d_k$"), "d_v": ("d_v", "$d_v$"), "dropout": ("P_drop", "$P_{drop}$"),
    "label_smoothing": ("eps_ls", r"$\epsilon_{ls}$"), "steps": ("train steps", "steps"),
}  # fmt: skip
OURS = "ours only"  # the block of runs that the paper does not have
# Settings of training that change neither the model nor its last checkpoint, besides the seed.
UNSEEN = {
    *("checkpoint_every_steps", "checkpoint_every_minutes", "keep_checkpoints"),
    *("validate_every_steps", "threads", "seed"),
}
MIDDLE = "d_k"  # the middle setting, below which a row's remark is centred
FIGURES = {  # column → its heads in LaTeX
    "PPL, paper": ("PPL (dev)", "paper"), "PPL, ours": ("PPL (dev)", "ours"),
    "BLEU, paper": ("BLEU (dev)", "paper"), "BLEU, ours": ("BLEU (dev)", "ours"),
    "params ×10⁶, paper": (r"params $\times 10^6$", "paper"), "2017 code": (r"params $\times 10^6$", "2017 code"),
    "ours": (r"params $\times 10^6$", "ours"),
}  # fmt: skip


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
    scores = scores_frame(runs)
    warning = f"Ours: {runs[0].scale} scale, {runs[0].corpus}, development set"
    if pair == PAPER_PAIR:
        warning += f"; the paper's: {literature.dev_set}"
    else:
        variations = literature.variations.assign(perplexity="", bleu="")
        literature = replace(literature, variations=variations)
        warning += f", {pair.upper()}, for which the paper has no scores"
    rows = _rows(literature, runs, scores)
    rows["parameters_2017_code"] = [
        "" if row["block"] == OURS else parameters_2017(paper_settings[row["run"]]) for row in records(rows)
    ]
    notes = _explanations(seeds) + mark_notes(rows["bleu_p"], BASE, "BLEU", seeds)
    notes += _own_notes(rows) + engine_notes(runs)
    cells = _cells(literature, rows)
    data = _data(rows).assign(scale=runs[0].scale, corpus=runs[0].corpus, note=warning)
    for name in ("scores", "scores_sha256"):
        data[name] = rows[f"bleu_{name}"].str.join(" ")
    document: Document = [
        "# Table 3: variations of the Transformer",
        f"**{warning}.**",
        " ".join(notes),
        cells,
    ]
    shown = scores["headline"] | scores["measure"].isin(["perplexity", "parameters"])
    return Table(
        "table3",
        data,
        document,
        _latex(cells, rows, pair, warning, notes),
        numbers("table3", scores[shown]),
        runs,
    )


def _check(known: Sequence[str], runs: Sequence[Run], pair: str) -> int:
    """Return the number of seeds, which is the same for every row."""
    for run in runs:
        if run.pair != pair:
            raise UserError(
                f"{run.folder}: run '{run.name}' of {run.pair} is no row of Table 3; its runs are of {pair}"
            )
    names = dict.fromkeys([*known, *(run.name for run in runs)])
    counts = {name: sum(run.name == name for run in runs) for name in names}
    for name, count in counts.items():
        if count != counts[known[0]] or not count:
            raise UserError(
                f"Table 3 has {count} of the run '{name}', but {counts[known[0]]} of '{known[0]}'; "
                "give every row as many seeds"
            )
    return counts[known[0]]


def _rows(literature: Literature, runs: Sequence[Run], scores: pd.DataFrame) -> pd.DataFrame:
    """Return all rows with our settings and with mean and standard deviation of our figures over seeds."""
    configs = {run.name: run.content["config"] for run in reversed(runs)}
    settings = {name: config["model"] | config["training"] for name, config in configs.items()}
    shown = [
        {"run": name, **{key: f"{own[key]}" for key in (*SETTINGS, "positions")}}
        | {"others": _others(own, settings[BASE])}
        for name, own in settings.items()
    ]
    rows = _all_rows(literature, dict.fromkeys(run.name for run in runs)).merge(pd.DataFrame(shown), on="run")
    for name, chosen in (("perplexity", scores["measure"] == "perplexity"), ("bleu", scores["headline"])):
        found = over_seeds(scores[chosen], ["run"])
        if name == "bleu":
            found = found.assign(p=p_against(found, BASE))
            rows = rows.merge(found[["seeds"]], on="run")
        found = found.drop(columns="seeds").rename(columns={"path": "scores", "sha256": "scores_sha256"})
        found = found.add_prefix(f"{name}_").rename(columns={f"{name}_value": name})
        rows = rows.merge(found, on="run")
    return rows.merge(scores.groupby("run").agg(parameters=("parameters", "first")), on="run")


def _all_rows(literature: Literature, names: Iterable[str]) -> pd.DataFrame:
    """Return the paper's rows, then a row for each of the other ``names``, whose cells of the paper are blank."""
    names_of_ours = {"perplexity": "perplexity_paper", "bleu": "bleu_paper"}
    names_of_ours["parameters"] = "parameters_paper_millions"
    rows = literature.variations.rename(columns=names_of_ours)
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


def _data(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the CSV file's columns up to ``seeds``, with four decimals."""
    data = rows[["row", "block", "run", *SETTINGS, "positions"]].copy()
    for name in SETTINGS:
        data[f"{name}_paper"] = rows[f"changes.{name}"]
    for name in ("perplexity", "perplexity_sd", "perplexity_paper", "bleu", "bleu_sd"):
        data[name] = rows[name] if name.endswith("_paper") else four_decimals(rows[name])
    for name in ("bleu_low", "bleu_high", "bleu_p"):
        data[name] = four_decimals(rows[name])
    names = ["bleu_paper", "parameters", "parameters_2017_code", "parameters_paper_millions"]
    data[names] = rows[names]
    return data.assign(seeds=[" ".join(map(str, seeds)) for seeds in rows["seeds"]])


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


def _cells(literature: Literature, rows: pd.DataFrame) -> Cells:
    labels = [f"{_label(row)}{', ours only' if row['block'] == OURS else ''}" for row in records(rows)]
    text: dict[str, Any] = {"": (pd.Series(labels) + " " + rows["remark"]).str.strip()}
    (base,) = records(rows[rows["run"] == BASE])
    for name, (head, _) in SETTINGS.items():
        text[head] = [_setting(row, base, name) for row in records(rows)]
    where = ["" if row["block"] == OURS else literature.source(3, row["row"]) for row in records(rows)]
    sources: dict[str, list[str]] = {}
    p: dict[str, Any] = {"bleu": rows["bleu_p"], "perplexity": [math.nan] * len(rows)}
    for head, name, digits in (("PPL", "perplexity", 2), ("BLEU", "bleu", 1)):
        text[f"{head}, paper"] = rows[f"{name}_paper"]
        means = [mean(row[name], row[f"{name}_sd"], digits) for row in records(rows)]
        text[f"{head}, ours"] = list(map(marked, means, p[name]))
        sources[f"{head}, paper"] = where
    text["params ×10⁶, paper"], sources["params ×10⁶, paper"] = rows["parameters_paper_millions"], where
    text["2017 code"] = rows["parameters_2017_code"].map(millions)
    text["ours"] = rows["parameters"].map(millions)
    sources["PPL, ours"] = list(map(all_traced, rows["perplexity_scores"], rows["perplexity_scores_sha256"]))
    sources["BLEU, ours"] = list(map(all_traced, rows["bleu_scores"], rows["bleu_scores_sha256"]))
    return Cells(pd.DataFrame(text), sources)


def _setting(row: Mapping[str, Any], base: Mapping[str, Any], name: str) -> str:
    """Return ``512``, or ``512 [128]`` where our value differs; nothing where the paper leaves the cell blank.

    Of a run that the paper does not have, return our value, or nothing where it is that of our base.
    """
    paper, ours = str(row[f"changes.{name}"]), str(row[name])
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
    several = f" Mean ± standard deviation of {seeds} seeds." if seeds > 1 else ""
    return [
        "Settings are the paper's, blank where they equal base; in brackets, where ours differ at this scale.",
        f"Perplexity per subword and BLEU (as in the paper) of the last checkpoint, not averaged.{several}",
        "Parameters: the paper's; of that model in its authors' code of 2017; of our trained model.",
        "That code had a vocabulary of 40,960 and biases in attention, and rounds to the paper's in every row but big.",
    ]


def _latex(cells: Cells, rows: pd.DataFrame, pair: str, warning: str, notes: Sequence[str]) -> str:
    text = cells.text.map(from_markdown)
    text[""] = [escape(_label(row)) for row in records(rows)]
    remarks = [rf"\makebox[0pt]{{{escape(remark)}}}" if remark else "" for remark in rows["remark"]]
    text[MIDDLE] = text[MIDDLE] + remarks  # wider than its column, over blank cells
    heads = [("", ""), *(("", latex) for _, latex in SETTINGS.values()), *FIGURES.values()]
    above = rules(list(rows["block"]))
    if OURS in set(rows["block"]):
        above[list(rows["block"]).index(OURS)] = (
            f"{RULE}\n{across('Ours only: not in the paper', len(heads))}"
        )
    return latex_table(
        text.set_axis(pd.MultiIndex.from_tuples(heads), axis="columns"),
        label="table3",
        caption=f"Variations of the Transformer, {TITLES.get(pair, pair.upper())}. {warning}.",
        notes=notes,
        column_format=f"@{{}}l{'c' * (len(heads) - 1)}@{{}}",
        comments=list(map(all_traced, rows["bleu_scores"], rows["bleu_scores_sha256"])),
        above=above,
        size=r"\scriptsize",
        space="2.5pt",
    )
