"""resources/literature.yaml says what the paper says."""

import re
from pathlib import Path

from rendered import PAPER

REFERENCES = Path(__file__).parents[2] / "resources" / "references.bib"


def test_rows_of_the_paper() -> None:
    assert list(PAPER.models["row"]) == list(range(1, 11))
    assert PAPER.models["label"][0] == "ByteNet [18]"
    big = PAPER.models.iloc[-1]
    values = ["run", "bleu.en-de", "bleu.en-fr", "training_cost.en-de", "training_cost.both"]
    assert list(big[values]) == ["big", "28.4", "41.8", "", "2.3e19"]
    assert [other["value"] for other in big["differs"]] == ["41.0"]


def test_parsers_of_the_paper() -> None:
    parsers = PAPER.parsers
    assert list(parsers["row"]) == list(range(1, 13))
    ours = parsers[parsers["run"] != ""]
    assert {row.run: (row.training, row.f1) for row in ours.itertuples()} == {
        "parser": ("WSJ only, discriminative", "91.3"),
        "parser-semi": ("semi-supervised", "92.7"),
    }
    assert list(parsers.loc[parsers["note"] != "", "label"]) == ["Luong et al. (2015) [23]"]
    trainings = list(parsers["training"])  # in four blocks
    assert [trainings.count(name) for name in dict.fromkeys(trainings)] == [5, 5, 1, 1]


def test_every_work_that_a_table_cites_has_an_entry() -> None:
    cited = {number for rows in (PAPER.models, PAPER.parsers) for number in rows["reference"] if number}
    entries = re.findall(r"^@\w+\{ref(\d+),$", REFERENCES.read_text(), re.MULTILINE)
    assert [int(number) for number in entries] == sorted(cited)
