"""Table 2 of the paper: BLEU and training cost of translation models, the paper's rows and then ours.

Nothing here reads a time or a machine's name, so that a pipeline that was killed and resumed ends with
the same bytes.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tabulate import tabulate

from transformer.common.errors import UserError
from transformer.tables.literature import Literature, LiteratureRow
from transformer.tables.runs import Run

PAIRS = ("en-de", "en-fr")
PAPER_MEASURE = "multi_bleu_split"
LAYERS = {
    "recurrent": "Recurrent",
    "convolutional": "Convolutional",
    "restricted": "Restricted self-attention",
}
LAYERS_NOTE = (
    "Not in the paper: base with another layer of section 4 in place of its encoder's self-attention"
)
MEASURES = {PAPER_MEASURE: "as in the paper", "sacrebleu": "sacreBLEU"}  # of our rows, in this order


@dataclass(frozen=True)
class OurRow:
    """The run of each pair, where there is one, and what the paper reports of such a model, if anything."""

    model: str
    paper_bleu: dict[str, str]
    runs: dict[str, Run]


@dataclass(frozen=True)
class Table2:
    """The paper's rows, ours, and what ours were trained on."""

    literature: Literature
    ours: tuple[OurRow, ...]
    layer_rows: tuple[OurRow, ...]  # base with another layer in its encoder (section 4); the paper has none
    scale: str
    corpus: str

    @property
    def all_ours(self) -> tuple[OurRow, ...]:
        """Those with a counterpart in the paper, then those without."""
        return self.ours + self.layer_rows

    @property
    def warning(self) -> str:
        """What keeps our figures from being taken for WMT ones; part of every rendering."""
        test_set = self.literature.test_set
        ours = f"Ours: {self.scale} scale, {self.corpus}"
        data, *test_sets = self.corpus.split(", ")
        if test_sets == [test_set]:
            return ours
        return f"{ours}{'' if data == 'WMT14' else ', not WMT'}; not comparable with {test_set}"

    @property
    def notes(self) -> list[tuple[str, LiteratureRow, str, str]]:
        """(mark, row, measure, text) of each value that the paper itself gives in two ways."""
        differing = [(row, other) for row in self.literature.rows for other in row.differs]
        return [
            (chr(ord("a") + i), row, other.measure, f"{other.value} in {other.source}")
            for i, (row, other) in enumerate(differing)
        ]

    def mark(self, row: LiteratureRow, measure: str) -> str:
        """The note's letter at a value, or nothing."""
        return "".join(mark for mark, noted, what, _ in self.notes if (noted, what) == (row, measure))


def build_table2(literature: Literature, runs: Sequence[Run]) -> Table2:
    """Join runs with the paper's rows.  Raises UserError when a run is no row of the table."""
    known = {row.run: row for row in literature.rows if row.run}
    layers = {run.name: run.encoder_layer for run in runs if run.encoder_layer != "self-attention"}
    for run in runs:
        if run.name not in known | layers or run.pair not in PAIRS:
            raise UserError(
                f"{run.folder}: run '{run.name}' of {run.pair} is no row of Table 2; "
                f"its runs are {', '.join(sorted(known))} of {', '.join(PAIRS)}"
            )
    by_pair = sorted(runs, key=lambda run: PAIRS.index(run.pair))
    by_row = {name: {run.pair: run for run in by_pair if run.name == name} for name in known | layers}
    ours = [OurRow(row.model, row.bleu, by_row[name]) for name, row in known.items() if by_row[name]]
    others = [OurRow(f"{LAYERS[layer]} encoder", {}, by_row[name]) for name, layer in layers.items()]
    return Table2(literature, tuple(ours), tuple(others), runs[0].scale, runs[0].corpus)


def bleu_with_interval(run: Run, measure: str) -> str:
    """``71.2 [70.1, 72.3]``: value and confidence interval, to one decimal as the paper's own."""
    score = run.measure(measure)
    return with_interval(score["value"], score["interval"])


def with_interval(value: float, interval: Mapping[str, float]) -> str:
    """``71.2 [70.1, 72.3]``."""
    return f"{value:.1f} [{interval['low']:.1f}, {interval['high']:.1f}]"


def scientific(flops: int) -> str:
    """``1.2e14``: two significant digits, written as ``config/literature.yaml`` writes the paper's."""
    mantissa, exponent = f"{flops:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def table2_csv(table: Table2) -> str:
    """One row per model and measure, unrounded to four decimals, with the score files behind ours."""
    blank = dict.fromkeys(_csv_columns(), "")
    rows = [{**blank, **_csv_literature(table, row)} for row in table.literature.rows]
    rows += [{**blank, **_csv_ours(table, row, measure)} for row in table.all_ours for measure in MEASURES]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(blank), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _csv_columns() -> list[str]:
    columns = ["origin", "model", "measure"]
    for pair in PAIRS:
        columns += [f"bleu_{pair}", f"bleu_{pair}_low", f"bleu_{pair}_high", f"bleu_{pair}_paper"]
    columns += [f"training_flops_{pair}" for pair in PAIRS]
    columns += ["scale", "corpus", "note"]
    return columns + [f"{what}_{pair}" for pair in PAIRS for what in ("scores", "scores_sha256")]


def _csv_literature(table: Table2, row: LiteratureRow) -> dict[str, str]:
    return {
        "origin": f"paper, {table.literature.version}",
        "model": row.label,
        "measure": "as in the paper",
        **{f"bleu_{pair}": value for pair, value in row.bleu.items()},
        **{f"training_flops_{pair}": value for pair in PAIRS if (value := _reported_cost(row, pair))},
        "corpus": table.literature.test_set,
        "note": "; ".join(f"{measure}: {text}" for _, noted, measure, text in table.notes if noted == row),
    }


def _csv_ours(table: Table2, row: OurRow, measure: str) -> dict[str, str]:
    values = {"origin": "ours", "model": row.model, "measure": MEASURES[measure], "scale": table.scale}
    values |= {"corpus": table.corpus, "note": table.warning}
    for pair, run in row.runs.items():
        score = run.measure(measure)
        values |= {
            f"bleu_{pair}": f"{score['value']:.4f}",
            f"bleu_{pair}_low": f"{score['interval']['low']:.4f}",
            f"bleu_{pair}_high": f"{score['interval']['high']:.4f}",
            f"bleu_{pair}_paper": row.paper_bleu.get(pair, "") if measure == PAPER_MEASURE else "",
            f"training_flops_{pair}": str(run.training_flops),
            f"scores_{pair}": run.path("scores").as_posix(),
            f"scores_sha256_{pair}": run.sha256["scores"],
        }
    return values


def _reported_cost(row: LiteratureRow, pair: str) -> str:
    return row.training_cost.get(pair) or row.training_cost.get("both", "")


def table2_markdown(table: Table2) -> str:
    """The table for people who read it in a terminal or on a forge."""
    heads = [
        "Model",
        "EN-DE, paper",
        "EN-DE, ours",
        "EN-FR, paper",
        "EN-FR, ours",
        "FLOPs, EN-DE",
        "FLOPs, EN-FR",
    ]
    rows = [_markdown_literature(table, row) for row in table.literature.rows]
    rows += [_markdown_ours(row, measure) for row in table.all_ours for measure in MEASURES]
    body = tabulate(rows, heads, tablefmt="pipe", disable_numparse=True)
    notes = [f"<sup>{mark}</sup> {text}." for mark, _, _, text in table.notes]
    lines = [
        "# Table 2: BLEU and training cost",
        f"**{table.warning}.**",
        "Ours: BLEU on our test set with its 95% bootstrap interval, and the floating-point operations counted during "
        "training. Everything else is what the paper reports.",
        body,
        *notes,
        *([f"{LAYERS_NOTE}: the last rows."] if table.layer_rows else []),
    ]
    return "\n\n".join(lines) + "\n"


def _markdown_literature(table: Table2, row: LiteratureRow) -> list[str]:
    def value(measure: str, text: str) -> str:
        if not text:
            return ""
        mark = table.mark(row, measure)
        return (f"**{text}**" if measure in row.bold else text) + (f"<sup>{mark}</sup>" if mark else "")

    bleu = [value(f"bleu {pair}", row.bleu.get(pair, "")) for pair in PAIRS]
    which = "both" if "both" in row.training_cost else None
    cost = [value(f"training_cost {which or pair}", _reported_cost(row, pair)) for pair in PAIRS]
    return [row.label, bleu[0], "", bleu[1], "", *cost]


def _markdown_ours(row: OurRow, measure: str) -> list[str]:
    cells = [f"{row.model}, ours, {MEASURES[measure]}"]
    paper_too = measure == PAPER_MEASURE  # the paper's value stands beside the measure that it was taken with
    for pair in PAIRS:
        run = row.runs.get(pair)
        cells.append(row.paper_bleu.get(pair, "") if run and paper_too else "")
        cells.append(bleu_with_interval(run, measure) if run else "")
    return cells + [
        scientific(row.runs[pair].training_flops) if pair in row.runs and paper_too else "" for pair in PAIRS
    ]
