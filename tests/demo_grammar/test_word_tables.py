"""The tables of words: a wrong cell is reported with its line, and nothing selects words that no table has."""

from pathlib import Path

import pytest

from demo_grammar import word_tables
from demo_grammar.lexicon import (
    Adjective,
    FrenchVerb,
    Noun,
)
from demo_grammar.word_tables import WORDS, WordError, read_by_word

SCRIPT = Path(__file__).parents[2] / "src/transformer/corpus/generate_demo.py"


@pytest.mark.parametrize("name", sorted(path.name for path in WORDS.iterdir()))
def test_no_row_ends_with_an_empty_cell_or_is_listed_twice(name: str) -> None:
    rows = (WORDS / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")
    assert [row for row in rows if row.endswith("\t")] == [], (
        "an editor that strips spaces would shorten the row"
    )
    assert len(set(rows)) == len(rows)


@pytest.mark.parametrize(
    ("kind", "old", "new", "problem"),
    [
        (Noun, "\tMannes\t", "\t\t", "line 2: german_genitive is ''; it must hold words"),
        (Noun, "\tMannes\t", "\tMannes \t", "line 2: german_genitive is 'Mannes '; it must hold words"),
        (Noun, "\tMannes\t", "\t", "line 2: it has 13 cells, but there are 14 columns, "),
        (Noun, "Männern\tm", "Männern\tr", "line 2: german_gender is 'r'; allowed are: m f n"),
        (Noun, "german_genitive", "genitive", "line 1: the header must name 14 columns, separated by tabs: "),
        (Noun, "woman\twomen", "man\twomen", "line 3: 'man' is listed twice"),
        (FrenchVerb, "suis est sommes", "suis est", "present is 'suis est sont'; it must hold 4 forms"),
        (Adjective, "vieilles\tyes", "vieilles\tno", "line 2: french_before is 'no'; allowed are: yes"),
        (Adjective, "\tstate\t", "\tstat\t", "traits is 'stat'; allowed are: state attributive"),
    ],
)
def test_a_wrong_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type, old: str, new: str, problem: str
) -> None:
    table = {Noun: "nouns", FrenchVerb: "french_verbs", Adjective: "adjectives"}[kind]
    text = (WORDS / f"{table}.tsv").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / f"{table}.tsv").write_text(text.replace(old, new, 1), encoding="utf-8")
    monkeypatch.setattr(word_tables, "WORDS", tmp_path)
    with pytest.raises(WordError) as error:
        read_by_word(kind, table)
    assert problem in str(error.value)
