"""Table 3 of the paper: variations of the architecture, each of our figures beside the paper's.

Runs that the paper does not have follow as a block of their own.  Figures are perplexity per subword and BLEU of the
last checkpoint on the development set (section 6.2: no averaging).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from transformer.common.errors import UserError
from transformer.tables.latex_text import escape, from_markdown
from transformer.tables.literature import Literature
from transformer.tables.runs import Run, first_seeds
from transformer.tables.scores import scores_of
from transformer.tables.seed_means import (
    P,
    Score,
    differences,
    mark_notes,
    marked,
    over_seeds,
    seeds_of,
    spread_note,
)
from transformer.tables.table import Column, Table, csv_frame, numbers, records

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
    *("checkpoint_every_steps", "keep_checkpoints", "validate_every_steps", "threads", "seed"),
}
VOCABULARY = 40_960  # entries in the 2017 code: the 37,000 of section 5.1, padded by the embedding's shards
TARGET_SPACES = 32  # its vectors of size d_model, of which one was added to the encoder's input
MIDDLE = "d_k"  # the middle setting, below which a row's remark is centred
COLUMNS = [
    *("row", "block", "run", *SETTINGS, "positions", *(f"{name}_paper" for name in SETTINGS)),
    *("perplexity", "perplexity_sd", "perplexity_p", "perplexity_p_holm", "perplexity_paper"),
    *("bleu", "bleu_sd", "bleu_low", "bleu_high", "bleu_p", "bleu_p_holm", "bleu_paper"),
    *("parameters", "parameters_2017_code", "parameters_paper_millions"),
    *("seeds", "scale", "corpus", "note", "scores", "scores_sha256"),
]
Row = dict[str, Any]


def build_table3(
    literature: Literature,
    runs: Sequence[Run],
    paper_settings: Mapping[str, Mapping[str, int]],
    pair: str = PAPER_PAIR,
) -> Table:
    """Join runs with the paper's rows; ``paper_settings`` gives the settings of these rows at the paper's size.

    The paper's scores are blank if ``pair`` is not its language pair.  Raises UserError when a row has no run.
    """
    scores = scores_of(runs)
    warning = _warning(literature, runs[0], pair)
    ours = {run.name: run for run in first_seeds(runs)}
    papers = {row["run"]: row for row in records(literature.variations)}
    if missing := [name for name in papers if name not in ours]:
        raise UserError(f"Table 3 has a run for each row of the paper; give {', '.join(missing)} as well")
    perplexity = over_seeds(scores[scores["measure"] == "perplexity"], "run")
    bleu = over_seeds(scores[scores["headline"]], "run")
    # A run of the user's own changes nothing in what is said of the paper's rows.
    families = [[name for name in ours if (name in papers) == printed] for printed in (True, False)]
    p = [
        {name: p for family in families for name, p in _differences(score, family).items()}
        for score in (perplexity, bleu)
    ]
    rows = [
        _row(papers.get(name, {}), ours[name], ours[BASE], perplexity, bleu, [of[name] for of in p])
        | {"parameters_2017_code": parameters_2017(paper_settings[name]) if name in papers else ""}
        | {"scale": runs[0].scale, "corpus": runs[0].corpus, "note": warning}
        | (dict.fromkeys(("perplexity_paper", "bleu_paper"), "") if pair != PAPER_PAIR else {})
        for name in dict.fromkeys([*papers, *ours])
    ]
    notes = _explanations(runs) + mark_notes(
        (row["bleu_p"] for row in rows if row["block"] != OURS), BASE, "Perplexity or BLEU", runs
    )
    notes += _own_notes(rows)
    shown = scores["headline"] | scores["measure"].isin(["perplexity", "parameters"])
    own = [number for number, row in enumerate(rows) if row["block"] == OURS]
    columns = _columns(rows)
    return Table(
        "table3",
        csv_frame(rows, COLUMNS),
        columns,
        numbers("table3", scores[shown]),
        runs,
        above=["# Table 3: variations of the Transformer", f"**{warning}.**", " ".join(notes)],
        caption=f"Variations of the Transformer, {TITLES.get(pair, pair.upper())}. {warning}.",
        notes=notes,
        column_format=f"@{{}}l{'c' * (len(columns) - 1)}@{{}}",
        blocks=[row["block"] for row in rows],
        titles=dict.fromkeys(own[:1], "Ours only: not in the paper"),
        comments=[row["files"] for row in rows],
        size=r"\scriptsize",
        space="2.5pt",
    )


def _warning(literature: Literature, run: Run, pair: str) -> str:
    ours = f"Ours: {run.scale} scale, {run.numerics} numerics, {run.corpus}, development set"
    if pair == PAPER_PAIR:
        return f"{ours}; the paper's: {literature.dev_set}"
    return f"{ours}, {pair.upper()}, for which the paper has no scores"


def _row(
    paper: Mapping[str, Any],
    run: Run,
    base: Run,
    perplexity: Mapping[str, Score],
    bleu: Mapping[str, Score],
    p: Sequence[P],
) -> Row:
    """Return what the CSV file and the cells have of a run, of several seeds the first, and of the paper's row.

    ``p`` has the p-values of its perplexity and its BLEU.
    """
    name, settings = run.name, _settings(run)
    return {
        **{key: paper.get(key, "") for key in ("row", "remark")},
        "block": paper.get("block", OURS),
        "run": name,
        **{key: f"{settings[key]}" for key in (*SETTINGS, "positions")},
        **{f"{key}_paper": paper.get(f"changes.{key}", "") for key in SETTINGS},
        **perplexity[name].csv("perplexity", p[0]),
        **bleu[name].csv("bleu", p[1]),
        **{f"{key}_paper": paper.get(key, "") for key in ("perplexity", "bleu")},
        "bold": paper.get("bold", ""),
        "parameters": run.content["training"]["parameters"],
        "parameters_paper_millions": paper.get("parameters", ""),
        "seeds": bleu[name].csv_seeds,
        **bleu[name].csv_files(),
        "others": _others(settings, _settings(base)),
        "perplexity_text": marked(perplexity[name].mean(2), p[0]),
        "bleu_text": marked(bleu[name].mean(1), p[1]),
        "files": bleu[name].files,
    }


def _differences(scores: Mapping[str, Score], runs: Sequence[str]) -> dict[str, P]:
    return differences({name: scores[name] for name in runs}, dict.fromkeys(runs, scores[BASE]))


def _settings(run: Run) -> dict[str, Any]:
    config: dict[str, Any] = run.content["config"]
    return config["model"] | config["training"]


def _others(settings: Mapping[str, Any], base: Mapping[str, Any]) -> str:
    """Return in which settings, besides those that have a column, a run differs from base."""
    hidden = {*SETTINGS, *UNSEEN}
    # config.json leaves out newer settings at their defaults.
    values = {key: settings.get(key, "default") for key in [*base, *settings] if key not in hidden}
    return ", ".join(f"{key} {value}" for key, value in values.items() if value != base.get(key, "default"))


def _own_notes(rows: Sequence[Row]) -> list[str]:
    """Return what there is to say about the runs that the paper does not have."""
    own = [row for row in rows if row["block"] == OURS]
    if not own:
        return []
    others = [f"; {row['run']} also differs in {row['others']}" for row in own if row["others"]]
    return [
        "Ours only: runs that the paper does not have, with our settings, blank where they equal our base"
        f"{''.join(others)}."
    ]


def parameters_2017(settings: Mapping[str, int]) -> int:
    """Return the number of parameters of tensor2tensor v1.0.3's model with these N, d_model, d_ff, h, d_k and d_v.

    It has one matrix for both embeddings and the softmax, biases in attention, and sinusoids, so row (E) counts as
    base.  The result rounds to the paper's figure in every row but big (docs/protocol.md).
    """
    d_model, d_ff, heads = settings["d_model"], settings["d_ff"], settings["h"]
    keys, values = heads * settings["d_k"], heads * settings["d_v"]
    attention = (d_model + 1) * (2 * keys + values) + (values + 1) * d_model
    feed_forward = (d_model + 1) * d_ff + (d_ff + 1) * d_model
    norm = 2 * d_model
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    return (VOCABULARY + TARGET_SPACES) * d_model + settings["N"] * (encoder_layer + decoder_layer)


def millions(parameters: int | str) -> str:
    """Return parameters × 10^6 as ``65``, and below ten million as ``1.64``, where the paper's precision is too low.

    A blank stays blank.
    """
    if isinstance(parameters, str):
        return parameters
    return f"{parameters / 1e6:.0f}" if parameters >= 1e7 else f"{parameters / 1e6:.2f}"


def _columns(rows: Sequence[Row]) -> list[Column]:
    """Return the columns that are shown."""
    labels = [_label(row) for row in rows]
    names = [
        f"{label}{', ours only' if row['block'] == OURS else ''} {row['remark']}".rstrip()
        for label, row in zip(labels, rows, strict=True)
    ]
    columns = [Column("", ("", ""), names, list(map(escape, labels)))]
    (base,) = (row for row in rows if row["run"] == BASE)
    for name, (head, latex) in SETTINGS.items():
        cells = [_setting(row, base, name) for row in rows]
        # The remark is wider than its column, over blank cells.
        remarks = [
            rf"\makebox[0pt]{{{escape(row['remark'])}}}" if row["remark"] and name == MIDDLE else ""
            for row in rows
        ]
        texts = [from_markdown(cell) + remark for cell, remark in zip(cells, remarks, strict=True)]
        columns.append(Column(head, ("", latex), cells, texts))
    counts = r"params $\times 10^6$"
    perplexity, bleu = ([_printed(row, name) for row in rows] for name in ("perplexity", "bleu"))
    return [
        *columns,
        Column("PPL, paper", ("PPL (dev)", "paper"), perplexity),
        Column("PPL, ours", ("PPL (dev)", "ours"), [row["perplexity_text"] for row in rows]),
        Column("BLEU, paper", ("BLEU (dev)", "paper"), bleu),
        Column("BLEU, ours", ("BLEU (dev)", "ours"), [row["bleu_text"] for row in rows]),
        Column("params ×10⁶, paper", (counts, "paper"), [row["parameters_paper_millions"] for row in rows]),
        Column("2017 code", (counts, "2017 code"), [millions(row["parameters_2017_code"]) for row in rows]),
        Column("ours", (counts, "ours"), [millions(row["parameters"]) for row in rows]),
    ]


def _printed(row: Row, name: str) -> str:
    """Return a score of the paper's, in bold type where it is."""
    text = str(row[f"{name}_paper"])
    return f"**{text}**" if text and name in row["bold"] else text


def _setting(row: Row, base: Row, name: str) -> str:
    """Return ``512``, or ``512 [128]`` where our value differs; nothing where the paper leaves the cell blank.

    Of a run that the paper does not have, return our value, or nothing where it is that of our base.
    """
    paper, ours = str(row[f"{name}_paper"]), str(row[name])
    if row["block"] == OURS:
        return "" if ours == base[name] else ours
    if not paper or float(paper.replace("K", "000")) == float(ours):
        return paper
    return f"{paper} [{ours}]"


def _label(row: Row) -> str:
    """Return the paper's first column, ``base``, ``(A)`` …, ``big``; otherwise the run's name."""
    if row["block"] == OURS:
        return str(row["run"])
    return f"({row['block']})" if len(row["block"]) == 1 else str(row["block"])


def _explanations(runs: Sequence[Run]) -> list[str]:
    """Return the notes that explain the table."""
    several = f" {spread_note(runs)}" if seeds_of(runs) > 1 else ""
    return [
        "Settings are the paper's, blank where they equal base; in brackets, where ours differ at this scale.",
        f"Perplexity per subword and BLEU (as in the paper) of the last checkpoint, not averaged.{several}",
        "Parameters: the paper's; of that model in its authors' code of 2017; of our trained model.",
        "That code had a vocabulary of 40,960 and biases in attention, and rounds to the paper's in every row but big.",
    ]
