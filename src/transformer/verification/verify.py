"""Check every number of the published tables of a scale against the files behind it, a line for each cell.

    python src/transformer/verification/verify.py --scale demo

Every file behind a cell is hashed again, from the tokenized text to the table; the mean of the checkpoints, the scores,
the operations and the parameters are computed again, and so are the tables themselves, which must have the same bytes.
Nothing is trained or translated, unless --deep asks for it, and nothing is written.  The exit status is 1 if anything
differs.
"""

from pathlib import Path

from transformer.common.arguments import argument_parser
from transformer.common.errors import one_line, run_script
from transformer.common.project import config_file
from transformer.common.yaml_files import read_yaml
from transformer.tables.provenance import describe_state, git_state
from transformer.verification.published import Verdict, verify


def main() -> int:
    parser = argument_parser(__doc__)
    parser.add_argument("--scale", help="whose results are checked (that of config/config.yaml)")
    parser.add_argument("--results", type=Path, default=Path("results"), help="folder of the results")
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the data")
    parser.add_argument(
        "--deep",
        action="store_true",
        help="also make the text again, decode again, and repeat the first steps of each training",
    )
    arguments = parser.parse_args()
    scale = arguments.scale or read_yaml(config_file("config.yaml"))["scale"]
    verdict = verify(arguments.results / scale, arguments.data / scale, arguments.deep)
    print(report(verdict))
    return 0 if verdict.stands else 1


def report(verdict: Verdict) -> str:
    """Return a line for each cell, the reasons below those that do not stand, and the counts."""
    lines = []
    for cell in verdict.cells:
        lines.append(f"{'DIFFERS' if cell.differs else 'stands ':7}  {cell.table}  {cell.name}  {cell.value}")
        lines += [f"           {one_line(reason)}" for reason in cell.differs]
    lines += [f"DIFFERS  {one_line(check.differs)}" for check in verdict.others if check.differs]
    lines += [f"made by  {code}  {path}" for path, code in verdict.made_by.items()]
    lines.append(f"checked by  {describe_state(git_state())}")
    wrong = sum(bool(cell.differs) for cell in verdict.cells)
    others = sum(bool(check.differs) for check in verdict.others)
    lines.append(
        f"{len(verdict.cells)} numbers: {len(verdict.cells) - wrong} stand, {wrong} differ; "
        f"{len(verdict.others)} files of tables and figures: {len(verdict.others) - others} stand, {others} differ"
    )
    return "\n".join(lines)


if __name__ == "__main__":
    run_script(main)
