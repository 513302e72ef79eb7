"""config/literature.yaml holds its schema, and says what the paper says."""

from pathlib import Path

import pytest
from fake_runs import LITERATURE, SCHEMA

from transformer.common.errors import UserError
from transformer.tables.cost import SUSTAINED_TFLOPS, estimated_flops
from transformer.tables.literature import OtherValue, read_literature


def test_rows_of_the_paper() -> None:
    literature = read_literature(LITERATURE, SCHEMA)
    assert [row.row for row in literature.rows] == list(range(1, 11))
    assert literature.rows[0].label == "ByteNet [18]"
    big = literature.rows[-1]
    assert (big.run, big.bleu, big.training_cost) == (
        "big",
        {"en-de": "28.4", "en-fr": "41.8"},
        {"both": "2.3e19"},
    )
    assert [other.value for other in big.differs] == ["41.0"]
    assert isinstance(big.differs[0], OtherValue)


def test_parsers_of_the_paper() -> None:
    parsers = read_literature(LITERATURE, SCHEMA).parsers
    assert [row.row for row in parsers] == list(range(1, 13))
    assert {row.run: (row.training, row.f1) for row in parsers if row.run} == {
        "parser": ("WSJ only, discriminative", "91.3"),
        "parser-semi": ("semi-supervised", "92.7"),
    }
    assert [row.label for row in parsers if row.note] == ["Luong et al. (2015) [23]"]
    trainings = [row.training for row in parsers]  # in four blocks
    assert [trainings.count(name) for name in dict.fromkeys(trainings)] == [5, 5, 1, 1]


def test_training_cost_of_the_transformers_follows_from_section_6_1() -> None:
    """8 P100 at 9.5 TFLOPS for 12 hours (base) and 3.5 days (big), sections 5.2 and 6.1."""
    base, big = read_literature(LITERATURE, SCHEMA).rows[-2:]
    for row, hours in ((base, 12), (big, 84)):
        estimate = estimated_flops(hours * 3600, 8, SUSTAINED_TFLOPS["P100"])
        assert f"{estimate:.1e}".replace("+", "") == row.training_cost["both"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('en-de: "23.75"', "en-de: 23.75", r"table2.rows.0.bleu.en-de: 23.75 is not of type 'string'"),
        ("block: single,", "blok: single,", r"table2.rows.0: .*blok"),
        ("training: multi-task", "training: multitask", "table4.rows.10.training: unknown value 'multitask'"),
        ("paper:", "paper: [", "line .*: not valid YAML"),
    ],
)
def test_a_wrong_key_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    wrong = tmp_path / "literature.yaml"
    wrong.write_text(LITERATURE.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UserError, match=message):
        read_literature(wrong, SCHEMA)
