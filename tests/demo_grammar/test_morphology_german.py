"""German inflection, against tables written by hand."""

import pytest

from demo_grammar import morphology_german as german
from demo_grammar.lexicon import VERBS, Verb

CASES = ("nominative", "accusative", "dative", "genitive")


def declined(
    determiner: str, adjective: str, forms: tuple[str, str], gender: str, many: bool, weak: bool = False
) -> list[str]:
    agreement = "p" if many else gender
    phrases = []
    for case in CASES:
        words = [
            german.determiner(determiner, agreement, case),
            german.adjective_form(adjective, determiner, agreement, case),
            german.noun_form(*forms, gender, weak, case, many),
        ]
        phrases.append(" ".join(filter(None, words)))
    return phrases


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ("the", "klein", ("Hund", "Hunde"), "m", False),
            ["der kleine Hund", "den kleinen Hund", "dem kleinen Hund", "des kleinen Hundes"],
        ),
        (
            ("the", "klein", ("Hund", "Hunde"), "m", True),
            ["die kleinen Hunde", "die kleinen Hunde", "den kleinen Hunden", "der kleinen Hunde"],
        ),
        (
            ("a", "klein", ("Hund", "Hunde"), "m", False),
            ["ein kleiner Hund", "einen kleinen Hund", "einem kleinen Hund", "eines kleinen Hundes"],
        ),
        (
            ("my", "alt", ("Haus", "Häuser"), "n", False),
            ["mein altes Haus", "mein altes Haus", "meinem alten Haus", "meines alten Hauses"],
        ),
        (
            ("our", "alt", ("Haus", "Häuser"), "n", True),
            ["unsere alten Häuser", "unsere alten Häuser", "unseren alten Häusern", "unserer alten Häuser"],
        ),
        (("bare", "kalt", ("Milch", ""), "f", False), ["kalte Milch", "kalte Milch", "kalter Milch", "kalter Milch"]),
        (
            ("many", "müde", ("Kind", "Kinder"), "n", True),
            ["viele müde Kinder", "viele müde Kinder", "vielen müden Kindern", "vieler müder Kinder"],
        ),
        (
            ("this", "jung", ("Student", "Studenten"), "m", False, True),
            ["dieser junge Student", "diesen jungen Studenten", "diesem jungen Studenten", "dieses jungen Studenten"],
        ),
        (
            ("every", "hoh", ("Brücke", "Brücken"), "f", False),
            ["jede hohe Brücke", "jede hohe Brücke", "jeder hohen Brücke", "jeder hohen Brücke"],
        ),
    ],
)  # fmt: skip
def test_german_declension(arguments: tuple, expected: list[str]) -> None:
    assert declined(*arguments) == expected


@pytest.mark.parametrize(
    ("singular", "plural", "gender", "weak", "genitive", "dative_plural"),
    [
        ("Lehrer", "Lehrer", "m", False, "Lehrers", "Lehrern"),
        ("Auto", "Autos", "n", False, "Autos", "Autos"),
        ("Haus", "Häuser", "n", False, "Hauses", "Häusern"),
        ("Frau", "Frauen", "f", False, "Frau", "Frauen"),
        ("Löwe", "Löwen", "m", True, "Löwen", "Löwen"),
        ("Bär", "Bären", "m", True, "Bären", "Bären"),
        ("Nachbar", "Nachbarn", "m", True, "Nachbarn", "Nachbarn"),
    ],
)  # fmt: skip
def test_german_nouns(
    singular: str, plural: str, gender: str, weak: bool, genitive: str, dative_plural: str
) -> None:
    assert german.noun_form(singular, plural, gender, weak, "genitive", False) == genitive
    assert german.noun_form(singular, plural, gender, weak, "dative", True) == dative_plural


@pytest.mark.parametrize(
    ("infinitive", "ich", "er", "wir", "participle"),
    [
        ("machen", "mache", "macht", "machen", "gemacht"),
        ("arbeiten", "arbeite", "arbeitet", "arbeiten", "gearbeitet"),
        ("zeichnen", "zeichne", "zeichnet", "zeichnen", "gezeichnet"),
        ("wohnen", "wohne", "wohnt", "wohnen", "gewohnt"),
        ("lächeln", "lächle", "lächelt", "lächeln", "gelächelt"),
        ("füttern", "füttere", "füttert", "füttern", "gefüttert"),
        ("besuchen", "besuche", "besucht", "besuchen", "besucht"),
        ("reparieren", "repariere", "repariert", "reparieren", "repariert"),
        ("sehen", "sehe", "sieht", "sehen", "gesehen"),
        ("wissen", "weiß", "weiß", "wissen", "gewusst"),
        ("können", "kann", "kann", "können", None),
        ("sein", "bin", "ist", "sind", "gewesen"),
    ],
)
def test_german_verbs(infinitive: str, ich: str, er: str, wir: str, participle: str | None) -> None:
    assert german.present(infinitive, 1, False) == ich
    assert german.present(infinitive, 3, False) == er
    assert german.present(infinitive, 1, True) == german.present(infinitive, 3, True) == wir
    if participle:
        assert german.past_participle(infinitive) == participle


def test_german_separable_verbs() -> None:
    assert german.past_participle("machen", "zu") == "zugemacht"
    assert german.past_participle("bereiten", "zu") == "zubereitet"
    assert german.zu_infinitive("machen", "zu") == ["zuzumachen"]
    assert german.zu_infinitive("öffnen", "") == ["zu", "öffnen"]
    assert german.auxiliary_of("stehen", "auf") == "sein"
    assert german.auxiliary_of("fahren", "") == "sein"
    assert german.auxiliary_of("machen", "zu") == "haben"


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: f"{verb.english}-{verb.german}-{verb.frame}")
def test_every_verb_conjugates(verb: Verb) -> None:
    for person, many in ((1, False), (3, True)):
        assert german.present(verb.german, person, many)
    assert german.past_participle(verb.german).endswith(("t", "n"))
