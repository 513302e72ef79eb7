"""Table 4 of the paper: F1 of constituency parsers, the paper's rows and then ours.

Our parsers decode twice. The table shows F1 of constrained decoding, which can only write trees over the sentence's
words; a note gives F1 of unconstrained decoding, as in the paper, with malformed output repaired.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from transformer.common.errors import UserError, run_script
from transformer.tables.cells import OURS, PAPER, Cell, Column, Line, Table, paper_cell
from transformer.tables.latex_text import escape
from transformer.tables.literature import Literature, read_literature
from transformer.tables.runs import PARSES, Run, ours_of, read_runs, trainings_of
from transformer.tables.scores import COUNTS, OF_PARSES
from transformer.tables.seed_means import mark_notes, score_cell, spread_note, with_p_values
from transformer.tables.table_script import add_runs, table_parser, write

BASE = "parser"  # the run with which the other is compared
PAPER_D_MODEL = 1024  # section 6.3, as are the sizes of the vocabularies
PAPER_VOCABULARY = {"parser": 16_000, "parser-semi": 32_000}
GOLD_TAGS = "the treebank's tags put into our trees before scoring; "
SILVER_TEXTS = {"grammar": "the project's own grammar", "file": "a text of our own"}
# The places of what is measured besides F1, and of what is counted, in a file of scores.
ALL = ("precision", "recall", "complete_match", "average_crossing", "tagging_accuracy")
FIGURES = {name: f"all.{name}" for name in ALL} | {"f1_up_to_40": "up_to_40.f1"}
F1 = ("f1", "f1_low", "f1_high", "f1_sd", "f1_p", "f1_p_holm", "f1_paper")
COLUMNS = [
    *("origin", "parser", "training", "decoding_method", *F1, *FIGURES, *COUNTS, "malformed"),
    *("seeds", "scale", "treebank", "note", "scores", "scores_sha256"),
]


def main() -> None:
    parser = table_parser(__doc__)
    add_runs(parser)
    arguments = parser.parse_args()
    runs = read_runs(arguments.runs, PARSES)
    write(build_table4(read_literature(arguments.literature), runs), arguments, runs)


def build_table4(literature: Literature, runs: Sequence[Run]) -> Table:
    """Join runs with the paper's rows.

    Raises UserError when no sentence of a run could be scored.
    """
    for run, name in product(runs, OF_PARSES):
        if not run.content[name]["all"]["valid"]:
            raise UserError(f"{run.path(name)}: there is no F1, as no sentence could be scored")
    warning, spread = _warning(literature, runs), spread_note(runs)
    silver = next((_silver(run) for run in runs if "silver" in run.content["config"]["treebank"]), "")
    ours = list(_our_lines(literature, runs, warning, silver))
    base = next((row["training"] for row in literature.parsers if row.get("run") == BASE), "")
    notes = mark_notes(ours, {"f1": "F1"}, (BASE, base), runs)
    about = f"English constituency parsing: F1 by EVALB on {literature.treebank}. {warning}."
    return Table(
        "table4",
        [
            Column("label", ("Parser",)),
            Column("training", ("Training",)),
            Column("f1", (f"F1 on {literature.treebank}", "paper"), PAPER, ("F1", "paper")),
            Column("f1", ("F1", "ours"), OURS),
        ],
        [*_paper_lines(literature), *ours],
        csv=COLUMNS,
        files={"scores": "f1"},
        scale=runs[0].scale,
        corpus=runs[0].corpus,
        warning=warning,
        title="Table 4: English constituency parsing",
        above=[
            "Ours: F1 of labelled brackets on our test set, counted as EVALB does with COLLINS.prm. "
            f"{spread} {silver}".rstrip(),
        ],
        below=notes,
        caption=" ".join(filter(None, [about, silver, spread])),
        notes=notes,
        column_format=r"@{}l@{\extracolsep{\fill}}lcc",
    )


def _warning(literature: Literature, runs: Sequence[Run]) -> str:
    """Return the warning that our numbers are not on WSJ, if they are not."""
    ours = ours_of(runs)
    if literature.treebank in runs[0].corpus:
        return ours
    return f"{ours}, in place of WSJ; not comparable with {literature.treebank}"


def _paper_lines(literature: Literature) -> Iterator[Line]:
    for row in literature.parsers:
        label, training, f1, note = row["label"], row["training"], row["f1"], row.get("note", "")
        cells = [
            Cell("label", label, origin=PAPER, latex=escape(label)),
            paper_cell("training", training),
            paper_cell("f1", f1, note=note[:1].upper() + note[1:]),
        ]
        facts = {"origin": f"paper, {literature.version}", "parser": label, "note": note}
        facts["treebank"] = literature.treebank
        # Rules above and below the Transformer, as in the paper.
        yield Line(cells, label, row.get("run", ""), PAPER, facts=facts)


def _our_lines(literature: Literature, runs: Sequence[Run], warning: str, silver: str) -> Iterator[Line]:
    """Yield two lines for each parser: what constrained decoding gave and, not shown, what unconstrained one did."""
    trainings = {name: seeds for (name, _), seeds in trainings_of(runs).items()}
    f1 = {file: {name: _f1(seeds, file) for name, seeds in trainings.items()} for file in OF_PARSES}
    tested = with_p_values(f1["parses"], BASE, f1["parses"])
    papers = [row for row in literature.parsers if row.get("run") in trainings]
    for row, (file, method) in product(papers, OF_PARSES.items()):
        seeds, training, is_shown = trainings[row["run"]], row["training"], file == "parses"
        figures = {name: _figures(seeds, name) for name in OF_PARSES}
        score = f1[file][row["run"]]
        if is_shown:
            note = _remark(seeds, figures, f1["unconstrained"][row["run"]])
            score = replace(tested[row["run"]], quantity="F1", note=note)
        name = _parser(seeds[0].content)
        cells = [
            Cell("label", f"{name}, ours", latex=escape(name)),
            Cell("training", training, value=training),
            paper_cell("f1", row["f1"]),
            score,
            *figures[file].values(),
        ]
        note = f"{warning}. {silver}" if training == "semi-supervised" else warning
        facts = {"parser": name, "treebank": runs[0].corpus, "note": note, "decoding_method": method}
        title = warning if is_shown and row is papers[0] else ""
        yield Line(cells, training, OURS, title=title, is_shown=is_shown, facts=facts)


def _f1(seeds: Sequence[Run], file: str) -> Cell:
    return score_cell("f1", [run.number(file, "all.f1") for run in seeds])


def _figures(seeds: Sequence[Run], file: str) -> dict[str, Cell]:
    """Return the other numbers of a parser, of several seeds their means."""
    cells = {}
    for name, key in FIGURES.items():
        part, _, _ = key.partition(".")
        if valid := [run for run in seeds if run.content[file][part]["valid"]]:
            cells[name] = _mean_cell(name, valid, file, key)
    counts = {name: name for name in COUNTS}
    if file == "unconstrained":  # every output of constrained decoding is a tree
        counts["malformed"] = "decoding.malformed"
    for name, key in counts.items():
        cell = _mean_cell(name, seeds, file, key)
        count = int(cell.value) if cell.value.is_integer() else cell.value
        cells[name] = replace(cell, kind="count", value=count)
    return cells


def _mean_cell(name: str, seeds: Sequence[Run], file: str, key: str) -> Cell:
    sources = [run.number(file, key) for run in seeds]
    return Cell(name, value=float(np.mean([source.value for source in sources])), sources=sources)


def _parser(content: dict[str, Any]) -> str:
    """Return the row's label, by the model that was trained."""
    N = content["training"]["model"]["N"]
    return f"Transformer ({N} layer{'' if N == 1 else 's'})"


def _differences(content: dict[str, Any]) -> str:
    """Return a sentence on how the parser differs from the paper's, besides its corpus.

    Where the paper is silent, the 2017 code counts as the paper's: it wrote tags in the output and nothing but the
    words of each sentence in the input.
    """
    model, data = content["training"]["model"], content["config"]["treebank"]
    tags, size, copies = data["input_tags"], data["vocab_size"], data["copies"]
    dropout = f" with BPE-dropout {data['bpe_dropout']:g}" if data["bpe_dropout"] else ""
    differences = {
        f"d_model {model['d_model']}": model["d_model"] != PAPER_D_MODEL,
        f"{size:,} subwords": size != PAPER_VOCABULARY[content["config"]["run"]],
        "subwords and tree symbols in one matrix": data["shared_vocabulary"],
        "positions that count words": model["positions"] == "words",
        f"{tags} tags in the input": tags != "none",
        "XX instead of tags in the output": data["words"] == "XX",
        f"{100 * data['constituents']:g}% of the constituents as further sentences": data["constituents"] > 0,
        f"{copies} {'copies' if copies > 1 else 'copy'} of each sentence{dropout}": copies > 1 or dropout,
    }
    differing = ", ".join(text for text, differs in differences.items() if differs)
    return f"With {differing}. " if differing else ""


def _silver(run: Run) -> str:
    """Return a sentence on what replaces the paper's silver corpus."""
    silver = run.content["config"]["treebank"]["silver"]
    text = silver["text"]
    if text == "trees":
        ours = "silver trees from a file of our own"
    else:
        named = SILVER_TEXTS[text] if isinstance(text, str) else " and ".join(part["source"] for part in text)
        agree = (
            "agree on" if silver["min_f1"] == 100 else f"agree on with an F1 of {silver['min_f1']:g} or more"
        )
        ours = f"sentences of {named} that two parsers of our own {agree}"
    times = "once" if silver["oversample"] == 1 else f"{silver['oversample']} times"
    return (
        "Semi-supervised: the paper's silver corpus of 17M sentences is private; in its place ours has "
        f"{ours}, and each tree of the treebank {times}."
    )


def _remark(seeds: Sequence[Run], figures: Mapping[str, Mapping[str, Cell]], f1: Cell) -> str:
    """Return the note on what the number leaves out and on unconstrained decoding, whose F1 is given."""
    unconstrained = figures["unconstrained"]
    tags = GOLD_TAGS if seeds[0].content["parses"].get("tags") == "gold" else ""
    malformed, sentences = (unconstrained[name].value for name in ("malformed", "sentences"))
    means = "Counts are means over seeds. " if len(seeds) > 1 else ""
    return (
        f"{_differences(seeds[0].content)}{means}Constrained decoding; {tags}"
        f"{_scored(figures['parses'])}. Unconstrained decoding: {_count(malformed)} of {sentences} outputs "
        f"({100 * malformed / sentences:.1f}%) malformed; repaired, F1 {f1.shown}{f1.spread}; {_scored(unconstrained)}"
    )


def _scored(figures: Mapping[str, Cell]) -> str:
    sentences, errors, skipped = (figures[name].value for name in COUNTS)
    scored = sentences - errors - skipped
    return f"{_count(scored)} sentences scored, {_count(errors)} errors, {_count(skipped)} skipped"


def _count(mean: float) -> str:
    return f"{mean}" if isinstance(mean, int) else f"{mean:.1f}"


if __name__ == "__main__":
    run_script(main)
