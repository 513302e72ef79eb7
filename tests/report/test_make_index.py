"""The index of the results."""

from pathlib import Path

from transformer.common.files import sha256_of
from transformer.report.make_index import index


def test_each_file_with_what_it_is_and_its_sha256(tmp_path: Path) -> None:
    results = tmp_path / "results"
    (results / "figures").mkdir(parents=True)
    files = [results / "table9.tex", results / "table9.csv", results / "figures" / "wave.pdf"]
    for file in files:
        file.write_text(file.name)
    captions = {"tables": {"table9": "What table9 shows."}, "figures": {"wave": "What wave shows."}}
    text = index({"scale": "`demo`", "commit": "abc"}, files, results, captions)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if "](" in line]
    assert rows == [
        ["[table9.tex](table9.tex)", "What table9 shows.", f"`{sha256_of(files[0])}`"],
        ["[table9.csv](table9.csv)", "the same", f"`{sha256_of(files[1])}`"],
        ["[figures/wave.pdf](figures/wave.pdf)", "What wave shows.", f"`{sha256_of(files[2])}`"],
    ]
    assert "| commit | abc" in text
