"""French inflection, against tables written by hand."""

import pytest

from demo_grammar import morphology_french as french
from demo_grammar.lexicon import VERBS, Verb


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


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: f"{verb.english}-{verb.french}-{verb.frame}")
def test_every_verb_conjugates(verb: Verb) -> None:
    for person, many in ((1, False), (3, True)):
        assert french.present(verb.french, person, many)
        assert french.future(verb.french, person, many)
    assert french.past_participle(verb.french).endswith(("é", "i", "u", "t", "s"))
