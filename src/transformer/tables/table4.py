"""Table 4 of the paper: F1 of constituency parsers, the paper's rows and then ours.

Our parsers decode twice. The table shows F1 of constrained decoding, which can only write trees over the sentence's
words; a note gives F1 of unconstrained decoding, as in the paper, with malformed output repaired.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pandas as pd

from transformer.common.errors import UserError
from transformer.tables.latex_text import escape
from transformer.tables.literature import Literature
from transformer.tables.runs import Run, first_seeds
from transformer.tables.scores import CONSTRAINED, COUNTS, OF_PARSES, scores_of
from transformer.tables.seed_means import (
    NOT_TESTED,
    differences,
    mark_notes,
    mark_of,
    over_seeds,
    spread_note,
)
from transformer.tables.table import Column, Table, csv_frame, four_decimals, numbers, records

BASE = "parser"  # the run with which the other is compared
PAPER_D_MODEL = 1024  # section 6.3, as are the sizes of the vocabularies
PAPER_VOCABULARY = {"parser": 16_000, "parser-semi": 32_000}
GOLD_TAGS = "the treebank's tags put into our trees before scoring; "
SILVER_TEXTS = {"grammar": "the project's own grammar", "file": "a text of our own"}
FIGURES = ["precision", "recall", "complete_match", "average_crossing", "tagging_accuracy", "f1_up_to_40"]
COLUMNS = [
    *(
        "origin",
        "parser",
        "training",
        "decoding_method",
        "f1",
        "f1_low",
        "f1_high",
        "f1_sd",
        "f1_p",
        "f1_p_holm",
        "f1_paper",
    ),
    *(*FIGURES, *COUNTS, "malformed", "seeds", "scale", "treebank", "note", "scores", "scores_sha256"),
]
Row = dict[str, Any]


def build_table4(literature: Literature, runs: Sequence[Run]) -> Table:
    """Join runs with the paper's rows.

    Raises UserError when no sentence of a run could be scored.
    """
    for run, name in product(runs, OF_PARSES):
        if not run.content[name]["all"]["valid"]:
            raise UserError(f"{run.path(name)}: there is no F1, as no sentence could be scored")
    scores = scores_of(runs)
    warning = _warning(literature, runs[0])
    silver = next((_silver(run) for run in runs if "silver" in run.content["config"]["treebank"]), "")
    facts = {"scale": runs[0].scale, "treebank": runs[0].corpus}
    paper = [
        row
        | {"origin": f"paper, {literature.version}", "parser": row["label"], "treebank": literature.treebank}
        for row in records(literature.parsers)
    ]
    ours = [
        row | facts | {"note": f"{warning}. {silver}" if row["training"] == "semi-supervised" else warning}
        for row in _ours(literature, runs, scores)
    ]
    columns, notes = _columns(literature, ours)
    notes += mark_notes((row["f1_p"] for row in ours), BASE, "F1", runs)
    # A paragraph as wide as the table, in a box of no width, which does not widen the last column.
    title = rf"\makebox[0pt][l]{{\parbox[t]{{\textwidth}}{{{escape(warning)}\strut}}}}"
    files = [f"{one['files']}; {other['files']}" for one, other in zip(ours[::2], ours[1::2], strict=True)]
    spread = spread_note(runs)
    about = f"English constituency parsing: F1 by EVALB on {literature.treebank}. {warning}."
    return Table(
        "table4",
        csv_frame([*paper, *ours], COLUMNS),
        columns,
        numbers("table4", scores[scores["measure"].isin(["f1", "malformed"])]),
        runs,
        above=[
            "# Table 4: English constituency parsing",
            f"**{warning}.**",
            "Ours: F1 of labelled brackets on our test set, counted as EVALB does with COLLINS.prm. "
            f"{spread} {silver}".rstrip(),
        ],
        below=notes,
        caption=" ".join(filter(None, [about, silver, spread])),
        notes=notes,
        column_format=r"@{}l@{\extracolsep{\fill}}lcc",
        # Rules above and below the Transformer, as in the paper.
        blocks=[*(row["run"] for row in paper), *("ours" for _ in files)],
        titles={len(paper): title},
        comments=[*("" for _ in paper), *files],
    )


def _warning(literature: Literature, run: Run) -> str:
    """Return the warning that our figures are not on WSJ, if they are not."""
    ours = f"Ours: {run.scale} scale, {run.numerics} numerics, {run.corpus}"
    if literature.treebank in run.corpus:
        return ours
    return f"{ours}, in place of WSJ; not comparable with {literature.treebank}"


def _ours(literature: Literature, runs: Sequence[Run], scores: pd.DataFrame) -> list[Row]:
    """Return our rows of the CSV file, two for each run, and what the cells and notes say of them."""
    parsed = scores[scores["decoding_method"] != ""]
    # With several seeds, figures are means, and what was counted is the sum.
    values = parsed.groupby(["run", "decoding_method", "measure"])["value"]
    means, sums = values.mean(), values.sum()
    f1 = over_seeds(parsed[parsed["measure"] == "f1"], ["run", "decoding_method"])
    shown = {key: score for key, score in f1.items() if key[1] == CONSTRAINED}
    differs = differences(shown, {key: f1.get((BASE, CONSTRAINED)) for key in shown})
    contents = {run.name: run.content for run in first_seeds(runs)}
    rows = []
    for paper in records(literature.parsers):
        for method in OF_PARSES.values() if paper["run"] in contents else ():
            run = paper["run"]
            score, content = f1[run, method], contents[run]
            is_shown = method == CONSTRAINED
            p = differs.get((run, method), NOT_TESTED)
            counted: Row = {name: int(sums[run, method, name]) for name in COUNTS}
            # Every output of constrained decoding is a tree.
            counted["malformed"] = "" if is_shown else int(sums[run, method, "malformed"])
            row = {"origin": "ours", "run": run, "training": paper["training"], "decoding_method": method}
            row |= {"parser": _parser(content), "f1_paper": paper["f1"], "seeds": score.csv_seeds}
            row |= score.csv("f1", p) | counted | score.csv_files()
            row |= {name: four_decimals(means.get((run, method, name))) for name in FIGURES}
            row |= {"text": score.text, "mark": mark_of(p), "files": score.files}
            row |= {"differences": _differences(content)}
            rows.append(row | {"tags": GOLD_TAGS if content["parses"].get("tags") == "gold" else ""})
    return rows


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


def _columns(literature: Literature, ours: Sequence[Row]) -> tuple[list[Column], list[str]]:
    """Return the columns, with marks where there are notes, and the notes."""
    rows = [
        {"parser": row["label"], "training": row["training"], "paper": row["f1"], "ours": ""}
        | {"remark": row["note"][:1].upper() + row["note"][1:], "mark": ""}
        for row in records(literature.parsers)
    ]
    rows += [
        constrained
        | {"paper": constrained["f1_paper"], "ours": constrained["text"]}
        | {"remark": _remark(constrained, unconstrained)}
        for constrained, unconstrained in zip(ours[::2], ours[1::2], strict=True)
    ]
    notes: list[str] = []
    for row in rows:
        if row["remark"]:
            letter = chr(ord("a") + len(notes))
            row["ours" if row["ours"] else "paper"] += f"<sup>{row['mark']}{letter}</sup>"
            notes.append(f"<sup>{letter}</sup> {row['remark']}.")
    labels = [row["parser"] + (", ours" if row["ours"] else "") for row in rows]
    return [
        Column("Parser", ("", "Parser"), labels, [escape(row["parser"]) for row in rows]),
        Column("Training", ("", "Training"), [row["training"] for row in rows]),
        Column(f"F1 on {literature.treebank}, paper", ("F1", "paper"), [row["paper"] for row in rows]),
        Column("F1, ours", ("F1", "ours"), [row["ours"] for row in rows]),
    ], notes


def _remark(constrained: Row, unconstrained: Row) -> str:
    """Return the note on what the figure leaves out and on unconstrained decoding."""
    count, sentences = unconstrained["malformed"], unconstrained["sentences"]
    return (
        f"{constrained['differences']}Constrained decoding; {constrained['tags']}{_counted(constrained)}. "
        f"Unconstrained decoding: {count} of {sentences} outputs ({100 * count / sentences:.1f}%) malformed; "
        f"repaired, F1 {unconstrained['text']}; {_counted(unconstrained)}"
    )


def _counted(row: Row) -> str:
    valid = row["sentences"] - row["errors"] - row["skipped"]
    return f"{valid} sentences scored, {row['errors']} errors, {row['skipped']} skipped"
