"""Inflection, against tables written by hand."""

import pytest

from demo_grammar import morphology_english as english
from demo_grammar import morphology_french as french
from demo_grammar import morphology_german as german
from demo_grammar.lexicon import VERBS

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


@pytest.mark.parametrize(
    ("infinitive", "je", "il", "nous", "ils", "future", "imperfect", "participle"),
    [
        ("parler", "parle", "parle", "parlons", "parlent", "parlera", "parlait", "parlé"),
        ("manger", "mange", "mange", "mangeons", "mangent", "mangera", "mangeait", "mangé"),
        ("commencer", "commence", "commence", "commençons", "commencent", "commencera", "commençait", "commencé"),
        ("acheter", "achète", "achète", "achetons", "achètent", "achètera", "achetait", "acheté"),
        ("appeler", "appelle", "appelle", "appelons", "appellent", "appellera", "appelait", "appelé"),
        ("espérer", "espère", "espère", "espérons", "espèrent", "espérera", "espérait", "espéré"),
        ("essayer", "essaie", "essaie", "essayons", "essaient", "essaiera", "essayait", "essayé"),
        ("lever", "lève", "lève", "levons", "lèvent", "lèvera", "levait", "levé"),
        ("choisir", "choisis", "choisit", "choisissons", "choisissent", "choisira", "choisissait", "choisi"),
        ("attendre", "attends", "attend", "attendons", "attendent", "attendra", "attendait", "attendu"),
        ("être", "suis", "est", "sommes", "sont", "sera", "était", "été"),
        ("voir", "vois", "voit", "voyons", "voient", "verra", "voyait", "vu"),
    ],
)  # fmt: skip
def test_french_verbs(
    infinitive: str, je: str, il: str, nous: str, ils: str, future: str, imperfect: str, participle: str
) -> None:
    forms = [french.present(infinitive, person, many) for many in (False, True) for person in (1, 3)]
    assert forms == [je, il, nous, ils]
    assert french.future(infinitive, 3, False) == future
    assert french.imperfect(infinitive, 3, False) == imperfect
    assert french.past_participle(infinitive) == participle


def test_french_participles_agree() -> None:
    forms = [french.past_participle("mettre", gender, many) for gender in "mf" for many in (False, True)]
    assert forms == ["mis", "mis", "mise", "mises"]
    assert french.past_participle("aller", "f", True) == "allées"


def test_french_forms_before_vowels() -> None:
    assert french.elided(["le", "homme"]) == ["l'homme"]
    assert french.elided(["le", "hérisson"]) == ["le", "hérisson"]
    assert french.elided(["parce que", "elle"]) == ["parce qu'elle"]
    assert french.elided(["si", "il"]) == ["s'il"]
    assert french.elided(["si", "elle"]) == ["si", "elle"]
    assert french.elided(["je", "ai"]) == ["j'ai"]
    assert french.before("vieux", "homme") == "vieil"
    assert french.before("ma", "école") == "mon"
    assert french.before("ce", "hibou") == "ce"


def test_french_contractions() -> None:
    assert french.contracted("de", ["le", "roi"]) == ["du", "roi"]
    assert french.contracted("à", ["les", "enfants"]) == ["aux", "enfants"]
    assert french.contracted("à", ["le", "enfant"]) == ["à", "le", "enfant"]  # elides later: "à l'enfant"
    assert french.contracted("à côté de", ["le", "lit"]) == ["à", "côté", "du", "lit"]
    assert french.contracted("de", ["la", "reine"]) == ["de", "la", "reine"]


def test_english_forms() -> None:
    assert [english.third_person(verb) for verb in ("go", "carry", "play", "catch")] == [
        "goes",
        "carries",
        "plays",
        "catches",
    ]
    assert [english.gerund(verb) for verb in ("write", "swim", "travel")] == [
        "writing",
        "swimming",
        "travelling",
    ]
    assert [english.past(verb) for verb in ("stop", "hurry", "like", "sing")] == [
        "stopped",
        "hurried",
        "liked",
        "sang",
    ]
    articles = [
        english.indefinite_article(word) for word in ("apple", "university", "honest", "old", "house")
    ]
    assert articles == ["an", "a", "an", "an", "a"]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: f"{verb.english}-{verb.german}-{verb.frame}")
def test_every_verb_conjugates(verb) -> None:
    for person, many in ((1, False), (3, True)):
        assert german.present(verb.german, person, many)
        assert french.present(verb.french, person, many)
        assert french.future(verb.french, person, many)
    assert german.past_participle(verb.german).endswith(("t", "n"))
    assert french.past_participle(verb.french).endswith(("é", "i", "u", "t", "s"))
