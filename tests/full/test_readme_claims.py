"""README's counts of claims are what the present code finds in the published counts of sentences.

It makes the tables and the claims again from the packed runs of docs/results/.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from fake_runs import LITERATURE, PAPER_SETTINGS, ROOT

from transformer.report.packed_runs import unpack
from transformer.tables.cells import Table
from transformer.tables.claims import MODELS, judge, verdict_of
from transformer.tables.claims_file import read_claims
from transformer.tables.literature import read_literature
from transformer.tables.runs import AVERAGED, LAST, PARSES, read_runs
from transformer.tables.scored_rows import scored_rows
from transformer.tables.table2 import build_table2
from transformer.tables.table3 import build_table3
from transformer.tables.table4 import build_table4

PAPER = read_literature(LITERATURE)
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())


def folders_with(files: Mapping[str, str]) -> list[Path]:
    """The folders of the runs that have all of these files, base first; of Table 2 those of its two runs."""
    folders = sorted(
        path for path in Path("runs").glob("*/*") if all((path / file).exists() for file in files.values())
    )
    runs = ("base", "big") if files == AVERAGED else ("",)
    return [folder for run in runs for folder in folders if folder.parts[1].startswith(run)]


def tables_of(scale: str) -> list[Table]:
    """Tables 2, 3 and 4 as far as the runs that are published make them."""
    for path, text in unpack(ROOT / "docs" / "results" / scale / "runs").items():
        Path("runs", path).parent.mkdir(parents=True, exist_ok=True)
        Path("runs", path).write_text(text, encoding="utf-8")
    tables = []
    if folders := folders_with(AVERAGED):
        tables.append(build_table2(PAPER, read_runs(folders)))
    if folders := folders_with(LAST):
        runs = [run for run in read_runs(folders, LAST) if run.pair == "en-de"]
        tables.append(build_table3(PAPER, runs, PAPER_SETTINGS))
    if folders := folders_with(PARSES):
        tables.append(build_table4(PAPER, read_runs(folders, PARSES)))
    return tables


@pytest.mark.parametrize("scale", ["demo-long", "small-table3"])
def test_the_verdicts_on_claims_are_those_of_the_published_campaigns(
    scale: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever has several quantities counts once."""
    monkeypatch.chdir(tmp_path)
    claims = read_claims(ROOT / "resources" / "claims.yaml")
    judgements = judge(claims, scored_rows(tables_of(scale)), PAPER)
    names = dict.fromkeys(of.claim["claim"] for of in judgements if of.about == MODELS)
    verdicts = {claim: verdict_of(claim, judgements) for claim in names}
    counts = Counter(verdicts.values())
    fails = "none fails" if not counts["fails"] else f"{counts['fails']} fail{'s' * (counts['fails'] == 1)}"
    untested = f", {counts['untested']} untested" if counts["untested"] else ""
    decided = f"of {len(verdicts)} claims, {counts['holds']} hold, {fails}"
    sentence = f"{decided}, {counts['undecided']} are undecided{untested};"
    assert sentence in README.replace("claims of the paper,", "claims,")
