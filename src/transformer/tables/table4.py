"""Table 4 of the paper: F1 of constituency parsers, the paper's rows and then ours.

Our parsers decode twice. The table shows F1 of constrained decoding, which can only write trees over the sentence's
words; a note gives F1 of unconstrained decoding, as in the paper, with malformed output repaired.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pandas as pd

from transformer.common.errors import UserError, run_script
from transformer.tables.cells import COUNT, OURS, PAPER, Cell, Column, Line, Table
from transformer.tables.latex_text import escape
from transformer.tables.literature import Literature, read_literature, records
from transformer.tables.runs import PARSES, Run, first_seeds, ours_of, read_runs
from transformer.tables.scores import CONSTRAINED, COUNTS, OF_PARSES, scores_of
from transformer.tables.seed_means import (
    mark_notes,
    over_seeds,
    printed,
    sources_of,
    spread_note,
    with_p_values,
)
from transformer.tables.table_script import add_runs, table_parser, write

BASE = "parser"  # the run with which the other is compared
PAPER_D_MODEL = 1024  # section 6.3, as are the sizes of the vocabularies
PAPER_VOCABULARY = {"parser": 16_000, "parser-semi": 32_000}
GOLD_TAGS = "the treebank's tags put into our trees before scoring; "
SILVER_TEXTS = {"grammar": "the project's own grammar", "file": "a text of our own"}
FIGURES = ["precision", "recall", "complete_match", "average_crossing", "tagging_accuracy", "f1_up_to_40"]
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
    ours = _our_lines(literature, runs, warning, silver)
    base = next((row["training"] for row in records(literature.parsers) if row["run"] == BASE), "")
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


def _paper_lines(literature: Literature) -> list[Line]:
    lines = []
    for row in records(literature.parsers):
        note = row["note"][:1].upper() + row["note"][1:]
        cells = [
            Cell("label", row["label"], origin=PAPER, latex=escape(row["label"])),
            Cell("training", row["training"], origin=PAPER, value=row["training"]),
            Cell("f1", row["f1"], origin=PAPER, value=row["f1"], note=note),
        ]
        facts = {"origin": f"paper, {literature.version}", "parser": row["label"], "note": row["note"]}
        # Rules above and below the Transformer, as in the paper.
        lines.append(
            Line(cells, row["label"], row["run"], PAPER, facts=facts | {"treebank": literature.treebank})
        )
    return lines


def _our_lines(literature: Literature, runs: Sequence[Run], warning: str, silver: str) -> list[Line]:
    """Return two lines for each parser: what constrained decoding gave and, not shown, what unconstrained one did."""
    scores = scores_of(runs)
    parsed = scores[scores["decoding_method"] != ""]
    f1 = over_seeds(parsed[parsed["measure"] == "f1"], ["run", "decoding_method"])
    shown = {run: cell for (run, method), cell in f1.items() if method == CONSTRAINED}
    f1 |= {(run, CONSTRAINED): cell for run, cell in with_p_values(shown, BASE, shown).items()}
    contents = {run.name: run.content for run in first_seeds(runs)}
    lines, title = [], warning
    for paper in records(literature.parsers):
        if (run := paper["run"]) not in contents:
            continue
        name, training = _parser(contents[run]), paper["training"]
        facts = {"parser": name, "treebank": runs[0].corpus}
        facts["note"] = f"{warning}. {silver}" if training == "semi-supervised" else warning
        figures = {method: _figures(parsed, run, method) for method in OF_PARSES.values()}
        for method in OF_PARSES.values():
            is_shown = method == CONSTRAINED
            cells = [
                Cell("label", f"{name}, ours", latex=escape(name)),
                Cell("training", training, value=training),
            ]
            cells.append(Cell("f1", paper["f1"], origin=PAPER, value=paper["f1"]))
            score = printed(f1[run, method], "f1")
            if is_shown:
                other = printed(f1[run, OF_PARSES["unconstrained"]], "f1")
                note = _remark(contents[run], figures, other)
                score = printed(f1[run, method], "f1", quantity="F1", note=note)
            lines.append(
                Line(
                    [*cells, score, *figures[method].values()],
                    training,
                    OURS,
                    title=title,
                    is_shown=is_shown,
                    facts=facts | {"decoding_method": method},
                )
            )
            title = ""
    return lines


def _figures(parsed: pd.DataFrame, run: str, method: str) -> dict[str, Cell]:
    """Return the other numbers of a parser, of several seeds their means."""
    rows = parsed[(parsed["run"] == run) & (parsed["decoding_method"] == method)]
    cells: dict[str, Cell] = {}
    for measure, of_name in rows.groupby("measure", sort=False):
        name, mean = str(measure), float(of_name["value"].mean())
        if name in FIGURES:
            cells[name] = Cell(name, value=mean, sources=sources_of(of_name))
        elif name in COUNTS or (name == "malformed" and method != CONSTRAINED):
            # Every output of constrained decoding is a tree.
            count = int(mean) if mean.is_integer() else mean
            cells[name] = Cell(name, kind=COUNT, value=count, sources=sources_of(of_name))
    return cells


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
    found = [text for text, differs in differences.items() if differs]
    return f"With {', '.join(found)}. " if found else ""


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


def _remark(content: dict[str, Any], figures: dict[str, dict[str, Cell]], f1: Cell) -> str:
    """Return the note on what the number leaves out and on unconstrained decoding, whose F1 is given."""
    constrained, unconstrained = figures.values()
    tags = GOLD_TAGS if content["parses"].get("tags") == "gold" else ""
    count, sentences = (unconstrained[name].value for name in ("malformed", "sentences"))
    several = len(unconstrained["malformed"].sources) > 1
    return (
        f"{_differences(content)}{'Counts are means over seeds. ' * several}Constrained decoding; {tags}"
        f"{_counted(constrained)}. Unconstrained decoding: {_mean(count)} of {sentences} outputs "
        f"({100 * count / sentences:.1f}%) malformed; repaired, F1 {f1.shown}{f1.spread}; {_counted(unconstrained)}"
    )


def _counted(figures: dict[str, Cell]) -> str:
    sentences, errors, skipped = (figures[name].value for name in COUNTS)
    scored = sentences - errors - skipped
    return f"{_mean(scored)} sentences scored, {_mean(errors)} errors, {_mean(skipped)} skipped"


def _mean(count: float) -> str:
    return f"{count}" if isinstance(count, int) else f"{count:.1f}"


if __name__ == "__main__":
    run_script(main)
