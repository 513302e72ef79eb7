"""Table 4 of the paper: F1 of constituency parsers, the paper's rows and then ours.

Ours is measured twice: of decoding that can write nothing but a tree over the sentence's words, which is what the table
shows, and of decoding as in the paper, whose malformed output is repaired, in a note.
"""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tabulate import tabulate

from transformer.common.errors import UserError
from transformer.tables.literature import Literature, ParserRow
from transformer.tables.runs import Run
from transformer.tables.table2 import with_interval

DECODINGS = {"parses": "constrained", "unconstrained": "unconstrained, repaired"}  # the first is the table's
PAPER_D_MODEL = 1024  # section 6.3
SEMI_SUPERVISED = "semi-supervised"


@dataclass(frozen=True)
class OurParser:
    """Our counterpart of a row of the paper."""

    paper: ParserRow
    run: Run

    @property
    def parser(self) -> str:
        """The row's label, by the model that was trained."""
        N = self.run.content["training"]["model"]["N"]
        return f"Transformer ({N} layer{'' if N == 1 else 's'})"

    @property
    def differences(self) -> list[str]:
        """In what the parser is not the paper's, besides its data."""
        model = self.run.content["training"]["model"]
        tags = self.run.content["config"]["treebank"]["input_tags"]
        found = [] if model["d_model"] == PAPER_D_MODEL else [f"d_model {model['d_model']}"]
        if model["positions"] == "words":
            found.append("positions that count words")
        return found if tags == "none" else [*found, f"{tags} tags in the input"]

    @property
    def f1(self) -> str:
        """Of constrained decoding, with its interval."""
        return self._f1("parses")

    def _f1(self, decoding: str) -> str:
        figures = self.run.content[decoding]["all"]
        return with_interval(figures["f1"], figures["interval"])

    @property
    def malformed(self) -> dict[str, int]:
        """``count`` of the outputs of unconstrained decoding that were no tree, of how many ``sentences``."""
        counts: dict[str, int] = self.run.content["unconstrained"]["malformed"]
        return counts

    @property
    def note(self) -> str:
        """What the figure leaves out, and the other way of decoding."""
        count, sentences = self.malformed["count"], self.malformed["sentences"]
        differences = ", ".join(self.differences)
        return (
            f"{f'With {differences}. ' if differences else ''}"
            f"Constrained decoding; {_counted(self.run.content['parses'])}. Unconstrained decoding: {count} of "
            f"{sentences} outputs ({100 * count / sentences:.1f}%) malformed; repaired, F1 "
            f"{self._f1('unconstrained')}; {_counted(self.run.content['unconstrained'])}"
        )


def _counted(scores: dict[str, Any]) -> str:
    return f"{scores['valid']} sentences scored, {scores['errors']} errors, {scores['skipped']} skipped"


@dataclass(frozen=True)
class Table4:
    """The paper's rows, ours, and the treebank (``corpus``) of ours."""

    literature: Literature
    ours: tuple[OurParser, ...]
    scale: str
    corpus: str

    @property
    def warning(self) -> str:
        """What keeps our figures from being taken for WSJ ones; part of every rendering."""
        treebank = self.literature.treebank
        ours = f"Ours: {self.scale} scale, {self.corpus}"
        return ours if treebank in self.corpus else f"{ours}, in place of WSJ; not comparable with {treebank}"

    @property
    def substitution(self) -> str:
        """What our semi-supervised row was trained on; nothing where there is no such row."""
        if all(row.paper.training != SEMI_SUPERVISED for row in self.ours):
            return ""
        return (
            "Semi-supervised: the paper's silver corpus of 17M sentences is private; in its place ours has sentences "
            "that two parsers of our own agree on."
        )

    @property
    def notes(self) -> list[tuple[str, ParserRow | OurParser, str]]:
        """(mark, row, text), in the order of the rows."""
        noted: list[tuple[ParserRow | OurParser, str]] = [
            (row, f"{row.note[0].upper()}{row.note[1:]}") for row in self.literature.parsers if row.note
        ]
        noted += [(row, row.note) for row in self.ours]
        return [(chr(ord("a") + i), row, text) for i, (row, text) in enumerate(noted)]

    def mark(self, row: ParserRow | OurParser) -> str:
        """The note's letter at a row, or nothing."""
        return "".join(mark for mark, noted, _ in self.notes if noted is row)


def build_table4(literature: Literature, runs: Sequence[Run]) -> Table4:
    """Join runs with the paper's rows.

    Raises UserError when a run is no row of the table or given with two seeds, or when none of its sentences
    could be scored.
    """
    known = [row.run for row in literature.parsers if row.run]
    by_name = {run.name: run for run in runs}
    for run in runs:
        if run.name not in known:
            raise UserError(
                f"{run.folder}: run '{run.name}' is no row of Table 4; its runs are {', '.join(known)}"
            )
        if (other := by_name[run.name]) is not run:
            raise UserError(
                f"{run.folder} and {other.folder} are both the run '{run.name}'; give one of them"
            )
        for decoding in DECODINGS:
            if "interval" not in run.content[decoding]["all"]:
                raise UserError(f"{run.path(decoding)}: F1 has no interval, as no sentence could be scored")
    rows = [OurParser(row, by_name[row.run]) for row in literature.parsers if row.run in by_name]
    return Table4(literature, tuple(rows), runs[0].scale, runs[0].corpus)


def table4_csv(table: Table4) -> str:
    """One row a parser of the paper, and one a parser and decoding of ours, unrounded to four decimals."""
    rows = [_csv_literature(table, row) for row in table.literature.parsers]
    rows += [_csv_ours(table, row, decoding) for row in table.ours for decoding in DECODINGS]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[-1]), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _csv_literature(table: Table4, row: ParserRow) -> dict[str, str]:
    return {
        "origin": f"paper, {table.literature.version}",
        "parser": row.label,
        "training": row.training,
        "f1": row.f1,
        "treebank": table.literature.treebank,
        "note": row.note,
    }


def _csv_ours(table: Table4, row: OurParser, decoding: str) -> dict[str, str]:
    scores = row.run.content[decoding]
    figures, short = scores["all"], scores["up_to_40"]
    names = ("precision", "recall", "complete_match", "average_crossing", "tagging_accuracy")
    semi_supervised = row.paper.training == SEMI_SUPERVISED
    return {
        "origin": "ours",
        "parser": row.parser,
        "training": row.paper.training,
        "decoding": DECODINGS[decoding],
        "f1": f"{figures['f1']:.4f}",
        "f1_low": f"{figures['interval']['low']:.4f}",
        "f1_high": f"{figures['interval']['high']:.4f}",
        "f1_paper": row.paper.f1,
        **{name: f"{figures[name]:.4f}" for name in names},
        "f1_up_to_40": f"{short['f1']:.4f}" if short["valid"] else "",
        **{name: str(scores[name]) for name in ("sentences", "errors", "skipped")},
        "malformed": str(row.malformed["count"]) if decoding == "unconstrained" else "",
        "scale": table.scale,
        "treebank": table.corpus,
        "note": f"{table.warning}. {table.substitution}" if semi_supervised else table.warning,
        "scores": row.run.path(decoding).as_posix(),
        "scores_sha256": row.run.sha256[decoding],
    }


def table4_markdown(table: Table4) -> str:
    """The table for people who read it in a terminal or on a forge."""

    def marked(row: ParserRow | OurParser, text: str) -> str:
        return f"{text}<sup>{mark}</sup>" if (mark := table.mark(row)) else text

    rows = [[row.label, row.training, marked(row, row.f1), ""] for row in table.literature.parsers]
    rows += [
        [f"{row.parser}, ours", row.paper.training, row.paper.f1, marked(row, row.f1)] for row in table.ours
    ]
    heads = ["Parser", "Training", f"F1 on {table.literature.treebank}, paper", "F1, ours"]
    lines = [
        "# Table 4: English constituency parsing",
        f"**{table.warning}.**",
        "Ours: F1 of labelled brackets on our test set, counted as EVALB does with COLLINS.prm, with its 95% "
        f"bootstrap interval over sentences. {table.substitution}".rstrip(),
        tabulate(rows, heads, tablefmt="pipe", disable_numparse=True),
        *[f"<sup>{mark}</sup> {text}." for mark, _, text in table.notes],
    ]
    return "\n\n".join(lines) + "\n"
