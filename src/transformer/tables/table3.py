"""Table 3 of the paper: variations of the architecture, each of our numbers beside the paper's.

Runs that the paper does not have follow as a block of their own.  The numbers are perplexity per subword and BLEU of
the last checkpoint on the development set (section 6.2: no averaging).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from transformer.common.errors import UserError, run_script
from transformer.common.project import local_path
from transformer.common.yaml_files import read_yaml
from transformer.tables.cells import OURS, PAPER, Cell, Column, Line, Table, paper_cell
from transformer.tables.latex_text import escape, from_markdown
from transformer.tables.literature import Literature, Row, read_literature
from transformer.tables.runs import LAST, Run, ours_of, read_runs, trainings_of
from transformer.tables.seed_means import (
    mark_notes,
    score_cell,
    seeds_of,
    spread_note,
    training_cell,
    with_p_values,
)
from transformer.tables.table_script import add_runs, add_text, table_parser, write

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
OWN, CODE = "ours only", "2017_code"  # the block of runs that the paper does not have; an origin
# Settings that change neither the model nor its last checkpoint, besides the seed; and those that the caption has.
UNSEEN = set("checkpoint_every_steps keep_checkpoints validate_every_steps threads seed precision".split())
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


def main() -> None:
    parser = table_parser(__doc__)
    add_runs(parser)
    about = "config/runs.yaml, at the paper's size"
    parser.add_argument("--paper-settings", type=local_path, required=True, help=about)
    add_text(parser)
    parser.add_argument("--pair", default=PAPER_PAIR, help="its language pair")
    arguments = parser.parse_args()
    paper = read_yaml(arguments.paper_settings)
    settings = {run: paper["base"] | changes for run, changes in paper.items()}
    literature, runs = read_literature(arguments.literature), read_runs(arguments.runs, LAST)
    write(build_table3(literature, runs, settings, arguments.pair), arguments, runs)


def build_table3(
    literature: Literature,
    runs: Sequence[Run],
    paper_settings: Mapping[str, Mapping[str, int]],
    pair: str = PAPER_PAIR,
) -> Table:
    """Join runs with the paper's rows; ``paper_settings`` gives the settings of these rows at the paper's size.

    The paper's scores are blank if ``pair`` is not its language pair.  Raises UserError when a row has no run.
    """
    warning = _warning(literature, runs, pair)
    trainings = {name: seeds for (name, _), seeds in trainings_of(runs).items()}
    ours = {name: seeds[0] for name, seeds in trainings.items()}
    papers = {row["run"]: row for row in literature.variations}
    if missing := [name for name in papers if name not in ours]:
        raise UserError(f"Table 3 has a run for each row of the paper; give {', '.join(missing)} as well")
    scores = _scores(trainings, papers)
    lines = []
    for name in dict.fromkeys([*papers, *ours]):
        paper, run = papers.get(name, {}), ours[name]
        cells = [*_settings_cells(paper, run, ours[BASE]), *(of[name] for of in scores)]
        for score in ("perplexity", "bleu") if pair == PAPER_PAIR else ():
            if score in paper:
                cells.append(paper_cell(score, paper[score], is_bold=score in paper.get("bold", ())))
        cells += _parameters(paper, run, paper_settings)
        facts = {"row": paper.get("row", ""), "block": paper.get("block", OWN), "run": name}
        facts["positions"] = _settings(run)["positions"]
        lines.append(Line(cells, name, facts["block"], facts=facts))
    if own := [number for number, line in enumerate(lines) if line.block == OWN]:
        lines[own[0]] = replace(lines[own[0]], title="Ours only: not in the paper")
    tested = {"perplexity": "Perplexity", "bleu": "BLEU"}
    marks = mark_notes(lines, tested, (BASE, BASE), runs, lambda line: line.block == OWN)
    notes = [*_explanations(runs), *marks]
    notes += _differing_notes([ours[line.name] for line in lines], papers, ours[BASE])
    return Table(
        "table3",
        _columns(),
        lines,
        csv=COLUMNS,
        files={"scores": "bleu"},
        scale=runs[0].scale,
        corpus=runs[0].corpus,
        warning=warning,
        title="Table 3: variations of the Transformer",
        above=[" ".join(notes)],
        caption=f"Variations of the Transformer, {TITLES.get(pair, pair.upper())}. {warning}.",
        notes=notes,
        size=r"\scriptsize",
        space="2.5pt",
    )


def _warning(literature: Literature, runs: Sequence[Run], pair: str) -> str:
    ours = f"{ours_of(runs)}, development set"
    if pair == PAPER_PAIR:
        return f"{ours}; the paper's: {literature.dev_set}"
    return f"{ours}, {pair.upper()}, for which the paper has no scores"


def _scores(trainings: Mapping[str, Sequence[Run]], papers: Collection[str]) -> list[dict[str, Cell]]:
    """Return perplexity and BLEU by run, tested against base's."""
    perplexity, bleu = {}, {}
    of_perplexity: dict[str, Any] = {"kind": "perplexity", "quantity": "PPL (dev)", "shows_interval": False}
    for name, seeds in trainings.items():
        numbers = [run.number("perplexity", "dev.perplexity") for run in seeds]
        perplexity[name] = score_cell("perplexity", numbers, 2, **of_perplexity)
        scores = [score for run in seeds if (score := run.score())]
        bleu[name] = score_cell("bleu", scores, quantity="BLEU (dev)", shows_interval=False)
    return [with_p_values(cells, BASE, papers) for cells in (perplexity, bleu)]


def _settings_cells(paper: Row, run: Run, base: Run) -> list[Cell]:
    """Return the row's label and its settings, ours and the paper's."""
    block, remark = paper.get("block", ""), paper.get("remark", "")
    label = run.name if not block else f"({block})" if len(block) == 1 else block
    named = f"{label}{'' if paper else ', ours only'} {remark}".rstrip()
    cells = [Cell("label", named, latex=escape(label))]
    settings, of_base = _settings(run), _settings(base)
    for name in SETTINGS:
        theirs, ours = paper.get("changes", {}).get(name, ""), f"{settings[name]}"
        shown = _shown(theirs, ours) if paper else "" if ours == f"{of_base[name]}" else ours
        latex = ""
        if remark and name == MIDDLE:
            # The remark is wider than its column, over blank cells.
            latex = rf"{from_markdown(shown)}\makebox[0pt]{{{escape(remark)}}}"
        cells.append(Cell(name, shown, latex=latex, value=ours))
        if theirs:
            cells.append(Cell(name, origin=PAPER, value=theirs))
    return cells


def _shown(paper: str, ours: str) -> str:
    """Return ``512``, or ``512 [128]`` where our value differs; nothing where the paper leaves the cell blank."""
    if not paper or float(paper.replace("K", "000")) == float(ours):
        return paper
    return f"{paper} [{ours}]"


def _parameters(paper: Row, run: Run, paper_settings: Mapping[str, Mapping[str, int]]) -> list[Cell]:
    """Return the paper's number of parameters, that of its model in the 2017 code, and ours."""
    cells, quantity = [], "params ×10⁶"
    if text := paper.get("parameters"):
        cells.append(paper_cell("parameters", text, kind="millions"))
    if paper:
        count, name = parameters_2017(paper_settings[run.name]), f"{quantity}, 2017 code"
        cells.append(Cell("parameters", millions(count), "", CODE, "millions", name, value=count))
    ours = training_cell(run, "parameters", "parameters", kind="millions", quantity=quantity)
    return [*cells, replace(ours, shown=millions(ours.value))]


def _settings(run: Run) -> dict[str, Any]:
    config: dict[str, Any] = run.content["config"]
    # As in config/: the training has a max_length of its own.
    model = {"max_positions" if key == "max_length" else key: value for key, value in config["model"].items()}
    return model | config["training"] | run.content["scores"]["decoding"]["search"]


def _others(run: Run, base_run: Run, shown: Collection[str] = ()) -> str:
    """Return in which settings, besides those with a column or ``shown`` otherwise, a run differs from base."""
    settings, base, hidden = _settings(run), _settings(base_run), {*SETTINGS, *UNSEEN, *shown}
    # config.json leaves out newer settings at their defaults.
    values = {key: settings.get(key, "default") for key in [*base, *settings] if key not in hidden}
    return ", ".join(f"{key} {value}" for key, value in values.items() if value != base.get(key, "default"))


def _differing_notes(runs: Sequence[Run], papers: Collection[str], base: Run) -> list[str]:
    """Return in what runs differ besides what their columns and labels say, the paper's one by one."""
    notes, own = [], []
    for run in runs:
        # The label of row (E) has its positions.
        text = _others(run, base, shown=["positions"] if run.name in papers else [])
        if run.name not in papers:
            own.append(f"; {run.name} also differs in {text}" if text else "")
        elif text:
            notes.append(f"{run.name} also differs from base in {text}.")
    about = "Ours only: runs that the paper does not have, with our settings, blank where they equal our base"
    return [*notes, *([f"{about}{''.join(own)}."] if own else [])]


def parameters_2017(settings: Mapping[str, int]) -> int:
    """Return the number of parameters of tensor2tensor v1.0.3's model with these N, d_model, d_ff, h, d_k and d_v.

    It has one matrix for both embeddings and the softmax, biases in attention, and sinusoids, so row (E) counts as
    base.  The result rounds to the paper's number in every row but big (docs/protocol.md).
    """
    d_model, d_ff, heads = settings["d_model"], settings["d_ff"], settings["h"]
    keys, values = heads * settings["d_k"], heads * settings["d_v"]
    attention = (d_model + 1) * (2 * keys + values) + (values + 1) * d_model
    feed_forward = (d_model + 1) * d_ff + (d_ff + 1) * d_model
    norm = 2 * d_model
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    return (VOCABULARY + TARGET_SPACES) * d_model + settings["N"] * (encoder_layer + decoder_layer)


def millions(parameters: int) -> str:
    """Return parameters × 10^6 as ``65``, and below ten million as ``1.64``, where the paper's precision is too low."""
    return f"{parameters / 1e6:.0f}" if parameters >= 1e7 else f"{parameters / 1e6:.2f}"


def _columns() -> list[Column]:
    """Return the columns that are shown."""
    counts, latex_counts = "params ×10⁶", r"params $\times 10^6$"
    return [
        Column("label", ("",)),
        *(Column(name, ("", head), OURS, ("", latex)) for name, (head, latex) in SETTINGS.items()),
        Column("perplexity", ("PPL (dev)", "paper"), PAPER),
        Column("perplexity", ("PPL (dev)", "ours"), OURS),
        Column("bleu", ("BLEU (dev)", "paper"), PAPER),
        Column("bleu", ("BLEU (dev)", "ours"), OURS),
        Column("parameters", (counts, "paper"), PAPER, (latex_counts, "paper")),
        Column("parameters", (counts, "2017 code"), CODE, (latex_counts, "2017 code")),
        Column("parameters", (counts, "ours"), OURS, (latex_counts, "ours")),
    ]


def _explanations(runs: Sequence[Run]) -> list[str]:
    """Return the notes that explain the table."""
    several = f" {spread_note(runs)}" if seeds_of(runs) > 1 else ""
    return [
        "Settings are the paper's, blank where they equal base; in brackets, where ours differ at this scale.",
        f"Perplexity per subword and BLEU (as in the paper) of the last checkpoint, not averaged.{several}",
        "Parameters: the paper's; of that model in its authors' code of 2017; of our trained model.",
        "That code had a vocabulary of 40,960 and biases in attention, and rounds to the paper's in every row but big.",
    ]


if __name__ == "__main__":
    run_script(main)
