"""Forms that a rule of spelling changes, or that an ending changes: a word or two of each class."""

import pytest

from demo_grammar import morphology_english as english
from demo_grammar import morphology_french as french
from demo_grammar import morphology_german as german

# Present: je, nous, ils; imperfect: il, nous; future: je.
FRENCH_VERBS = {
    "parler": "parle parlons parlent parlait parlions parlerai",
    "manger": "mange mangeons mangent mangeait mangions mangerai",
    "protéger": "protège protégeons protègent protégeait protégions protégerai",
    "commencer": "commence commençons commencent commençait commencions commencerai",
    "acheter": "achète achetons achètent achetait achetions achèterai",
    "espérer": "espère espérons espèrent espérait espérions espérerai",
    "appeler": "appelle appelons appellent appelait appelions appellerai",
    "jeter": "jette jetons jettent jetait jetions jetterai",
    "essayer": "essaie essayons essaient essayait essayions essaierai",
    "envoyer": "envoie envoyons envoient envoyait envoyions enverrai",
    "oublier": "oublie oublions oublient oubliait oubliions oublierai",
    "punir": "punis punissons punissent punissait punissions punirai",
    "vendre": "vends vendons vendent vendait vendions vendrai",
    "plaindre": "plains plaignons plaignent plaignait plaignions plaindrai",
    "voir": "vois voyons voient voyait voyions verrai",
    "être": "suis sommes sont était étions serai",
}


@pytest.mark.parametrize(("verb", "forms"), FRENCH_VERBS.items())
def test_french_verbs(verb: str, forms: str) -> None:
    present = (french.present(verb, *who) for who in ((1, False), (1, True), (3, True)))
    imperfect = (french.imperfect(verb, *who) for who in ((3, False), (1, True)))
    assert " ".join([*present, *imperfect, french.future(verb, 1, False)]) == forms


@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        ("ouvrir", "ouvert ouverte ouverts ouvertes"),
        ("mettre", "mis mise mis mises"),
        ("devoir", "dû due dus dues"),
        ("oublier", "oublié oubliée oubliés oubliées"),
    ],
)
def test_french_participles(verb: str, forms: str) -> None:
    found = [french.past_participle(verb, gender, many) for many in (False, True) for gender in "mf"]
    assert " ".join(found) == forms


# Present: ich, er, wir; participle; infinitive with zu.
@pytest.mark.parametrize(
    ("verb", "separable", "forms"),
    [
        ("kaufen", "", "kaufe kauft kaufen gekauft zu kaufen"),
        ("arbeiten", "", "arbeite arbeitet arbeiten gearbeitet zu arbeiten"),
        ("schneiden", "", "schneide schneidet schneiden geschnitten zu schneiden"),
        ("öffnen", "", "öffne öffnet öffnen geöffnet zu öffnen"),
        ("zeichnen", "", "zeichne zeichnet zeichnen gezeichnet zu zeichnen"),
        ("wohnen", "", "wohne wohnt wohnen gewohnt zu wohnen"),
        ("lächeln", "", "lächle lächelt lächeln gelächelt zu lächeln"),
        ("füttern", "", "füttere füttert füttern gefüttert zu füttern"),
        ("reisen", "", "reise reist reisen gereist zu reisen"),
        ("waschen", "", "wasche wäscht waschen gewaschen zu waschen"),
        ("laufen", "", "laufe läuft laufen gelaufen zu laufen"),
        ("reparieren", "", "repariere repariert reparieren repariert zu reparieren"),
        ("besuchen", "", "besuche besucht besuchen besucht zu besuchen"),
        ("räumen", "auf", "räume räumt räumen aufgeräumt aufzuräumen"),
        ("wissen", "", "weiß weiß wissen gewusst zu wissen"),
    ],
)
def test_german_verbs(verb: str, separable: str, forms: str) -> None:
    present = (german.present(verb, *who) for who in ((1, False), (3, False), (1, True)))
    participle, infinitive = german.past_participle(verb, separable), german.zu_infinitive(verb, separable)
    assert " ".join([*present, participle, *infinitive]) == forms


# Genitive, dative plural.
@pytest.mark.parametrize(
    ("singular", "plural", "weak", "forms"),
    [
        ("Apfel", "Äpfel", False, "Apfels Äpfeln"),
        ("Haus", "Häuser", False, "Hauses Häusern"),
        ("Keks", "Kekse", False, "Kekses Keksen"),
        ("Bus", "Busse", False, "Busses Bussen"),
        ("Foto", "Fotos", False, "Fotos Fotos"),
        ("Garten", "Gärten", False, "Gartens Gärten"),
        ("Bauer", "Bauern", True, "Bauern Bauern"),
        ("Bär", "Bären", True, "Bären Bären"),
    ],
)
def test_german_nouns(singular: str, plural: str, weak: bool, forms: str) -> None:
    genitive = german.noun_form(singular, plural, "m", weak, "genitive", many=False)
    assert f"{genitive} {german.noun_form(singular, plural, 'm', weak, 'dative', many=True)}" == forms


# Third person, simple past, participle, gerund.
@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        ("play", "plays played played playing"),
        ("carry", "carries carried carried carrying"),
        ("close", "closes closed closed closing"),
        ("see", "sees saw seen seeing"),
        ("watch", "watches watched watched watching"),
        ("stop", "stops stopped stopped stopping"),
        ("answer", "answers answered answered answering"),
        ("travel", "travels travelled travelled travelling"),
        ("forget", "forgets forgot forgotten forgetting"),
        ("go", "goes went gone going"),
    ],
)
def test_english_verbs(verb: str, forms: str) -> None:
    found = [english.third_person(verb), english.past(verb), english.past_participle(verb)]
    assert " ".join([*found, english.gerund(verb)]) == forms


@pytest.mark.parametrize(
    ("word", "article"), [("apple", "an"), ("honest", "an"), ("university", "a"), ("hat", "a")]
)
def test_indefinite_article(word: str, article: str) -> None:
    assert english.indefinite_article(word) == article
