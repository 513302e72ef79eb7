"""Table 4 of the paper: F1 of constituency parsers, the paper's rows and then ours.

Our parsers decode twice. The table shows F1 of constrained decoding, which can only write trees over the sentence's
words; a note gives F1 of unconstrained decoding, as in the paper, with malformed output repaired.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from transformer.common.errors import UserError
from transformer.tables.latex_table import RULE, across, latex_table, rules
from transformer.tables.latex_text import escape, from_markdown
from transformer.tables.literature import Literature
from transformer.tables.row_scores import (
    MARK,
    differs,
    mark_notes,
    over_seeds,
    p_against,
    score_text,
    seeds_of,
    spread_note,
)
from transformer.tables.runs import Run, first_seeds
from transformer.tables.scores_frame import COUNTS, DECODINGS, scores_frame
from transformer.tables.table import (
    Cells,
    Document,
    Table,
    all_traced,
    four_decimals,
    numbers,
    records,
)

BASE = "parser"  # the run with which the other is compared
PAPER_D_MODEL = 1024  # section 6.3, as are the sizes of the vocabularies
PAPER_VOCABULARY = {"parser": 16_000, "parser-semi": 32_000}
SEMI_SUPERVISED = "semi-supervised"
GOLD_TAGS = "the treebank's tags put into our trees before scoring; "
SILVER_TEXTS = {"grammar": "the project's own grammar", "file": "a text of our own"}
FIGURES = ["precision", "recall", "complete_match", "average_crossing", "tagging_accuracy", "f1_up_to_40"]
COLUMNS = [
    *("origin", "parser", "training", "decoding", "f1", "f1_low", "f1_high", "f1_sd", "f1_p", "f1_paper"),
    *(*FIGURES, *COUNTS, "malformed", "seeds", "scale", "treebank", "note", "scores", "scores_sha256"),
]


def build_table4(literature: Literature, runs: Sequence[Run]) -> Table:
    """Join runs with the paper's rows.

    Raises UserError when a run is not a row of the table, or when none of its sentences could be scored.
    """
    parsers = literature.parsers
    _check([run for run in parsers["run"] if run], runs)
    scores = scores_frame(runs)
    scale, treebank = runs[0].scale, runs[0].corpus
    warning = f"Ours: {scale} scale, {treebank}"
    if literature.treebank not in treebank:
        warning = f"{warning}, in place of WSJ; not comparable with {literature.treebank}"
    ours = _ours(literature, runs, scores)
    silver = next((_silver(run) for run in runs if "silver" in run.content["config"]["treebank"]), "")
    semi = ours["training"] == SEMI_SUPERVISED
    ours["note"] = pd.Series(warning, ours.index).where(~semi, f"{warning}. {silver}")
    ours = ours.assign(origin="ours", scale=scale, treebank=treebank)
    paper = parsers.assign(
        origin=f"paper, {literature.version}", parser=parsers["label"], treebank=literature.treebank
    )
    cells, notes = _cells(literature, ours)
    seeds = seeds_of(runs)
    notes += mark_notes(ours["p"], BASE, "F1", seeds)
    document: Document = [
        "# Table 4: English constituency parsing",
        f"**{warning}.**",
        "Ours: F1 of labelled brackets on our test set, counted as EVALB does with COLLINS.prm. "
        f"{spread_note(seeds)} {silver}".rstrip(),
        cells,
        *notes,
    ]
    sentences = [
        f"English constituency parsing: F1 by EVALB on {literature.treebank}.",
        f"{warning}.",
        silver,
        spread_note(seeds),
    ]
    files = {name: ours[name].str.join(" ") for name in ("scores", "scores_sha256")}
    return Table(
        "table4",
        pd.concat([paper, ours.assign(**files)])[COLUMNS].fillna(""),
        document,
        _latex(literature, cells, ours, warning, " ".join(filter(None, sentences)), notes),
        numbers("table4", scores[scores["measure"].isin(["f1", "malformed"])]),
        runs,
    )


def _check(known: Sequence[str], runs: Sequence[Run]) -> None:
    for run in runs:
        if run.name not in known:
            raise UserError(
                f"{run.folder}: run '{run.name}' is no row of Table 4; its runs are {', '.join(known)}"
            )
        for name in DECODINGS:
            if not run.content[name]["all"]["valid"]:
                raise UserError(f"{run.path(name)}: there is no F1, as no sentence could be scored")


def _ours(literature: Literature, runs: Sequence[Run], scores: pd.DataFrame) -> pd.DataFrame:
    """Return one row per parser and decoding: the columns of the CSV file, and those of the table's cells."""
    parsed = scores[scores["decoding"] != ""]
    # With several seeds, figures are means, and what was counted is the sum.
    groups = parsed.groupby(["run", "decoding", "measure"])["value"]
    figures = groups.mean().unstack().reindex(columns=["f1", *FIGURES])
    figures = figures.join(groups.sum().unstack().reindex(columns=[*COUNTS, "malformed"]))
    f1 = over_seeds(parsed[parsed["measure"] == "f1"], ["run", "decoding"])
    constrained = f1[f1.index.get_level_values("decoding") == DECODINGS["parses"]]
    f1 = f1.assign(p=p_against(constrained, BASE))
    rows = [(run, decoding) for run in literature.parsers["run"] for decoding in DECODINGS.values()]
    rows = [row for row in rows if row in f1.index]
    figures, f1 = figures.loc[rows], f1.loc[rows]
    ours = figures[["f1", *FIGURES]].apply(four_decimals)
    ours[[*COUNTS, "malformed"]] = figures[[*COUNTS, "malformed"]].astype("Int64").astype(object)
    # Every output of constrained decoding is a tree.
    ours.loc[(slice(None), DECODINGS["parses"]), "malformed"] = ""
    ours = ours.assign(
        f1_low=four_decimals(f1["low"]),
        f1_high=four_decimals(f1["high"]),
        f1_sd=four_decimals(f1["sd"]),
        f1_p=four_decimals(f1["p"]),
        p=f1["p"],
        text=list(map(score_text, f1["value"], f1["sd"], f1["low"], f1["high"])),
        seeds=[" ".join(map(str, seeds)) for seeds in f1["seeds"]],
        scores=f1["path"],
        scores_sha256=f1["sha256"],
    ).reset_index()
    paper = literature.parsers[["run", "row", "training", "f1"]].rename(columns={"f1": "f1_paper"})
    contents = {run.name: run.content for run in first_seeds(runs)}
    return ours.merge(paper, on="run").assign(
        parser=[_parser(contents[run]) for run in ours["run"]],
        differences=[_differences(contents[run]) for run in ours["run"]],
        tags=[GOLD_TAGS if contents[run]["parses"].get("tags") == "gold" else "" for run in ours["run"]],
    )


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


def _cells(literature: Literature, ours: pd.DataFrame) -> tuple[Cells, list[str]]:
    """Return the cells, with marks where there are notes, and the notes."""
    heads = ["Parser", "Training", f"F1 on {literature.treebank}, paper", "F1, ours"]
    parsers = literature.parsers
    rows = [
        [row["label"], row["training"], row["f1"], "", literature.source(4, row["row"]), ""]
        for row in records(parsers)
    ]
    remarks = [f"{note[:1].upper()}{note[1:]}" for note in parsers["note"]]
    marks = [""] * len(remarks)
    for _, group in ours.groupby("run", sort=False):
        shown = group.iloc[0]
        beside = literature.source(4, shown["row"])
        trace = all_traced(shown["scores"], shown["scores_sha256"])
        label = f"{shown['parser']}, ours"
        rows.append([label, shown["training"], shown["f1_paper"], shown["text"], beside, trace])
        remarks.append(_note(*records(group)))
        marks.append(MARK if differs(shown["p"]) else "")
    notes: list[str] = []
    for row, remark, differing in zip(rows, remarks, marks, strict=True):
        if remark:
            letter = chr(ord("a") + len(notes))
            row[3 if row[3] else 2] += f"<sup>{differing}{letter}</sup>"
            notes.append(f"<sup>{letter}</sup> {remark}.")
    frame = pd.DataFrame(rows, columns=[*heads, "source of paper's", "source of ours"])
    sources = {heads[2]: list(frame["source of paper's"]), heads[3]: list(frame["source of ours"])}
    return Cells(frame[heads], sources), notes


def _note(constrained: dict[str, Any], unconstrained: dict[str, Any]) -> str:
    """Return the note on what the figure leaves out and on unconstrained decoding."""
    count, sentences = unconstrained["malformed"], unconstrained["sentences"]
    return (
        f"{constrained['differences']}Constrained decoding; {constrained['tags']}{_counted(constrained)}. "
        f"Unconstrained decoding: {count} of {sentences} outputs ({100 * count / sentences:.1f}%) malformed; "
        f"repaired, F1 {unconstrained['text']}; {_counted(unconstrained)}"
    )


def _counted(row: dict[str, Any]) -> str:
    valid = row["sentences"] - row["errors"] - row["skipped"]
    return f"{valid} sentences scored, {row['errors']} errors, {row['skipped']} skipped"


def _latex(
    literature: Literature,
    cells: Cells,
    ours: pd.DataFrame,
    warning: str,
    caption: str,
    notes: Sequence[str],
) -> str:
    """Return the table as LaTeX, with rules above and below the Transformer, as in the paper."""
    count = len(literature.parsers)
    text = cells.text.map(from_markdown)
    text["Parser"] = text["Parser"].str.removesuffix(", ours")
    above = rules(list(literature.parsers["run"]))
    # A paragraph as wide as the table, in a box of no width, which does not widen the last column.
    paragraph = rf"\makebox[0pt][l]{{\parbox[t]{{\textwidth}}{{{escape(warning)}\strut}}}}"
    above[count] = f"{RULE}\n{across(paragraph, 4)}"
    traces = pd.Series(list(map(all_traced, ours["scores"], ours["scores_sha256"])))
    files = traces.groupby(ours["run"], sort=False).agg("; ".join)
    heads = [("", "Parser"), ("", "Training"), ("F1", "paper"), ("F1", "ours")]
    return latex_table(
        text.set_axis(pd.MultiIndex.from_tuples(heads), axis="columns"),
        label="table4",
        caption=caption,
        notes=notes,
        column_format=r"@{}l@{\extracolsep{\fill}}lcc",
        comments=[""] * count + list(files),
        above=above,
    )
