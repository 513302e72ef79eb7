"""BLEU by sentence length: thirds of the test set, scored by themselves."""

from pathlib import Path

import pandas as pd
import pytest
from fake_runs import MakeRun
from made_artifacts import change
from rendered import PAPER, csv_rows, formats

from transformer.common.artifacts import write_artifact
from transformer.common.files import file_record, sha256_of
from transformer.page.make_page import page
from transformer.scoring.multi_bleu import COUNTS, multi_bleu
from transformer.tables.cells import content
from transformer.tables.runs import read_runs
from transformer.tables.table2_by_length import build_table2_by_length

PAIRS = ["en-de", "en-fr"]


def with_lengths(folder: Path, *lengths: int) -> Path:
    """Give the sentences of a run references of these lengths; the longer, the more of its n-grams match."""
    path = folder / "scores.csv"
    rows = pd.read_csv(path).iloc[: len(lengths)].assign(reference_length=lengths)
    rows["matches_1"] = rows["matches_2"] = rows["matches_3"] = rows["matches_4"] = rows["reference_length"]
    rows.to_csv(path, index=False)
    change(folder / "scores.json", per_sentence=file_record(path))
    return folder


@pytest.fixture
def folders(make_run: MakeRun) -> list[Path]:
    runs = [make_run(run, "en-de", bleu=50.0, scale="my scale") for run in ("base", "big")]
    return [with_lengths(run, 3, 9, 4, 12, 5, 20) for run in runs]


def test_each_third_is_scored_by_itself(folders: list[Path]) -> None:
    table = build_table2_by_length(PAPER, read_runs(folders), PAIRS)
    rows = csv_rows(formats(table)["csv"])
    assert [row["run"] for row in rows] == ["base", "big"]
    counts = pd.read_csv(folders[0] / "scores.csv")
    for third, chosen in (("short", [0, 2]), ("middle", [1, 4]), ("long", [3, 5])):
        sums = counts.loc[chosen, list(COUNTS)].sum().to_numpy()
        assert float(rows[0][f"bleu_en-de_{third}"]) == pytest.approx(multi_bleu(sums).value, abs=1e-4)
        low, value, high = (float(rows[0][f"bleu_en-de_{third}{end}"]) for end in ("_low", "", "_high"))
        assert low <= value <= high
    assert rows[0]["bleu_en-fr_long"] == ""
    assert rows[0]["scores_sha256_en-de"] == sha256_of(folders[0] / "scores.csv")
    for text in (formats(table)["md"], formats(table)["tex"]):
        assert "EN-DE 3 to 4, 5 to 9, 12 to 20." in text


def test_the_page_shows_it_with_the_files_behind_it(folders: list[Path]) -> None:
    table = build_table2_by_length(PAPER, read_runs(folders), ["en-de"])
    write_artifact("results/my scale/tables/table2_by_length.json", content(table))
    shown = page(Path("results/my scale"), {"commit": "abc", "record": "none"})
    assert "<h3>Table 2 by sentence length</h3>" in shown
    assert shown.count('class="number"') == 6
    assert f'"{folders[0]}/scores.csv"' in shown
