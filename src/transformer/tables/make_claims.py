"""The table of claims: what the paper asserts, and whether it holds, fails or is undecided by our numbers."""

import math
from collections.abc import Sequence
from dataclasses import replace

from transformer.common.errors import run_script
from transformer.common.project import local_path
from transformer.scoring.bootstrap import LEVEL
from transformer.tables.cells import Cell, Column, Line, Table
from transformer.tables.claims import POWER, Judgement, judge, summary, verdict_of
from transformer.tables.claims_file import LONGER, read_claims
from transformer.tables.latex_text import from_markdown
from transformer.tables.literature import read_literature
from transformer.tables.scored_rows import read_tables, scored_rows
from transformer.tables.seed_means import p_cell
from transformer.tables.table_script import table_parser, write

ABOUT = (
    "Each claim is tested on our numbers. It holds or fails if chance alone would seldom give what was found, and is "
    "undecided otherwise; untested are those whose rows are not all here with several seeds. Differences of BLEU and "
    "F1 are in points, and the claim is true above 0; those of perplexity (PPL) are ratios, and it is true above 1. A "
    "claim that two rows hardly differ is true near 0 or 1. A claim with "
    "several quantities holds if it holds in each, and fails if it fails in any."
)
ABOUT_TESTS = (
    f"Brackets: intervals that all hold at once with {LEVEL:.0%}. p: t-test over seeds and sentences, "
    "after Holm's correction for the number of tests, which makes it a little sharper than the brackets. One training "
    "of each row decides nothing, since another seed may give another result."
)
ABOUT_POWER = (
    f"Detectable: the smallest true difference that would be found with a probability of {POWER:.0%}."
)
# The columns that are shown: their names, their heads, and those for which a page of LaTeX has no room.
HEADS = {name: name for name in "claim source quantity paper ours p_holm detectable verdict needed".split()}
HEADS |= {"p_holm": "p", "needed": "to test it"}
ONLY_MARKDOWN = ("source", "detectable", "needed")
COLUMNS = (
    "claim about source quantity verdict claim_verdict paper ours ours_low ours_high p p_holm detectable seeds needed "
    "scale note"
).split()


def main() -> None:
    parser = table_parser(__doc__)
    add = parser.add_argument
    add("--tables", type=local_path, nargs="+", required=True, help="table2.json and others")
    add("--claims", type=local_path, required=True, help="what the paper asserts")
    about = "perplexity of averages that claims are about"
    add("--averages", type=local_path, nargs="*", default=[], help=about)
    arguments = parser.parse_args()
    tables = read_tables(arguments.tables)
    rows = scored_rows(tables)
    judgements = judge(read_claims(arguments.claims), rows, read_literature(arguments.literature))
    table = claims_table(judgements, [table for table in tables if table.name in {row.table for row in rows}])
    write(table, arguments, cited=[file for row in rows for file in row.files])


def claims_table(judgements: Sequence[Judgement], tables: Sequence[Table]) -> Table:
    """Return the table of what was found in our ``tables``."""
    scale = tables[0].scale if tables else ""
    corpora = "; ".join(dict.fromkeys(table.corpus for table in tables))
    note, verdicts = f"Ours: {scale} scale, {corpora}", summary(judgements)
    lines = []
    for number, of in enumerate(judgements):
        is_new = number == 0 or of.claim["claim"] != judgements[number - 1].claim["claim"]
        about = {"about": of.about, "claim_verdict": verdict_of(of.claim["claim"], judgements)}
        facts = {**about, "seeds": of.seeds or "", "note": note}
        lines.append(Line(_cells(of, is_new), of.claim["claim"], facts=facts))
    return Table(
        "claims",
        [Column(name, (head,), in_latex=name not in ONLY_MARKDOWN) for name, head in HEADS.items()],
        lines,
        csv=COLUMNS,
        scale=scale,
        corpus=corpora,
        title="The paper's claims",
        warning=f"{verdicts}. {note}",
        above=[ABOUT],
        below=[f"{ABOUT_TESTS} {ABOUT_POWER}"],
        caption=f"The paper's claims, tested. {note}: {verdicts}.",
        notes=[ABOUT_TESTS],
        column_format="@{}p{7.7cm}lp{0.9cm}p{5.2cm}ll@{}",
        size=r"\tiny",
        space="2.5pt",
    )


def _cells(of: Judgement, is_new: bool) -> list[Cell]:
    """Return what was found of a claim in one quantity; one that is not new is not said again."""
    claim, source = of.claim["claim"], of.claim["source"]
    sentences = f" ({of.sentences} sentences)" if of.quantity == LONGER and of.sentences else ""
    return [
        _in_several_lines(Cell("claim", claim * is_new, value=claim)),
        Cell("source", source * is_new, value=source),
        Cell("quantity", of.quantity + sentences, value=of.quantity),
        _in_several_lines(_effect("paper", of, of.effect)),
        _in_several_lines(_effect("ours", of, of.ours, of.interval)),
        p_cell("p_holm", of.p_holm),
        _effect("detectable", of, of.detectable),
        Cell("verdict", of.verdict, value=of.verdict, is_bold=True),
        Cell("needed", of.needed, value=of.needed),
        p_cell("p", of.p),
    ]


def _effect(
    column: str, of: Judgement, effect: float | None, interval: tuple[float, float] | None = None
) -> Cell:
    """Return an effect, ``×0.988 [×0.964, ×1.013]`` from its logarithm or ``+0.7 [-1.1, +2.5]``."""
    if effect is None or math.isnan(effect):
        return Cell(column)
    form, value_of = ("×{:.3f}", math.exp) if of.is_ratio else ("{:+.1f}", float)
    value = value_of(effect)
    cell = Cell(column, form.format(value), kind="effect", value=value)
    if interval is None:
        return cell
    low, high = map(value_of, interval)
    return replace(cell, spread=f" [{form.format(low)}, {form.format(high)}]", low=low, high=high)


def _in_several_lines(cell: Cell) -> Cell:
    return replace(cell, latex=rf"\raggedright {from_markdown(cell.shown + cell.spread)}")


if __name__ == "__main__":
    run_script(main)
