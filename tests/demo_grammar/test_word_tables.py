"""The word lists: every cell is valid, and nothing selects words that no table has."""

import pytest

from demo_grammar.lexicon import ADJECTIVES, ADVERBS, AT_PLACE, NOUNS, SPATIAL, TO_PLACE, VERBS
from demo_grammar.word_tables import WORDS, read_forms, read_table

TABLES = sorted(path.stem for path in WORDS.iterdir())
CLOSED = {  # column: what its cells may hold
    "german_gender": {"m", "f", "n"},
    "french_gender": {"m", "f"},
    "pronoun": {"he", "she", "it", ""},
    "case": {"accusative", "dative"},
    "to_case": {"accusative", "dative"},
    "role": {"time", "frequency", "manner"},
    **{
        flag: {"yes", ""}
        for flag in ("german_weak", "reflexive", "french_reflexive", "french_clitic", "french_before", "to")
    },
}
VERB_TRAITS = set(
    "stative generic unintended pleasant durative instant located placeless cutting to-recipient same-past".split()
)
NOUN_TAGS = {tag for noun in NOUNS for tag in (noun.kind, noun.english, *noun.tags)}


@pytest.mark.parametrize("name", TABLES)
def test_every_row_has_a_clean_cell_for_each_column(name: str) -> None:
    text = (WORDS / f"{name}.tsv").read_text(encoding="utf-8")
    header, *rows = [line.split("\t") for line in text.removesuffix("\n").split("\n")]
    assert {len(row) for row in rows} == {len(header)} == {len(set(header))}
    assert [row for row in rows if not row[-1]] == [], "an editor that strips spaces would shorten the row"
    assert [row for row in rows for cell in row if " ".join(cell.split()) != cell] == []
    assert len({tuple(row) for row in rows}) == len(rows)


@pytest.mark.parametrize("name", TABLES)
def test_cells_hold_what_their_column_allows(name: str) -> None:
    for row in read_table(name):
        for column in CLOSED.keys() & row.keys():
            assert row[column] in CLOSED[column], (column, row)


@pytest.mark.parametrize("name", ["nouns", "places", "adjectives", "function_words"])
def test_a_word_is_listed_once(name: str) -> None:
    words = [row["english"] for row in read_table(name)]
    assert sorted(set(words)) == sorted(words)


@pytest.mark.parametrize("language", ["english", "german", "french"])
def test_an_irregular_verb_is_listed_once(language: str) -> None:
    table = f"{language}_irregular_verbs"
    assert len(read_forms(table)) == len(read_table(table))


def test_a_mass_noun_has_no_plural_in_any_language() -> None:
    for noun in NOUNS:
        plurals = (noun.english_plural, noun.german_plural, noun.french_plural)
        assert all(plurals) or not any(plurals), noun.english


def test_every_place_has_prepositions() -> None:
    places = {noun.english for noun in NOUNS if noun.kind == "place"}
    assert places == AT_PLACE.keys() == TO_PLACE.keys()


def test_words_select_nouns_by_tags_that_some_noun_has() -> None:
    selected = {tag for verb in VERBS for tag in verb.subjects | verb.objects}
    selected |= {tag for adjective in ADJECTIVES for tag in adjective.tags}
    selected |= {tag for preposition in SPATIAL for tag in preposition.tags}
    selected |= {noun for adjective in ADJECTIVES for noun in adjective.unfit_nouns}
    assert selected - NOUN_TAGS == {"town"}


def test_verbs_have_known_traits_and_manners_that_some_adverb_has() -> None:
    assert {trait for verb in VERBS for trait in verb.traits} == VERB_TRAITS
    manners = {kind for adverb in ADVERBS if adverb.role == "manner" for kind in adverb.kinds}
    assert {manner for verb in VERBS for manner in verb.manners} == manners
    assert {trait for adjective in ADJECTIVES for trait in adjective.traits} == {"state", "attributive"}
