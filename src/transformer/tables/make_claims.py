"""The table of claims: what the paper asserts, and whether it holds, fails or is undecided by our numbers."""

from collections.abc import Sequence
from dataclasses import replace

from transformer.common.errors import run_script
from transformer.common.project import local_path
from transformer.scoring.bootstrap import LEVEL
from transformer.tables.cells import EFFECT, Cell, Column, Line, Table
from transformer.tables.claims import (
    POWER,
    Row,
    lines_of,
    rows_of,
    summary,
)
from transformer.tables.claims_file import LONGER, read_claims
from transformer.tables.latex_text import from_markdown
from transformer.tables.literature import read_literature
from transformer.tables.scored_rows import corpora_of, read_scored_rows, scale_of, sentence_files
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
SHOWN = "claim source quantity paper ours p_holm detectable verdict needed".split()
EFFECTS = ("paper", "ours", "detectable")
HEADS = ("claim", "source", "quantity", "paper", "ours", "p", "detectable", "verdict", "to test it")
ONLY_MARKDOWN = ("source", "detectable", "to test it")  # columns for which a page of LaTeX has no room
COLUMNS = (
    "claim about source quantity verdict claim_verdict paper ours ours_low ours_high p p_holm detectable seeds needed "
    "scale note"
).split()
WRAPPED = ("claim", "paper", "ours")  # its columns whose texts may take several lines


def main() -> None:
    parser = table_parser(__doc__)
    add = parser.add_argument
    add("--tables", type=local_path, nargs="+", required=True, help="table2.json and others")
    add("--claims", type=local_path, required=True, help="what the paper asserts")
    add(
        "--averages",
        type=local_path,
        nargs="*",
        default=[],
        help="perplexity of averages that claims are about",
    )
    arguments = parser.parse_args()
    numbers = read_scored_rows(arguments.tables)
    lines = lines_of(read_claims(arguments.claims), numbers, read_literature(arguments.literature))
    table = claims_table(rows_of(lines), scale_of(numbers), corpora_of(numbers))
    write(table, arguments, cited=sentence_files(numbers))


def claims_table(rows: Sequence[Row], scale: str, corpora: Sequence[str]) -> Table:
    """Return the table of what ``rows_of`` found."""
    note = f"Ours: {scale} scale, {'; '.join(corpora)}"
    counted = summary(rows)
    before = ["", *(row["claim"] for row in rows)]
    lines = [_line(row, row["claim"] != last, note) for row, last in zip(rows, before, strict=False)]
    return Table(
        "claims",
        [
            Column(name, (head,), in_latex=head not in ONLY_MARKDOWN)
            for name, head in zip(SHOWN, HEADS, strict=True)
        ],
        lines,
        csv=COLUMNS,
        scale=scale,
        corpus="; ".join(corpora),
        title="The paper's claims",
        warning=f"{counted}. {note}",
        above=[ABOUT],
        below=[f"{ABOUT_TESTS} {ABOUT_POWER}"],
        caption=f"The paper's claims, tested. {note}: {counted}.",
        notes=[ABOUT_TESTS],
        column_format="@{}p{7.7cm}lp{0.9cm}p{5.2cm}ll@{}",
        size=r"\tiny",
        space="2.5pt",
    )


def _line(row: Row, is_new: bool, note: str) -> Line:
    """Return what was found of a claim in one quantity; one that is not new is not said again."""
    cells = []
    for name in SHOWN:
        value = row.get(name, "")
        cell = Cell(name, str(value), value=value)
        if name in ("claim", "source"):
            cell = replace(cell, shown=value * is_new)
        elif value == LONGER and "sentences" in row:
            cell = replace(cell, shown=f"{value} ({row['sentences']} sentences)")
        elif name in EFFECTS:
            cell = _effect(name, row)
        elif name == "p_holm":
            cell = p_cell(name, value)
        elif name == "verdict":
            cell = replace(cell, is_bold=True)
        if name in WRAPPED:
            cell = replace(cell, latex=rf"\raggedright {from_markdown(cell.shown + cell.spread)}")
        cells.append(cell)
    facts = ("about", "claim_verdict", "seeds")
    more: Row = {name: row.get(name, "") for name in facts}
    return Line([*cells, p_cell("p", row["p"])], row["claim"], facts={**more, "note": note})


def _effect(name: str, row: Row) -> Cell:
    """Return an effect, ``×0.988 [×0.964, ×1.013]`` or ``+0.7 [-1.1, +2.5]``."""
    if (value := row.get(name)) is None:
        return Cell(name)
    form = "×{:.3f}" if row["quantity"].startswith("PPL") else "{:+.1f}"
    cell = Cell(name, form.format(value), kind=EFFECT, value=value)
    if name != "ours" or "low" not in row:
        return cell
    low, high = row["low"], row["high"]
    return replace(cell, spread=f" [{form.format(low)}, {form.format(high)}]", low=low, high=high)


if __name__ == "__main__":
    run_script(main)
