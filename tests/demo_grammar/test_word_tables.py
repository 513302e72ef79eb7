"""The tables of words: a wrong cell is reported with its line, and nothing selects words that no table has."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from demo_grammar import word_tables
from demo_grammar.lexicon import (
    ADJECTIVES,
    ADVERBS,
    FRENCH_VERBS,
    GERMAN_VERBS,
    NOUNS,
    PLACES,
    SPATIAL,
    VERBS,
    Adjective,
    FrenchVerb,
    Noun,
)
from demo_grammar.word_tables import WORDS, WordError, read_by_word

NOUN_TAGS = {tag for noun in NOUNS for tag in (noun.kind, noun.english, *noun.tags)}
SCRIPT = Path(__file__).parents[2] / "src/transformer/corpus/generate_demo.py"


@pytest.mark.parametrize("name", sorted(path.name for path in WORDS.iterdir()))
def test_no_row_ends_with_an_empty_cell_or_is_listed_twice(name: str) -> None:
    rows = (WORDS / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")
    assert [row for row in rows if row.endswith("\t")] == [], (
        "an editor that strips spaces would shorten the row"
    )
    assert len(set(rows)) == len(rows)


def test_words_select_nouns_by_tags_that_some_noun_has() -> None:
    selected = {tag for verb in VERBS for tag in verb.subjects | verb.objects}
    selected |= {tag for adjective in ADJECTIVES for tag in adjective.tags}
    selected |= {tag for preposition in SPATIAL for tag in preposition.tags}
    selected |= {noun for adjective in ADJECTIVES for noun in adjective.unfit_nouns}
    assert selected - NOUN_TAGS == {"town"}
    assert {noun.english for noun in NOUNS if noun.kind == "place"} == PLACES.keys()


def test_verbs_have_manners_that_some_adverb_has() -> None:
    manners = {kind for adverb in ADVERBS if adverb.role == "manner" for kind in adverb.kinds}
    assert {manner for verb in VERBS for manner in verb.manners} == manners


def test_forms_end_as_those_of_every_verb_do() -> None:
    """Slips in rows that were written by hand; irregular verbs keep these laws, too."""
    for french in FRENCH_VERBS.values():
        stem = french.future[0].removesuffix("ai")
        assert french.future == (f"{stem}ai", f"{stem}a", f"{stem}ons", f"{stem}ont")
        stem = french.imperfect[0].removesuffix("ais")
        soft = stem.removesuffix("e") if stem.endswith("ge") else stem.replace("ç", "c")
        assert french.imperfect == (f"{stem}ais", f"{stem}ait", f"{soft}ions", f"{stem}aient")
    for german in GERMAN_VERBS.values():
        zu = f"{german.separable}zu" if german.separable else "zu "
        assert german.zu_infinitive == zu + german.infinitive.removeprefix(german.separable)
        assert german.past_participle.startswith(german.separable)
        assert german.infinitive in (german.separable + german.present[2], "sein")


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


def test_a_verb_without_its_german_forms(tmp_path: Path) -> None:
    """What a user sees who adds one."""
    shutil.copytree(WORDS.parent, tmp_path / "demo_grammar")
    table = tmp_path / "demo_grammar" / "words" / "german_verbs.tsv"
    rows = table.read_text(encoding="utf-8").splitlines(keepends=True)
    table.write_text("".join(row for row in rows if not row.startswith("schlafen\t")), encoding="utf-8")
    sizes = "--sentences 3 --dev 1 --test 1 --seed 1 --output-dir".split()
    command = [sys.executable, str(SCRIPT), *sizes, str(tmp_path / "raw")]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    failed = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert failed.returncode == 1
    said = r"error: \S+/verbs.tsv, line \d+: add the forms of 'schlafen' to german_verbs.tsv\n"
    assert re.fullmatch(said, failed.stderr)
    assert not (tmp_path / "raw").exists()
