"""The numbers in README.md are those of the published files; tests/full/test_readme_claims.py counts its claims."""

from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())


def ours(scale: str) -> pd.DataFrame:
    table = pd.read_csv(RESULTS / scale / "table2.csv", dtype={"note": str})
    return table[table["origin"] == "ours"]


def test_the_rows_of_table_2_are_those_of_the_published_demo() -> None:
    for _, row in ours("demo").iterrows():
        cells = []
        for pair in ("en-de", "en-fr"):
            value, low, high = (row[f"bleu_{pair}{end}"] for end in ("", "_low", "_high"))
            is_marked = row[f"bleu_{pair}_p_holm"] < 0.05
            cells.append(f"{value:.1f} [{low:.1f}, {high:.1f}]{' †' if is_marked else ''}")
            cells.insert(-1, f"{row[f'bleu_{pair}_paper']:.1f}") if row[
                "measure"
            ] == "as in the paper" else None
        assert " ".join([row["model"] + ", ours, " + row["measure"], *cells]) in README


def test_big_and_base_on_real_language_are_those_that_are_published() -> None:
    table = ours("small").query("measure == 'as in the paper'").set_index("model")
    base, big = (table.loc[f"Transformer ({name})"] for name in ("base model", "big"))
    said = [f"{big[f'bleu_{pair}']:.1f} and {base[f'bleu_{pair}']:.1f}" for pair in ("en-de", "en-fr")]
    assert f"{said[0]} BLEU EN-DE, {said[1]} EN-FR" in README
