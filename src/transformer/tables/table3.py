"""Table 3 of the paper: variations of the architecture, each of our figures beside the paper's.

Perplexity per subword and BLEU on the development set, of the last checkpoint (section 6.2: no averaging).
"""

import csv
import io
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tabulate import tabulate

from transformer.common.errors import UserError
from transformer.tables.literature import Literature, VariationRow
from transformer.tables.parameter_count import parameters_2017
from transformer.tables.runs import Run
from transformer.tables.table2 import PAPER_MEASURE

PAIR = "en-de"
# Setting → its head, in the paper's order.
COLUMNS = {
    "N": "N", "d_model": "d_model", "d_ff": "d_ff", "h": "h", "d_k": "d_k", "d_v": "d_v", "dropout": "P_drop",
    "label_smoothing": "eps_ls", "steps": "train steps",
}  # fmt: skip


@dataclass(frozen=True)
class Variation:
    """A row of the paper, and our runs of it: one a seed."""

    paper: VariationRow
    runs: tuple[Run, ...]
    settings_2017: Mapping[str, int]  # the row's dimensions at the paper's size

    @property
    def perplexities(self) -> list[float]:
        """Per subword on the development set, one a seed."""
        return [float(run.content["perplexity"]["dev"]["perplexity"]) for run in self.runs]

    @property
    def bleus(self) -> list[float]:
        """By the paper's measure on the development set, one a seed."""
        return [float(run.measure(PAPER_MEASURE)["value"]) for run in self.runs]

    @property
    def parameters(self) -> int:
        """Of our model, as training counted them."""
        return int(self.runs[0].content["training"]["parameters"])

    @property
    def parameters_2017(self) -> int:
        """Of the paper's model, as its authors' code counted them."""
        return parameters_2017(self.settings_2017)

    def setting(self, name: str) -> str:
        """Our value of a column."""
        config = self.runs[0].content["config"]
        return f"{(config['model'] | config['training'])[name]}"


@dataclass(frozen=True)
class Table3:
    """The rows, and what ours were trained on."""

    literature: Literature
    rows: tuple[Variation, ...]
    scale: str
    corpus: str

    @property
    def warning(self) -> str:
        """What keeps our figures from being taken for those of the paper's data; part of every rendering."""
        dev_set = self.literature.dev_set
        return f"Ours: {self.scale} scale, {self.corpus}, development set; the paper's: {dev_set}"

    @property
    def seeds(self) -> int:
        """Trainings a row."""
        return len(self.rows[0].runs)


def build_table3(
    literature: Literature, runs: Sequence[Run], paper_settings: Mapping[str, Mapping[str, int]]
) -> Table3:
    """Join runs with the paper's rows; ``paper_settings`` gives each run's settings at the paper's size.

    Raises UserError when a run is no row of the table, when a row has no run, or not as many as the others.
    """
    known = [row.run for row in literature.variations]
    for run in runs:
        if run.name not in known or run.pair != PAIR:
            raise UserError(
                f"{run.folder}: run '{run.name}' of {run.pair} is no row of Table 3; "
                f"its runs are {', '.join(known)} of {PAIR}"
            )
    by_name = {name: tuple(run for run in runs if run.name == name) for name in known}
    for name, found in by_name.items():
        if len(found) != len(by_name[known[0]]) or not found:
            raise UserError(
                f"Table 3 has {len(found)} of the run '{name}', but {len(by_name[known[0]])} of '{known[0]}'; "
                "give every row as many seeds"
            )
    rows = [Variation(row, by_name[row.run], paper_settings[row.run]) for row in literature.variations]
    return Table3(literature, tuple(rows), runs[0].scale, runs[0].corpus)


def mean(values: Sequence[float], digits: int) -> str:
    """``4.92``, and for several seeds ``4.92 ± 0.03``: mean and sample standard deviation."""
    text = f"{statistics.mean(values):.{digits}f}"
    return text if len(values) == 1 else f"{text} ± {statistics.stdev(values):.{digits}f}"


def millions(parameters: int) -> str:
    """``65``, and below ten million ``1.64``: parameters × 10^6, in the paper's precision where it shows anything."""
    return f"{parameters / 1e6:.0f}" if parameters >= 1e7 else f"{parameters / 1e6:.2f}"


def table3_csv(table: Table3) -> str:
    """One row a variation, unrounded to four decimals, all settings filled, with the score files behind ours."""
    text = io.StringIO()
    rows = [_csv_row(table, row) for row in table.rows]
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _csv_row(table: Table3, row: Variation) -> dict[str, str]:
    intervals = [run.measure(PAPER_MEASURE)["interval"] for run in row.runs]
    several = len(row.runs) > 1
    return {
        "row": str(row.paper.row),
        "block": row.paper.block,
        "run": row.paper.run,
        **{name: row.setting(name) for name in (*COLUMNS, "positions")},
        **{f"{name}_paper": row.paper.changes.get(name, "") for name in COLUMNS},
        "perplexity": f"{statistics.mean(row.perplexities):.4f}",
        "perplexity_sd": f"{statistics.stdev(row.perplexities):.4f}" if several else "",
        "perplexity_paper": row.paper.perplexity,
        "bleu": f"{statistics.mean(row.bleus):.4f}",
        "bleu_sd": f"{statistics.stdev(row.bleus):.4f}" if several else "",
        "bleu_low": "" if several else f"{intervals[0]['low']:.4f}",
        "bleu_high": "" if several else f"{intervals[0]['high']:.4f}",
        "bleu_paper": row.paper.bleu,
        "parameters": str(row.parameters),
        "parameters_2017_code": str(row.parameters_2017),
        "parameters_paper_millions": row.paper.parameters,
        "seeds": " ".join(str(run.seed) for run in row.runs),
        "scale": table.scale,
        "corpus": table.corpus,
        "note": table.warning,
        "scores": " ".join(run.path("scores").as_posix() for run in row.runs),
        "scores_sha256": " ".join(run.sha256["scores"] for run in row.runs),
    }


def table3_markdown(table: Table3) -> str:
    """The table for people who read it in a terminal or on a forge."""
    figures = ["PPL, paper", "PPL, ours", "BLEU, paper", "BLEU, ours"]
    parameters = ["params ×10⁶, paper", "2017 code", "ours"]
    rows = [_markdown_row(row) for row in table.rows]
    body = tabulate(
        rows, ["", *COLUMNS.values(), *figures, *parameters], tablefmt="pipe", disable_numparse=True
    )
    lines = [
        "# Table 3: variations of the Transformer",
        f"**{table.warning}.**",
        " ".join(explanations(table)),
        body,
    ]
    return "\n\n".join(lines) + "\n"


def explanations(table: Table3) -> list[str]:
    """What a reader has to know to read the table."""
    seeds = f" Mean ± standard deviation of {table.seeds} seeds." if table.seeds > 1 else ""
    return [
        "Settings are the paper's, blank where they equal base; in brackets, where ours differ at this scale.",
        f"Perplexity per subword and BLEU (as in the paper) of the last checkpoint, not averaged.{seeds}",
        "Parameters: the paper's; of that model in its authors' code of 2017; of our trained model.",
        "That code had a vocabulary of 40,960 and biases in attention, and rounds to the paper's in every row but big.",
    ]


def _markdown_row(row: Variation) -> list[str]:
    label = f"{block_label(row.paper)} {row.paper.remark}".strip()
    return [label, *(setting_cell(row, name) for name in COLUMNS), *figure_cells(row)]


def setting_cell(row: Variation, name: str) -> str:
    """``512``, or ``512 [128]`` where our value is another; nothing where the paper leaves the cell blank."""
    paper, ours = row.paper.changes.get(name, ""), row.setting(name)
    if not paper or float(paper.replace("K", "000")) == float(ours):
        return paper
    return f"{paper} [{ours}]"


def block_label(row: VariationRow) -> str:
    """``base``, ``(A)`` …, ``big``, as the paper's first column."""
    return f"({row.block})" if len(row.block) == 1 else row.block


def figure_cells(row: Variation) -> list[str]:
    """Perplexity, BLEU and parameters, each the paper's and then ours."""
    return [
        row.paper.perplexity,
        mean(row.perplexities, 2),
        row.paper.bleu,
        mean(row.bleus, 1),
        row.paper.parameters,
        millions(row.parameters_2017),
        millions(row.parameters),
    ]
