"""Derivations made by hand, against the sentences that a speaker would write."""

from dataclasses import replace

import pytest
from grammar_cases import adjective, noun, the, town, verb

from demo_grammar import realise
from demo_grammar.derivation import (
    Clause,
    NounPhrase,
    PrepositionalPhrase,
    Pronoun,
    Question,
    Relative,
    Sentence,
    Subordination,
    VerbPhrase,
)
from demo_grammar.lexicon import ADVERBS, BE, MODALS, NAMES, SPATIAL, Preposition

ANNA = next(name for name in NAMES if name.text == "Anna")
SHE = Pronoun(3, False, "f")
ABOUT = Preposition("about", "über", "sur", "accusative")
YESTERDAY = next(adverb for adverb in ADVERBS if adverb.german == "gestern")
ON = SPATIAL[0]
CLOSE = verb("zumachen")
GIRL_WAITS = Clause(the("girl"), VerbPhrase(verb("warten"), "past", object=the("bus")))

CASES: dict[str, tuple[Sentence, str, str, str]] = {
    "separable verb in a main clause": (
        Clause(the("man", "old"), VerbPhrase(CLOSE, object=the("door"))),
        "The old man closes the door.",
        "Der alte Mann macht die Tür zu.",
        "Le vieil homme ferme la porte.",
    ),
    "separable verb at the end of a subordinate clause": (
        Subordination(
            Clause(ANNA, VerbPhrase(verb("lachen"))),
            "because",
            Clause(SHE, VerbPhrase(CLOSE, object=the("door"))),
            False,
        ),
        "Anna laughs because she closes the door.",
        "Anna lacht, weil sie die Tür zumacht.",
        "Anna rit parce qu'elle ferme la porte.",
    ),
    "fronted time, perfect with sein and être": (
        Clause(the("woman"), VerbPhrase(verb("aufstehen"), "past"), fronted=YESTERDAY),
        "Yesterday, the woman got up.",
        "Gestern ist die Frau aufgestanden.",
        "Hier, la femme s'est levée.",
    ),
    "kein and pas de": (
        Clause(
            the("child"), VerbPhrase(verb("essen"), "past", negated=True, object=the("apple", determiner="a"))
        ),
        "The child did not eat an apple.",
        "Das Kind hat keinen Apfel gegessen.",
        "L'enfant n'a pas mangé de pomme.",
    ),
    "nicht before a prepositional object, which French makes direct": (
        Clause(the("girl"), replace(GIRL_WAITS.predicate, negated=True)),
        "The girl did not wait for the bus.",
        "Das Mädchen hat nicht auf den Bus gewartet.",
        "La fille n'a pas attendu le bus.",
    ),
    "relative clause on a prepositional object": (
        Clause(
            the("bus", "red", relative=Relative("object", Clause(ANNA, VerbPhrase(verb("warten"))))),
            VerbPhrase(BE, predicates=(adjective("old"),)),
        ),
        "The red bus for which Anna waits is old.",
        "Der rote Bus, auf den Anna wartet, ist alt.",
        "Le bus rouge qu'Anna attend est vieux.",
    ),
    "participle agrees with the object that a relative clause puts before it": (
        Clause(
            the(
                "flower",
                plural=True,
                relative=Relative("object", Clause(SHE, VerbPhrase(verb("kaufen"), "past"))),
            ),
            VerbPhrase(BE, predicates=(adjective("red"),)),
        ),
        "The flowers that she bought are red.",
        "Die Blumen, die sie gekauft hat, sind rot.",
        "Les fleurs qu'elle a achetées sont rouges.",
    ),
    "whose": (
        Clause(
            the(
                "woman",
                relative=Relative(
                    "possessor",
                    Clause(the("dog", "old", determiner="possessed"), VerbPhrase(verb("schlafen"))),
                ),
            ),
            VerbPhrase(verb("singen")),
        ),
        "The woman whose old dog sleeps sings.",
        "Die Frau, deren alter Hund schläft, singt.",
        "La femme dont le vieux chien dort chante.",
    ),
    "genitive": (
        Clause(
            NounPhrase(noun("dog"), determiner="possessed", possessor=the("neighbour", determiner="my")),
            VerbPhrase(verb("fressen"), object=NounPhrase(noun("meat"), determiner="bare")),
        ),
        "My neighbour's dog eats meat.",
        "Der Hund meines Nachbarn frisst Fleisch.",
        "Le chien de mon voisin mange de la viande.",
    ),
    "two-way preposition, direction": (
        Clause(
            ANNA,
            VerbPhrase(
                verb("stellen"),
                object=the("cup"),
                complement=PrepositionalPhrase(replace(ON, case="accusative"), the("table", "small")),
            ),
        ),
        "Anna puts the cup on the small table.",
        "Anna stellt die Tasse auf den kleinen Tisch.",
        "Anna met la tasse sur la petite table.",
    ),
    "two-way preposition, place": (
        Clause(
            the("cup"),
            VerbPhrase(BE, complement=PrepositionalPhrase(replace(ON, case="dative"), the("table", "small"))),
        ),
        "The cup is on the small table.",
        "Die Tasse ist auf dem kleinen Tisch.",
        "La tasse est sur la petite table.",
    ),
    "pronouns take the gender of their noun": (
        Clause(
            ANNA,
            VerbPhrase(verb("kaufen"), "past", object=the("table")),
            VerbPhrase(verb("verkaufen"), "past", object=Pronoun(3, False, "n", noun("table"))),
        ),
        "Anna bought the table and sold it.",
        "Anna hat den Tisch gekauft und ihn verkauft.",
        "Anna a acheté la table et l'a vendue.",
    ),
    "dative verb, modal, clitic before the infinitive": (
        Clause(the("king"), VerbPhrase(verb("antworten"), modal=MODALS[0], object=SHE)),
        "The king can answer her.",
        "Der König kann ihr antworten.",
        "Le roi peut lui répondre.",
    ),
    "zu inside a separable verb, reflexive of the first person": (
        Clause(Pronoun(1, False), VerbPhrase(verb("versuchen"), infinitive=VerbPhrase(verb("ausruhen")))),
        "I try to rest.",
        "Ich versuche, mich auszuruhen.",
        "J'essaie de me reposer.",
    ),
    "likes to": (
        Clause(Pronoun(3, True), VerbPhrase(verb("spielen", frame="music"), likes=True, object=the("piano"))),
        "They like to play the piano.",
        "Sie spielen gern Klavier.",
        "Ils aiment jouer du piano.",
    ),
    "when is als in the past, and stands first": (
        Subordination(Clause(ANNA, VerbPhrase(verb("lachen"), "past")), "when", GIRL_WAITS, True),
        "When the girl waited for the bus, Anna laughed.",
        "Als das Mädchen auf den Bus gewartet hat, hat Anna gelacht.",
        "Quand la fille a attendu le bus, Anna a ri.",
    ),
    "a preposition and a pronoun of a thing are one word, or a clitic": (
        Clause(
            the("woman"),
            VerbPhrase(verb("lesen"), "past", object=the("letter")),
            VerbPhrase(
                verb("sprechen", frame="transitive"), "past", object=Pronoun(3, False, "n", noun("letter"))
            ),
        ),
        "The woman read the letter and talked about it.",
        "Die Frau hat den Brief gelesen und darüber gesprochen.",
        "La femme a lu la lettre et en a parlé.",
    ),
    "a country has an article after sur": (
        Clause(
            ANNA,
            VerbPhrase(
                verb("lesen"),
                object=the("book", phrase=PrepositionalPhrase(ABOUT, town("Germany"))),
            ),
        ),
        "Anna reads the book about Germany.",
        "Anna liest das Buch über Deutschland.",
        "Anna lit le livre sur l'Allemagne.",
    ),
    "the plural of an adjective has no form before a vowel": (
        Clause(the("friend", "old", plural=True), VerbPhrase(verb("lachen"))),
        "The old friends laugh.",
        "Die alten Freunde lachen.",
        "Les vieux amis rient.",
    ),
    "question": (
        Question(Clause(the("hedgehog", determiner="a"), VerbPhrase(verb("schlafen"))), "why"),
        "Why does a hedgehog sleep?",
        "Warum schläft ein Igel?",
        "Pourquoi est-ce qu'un hérisson dort ?",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_sentence(name: str) -> None:
    derivation, english, german, french = CASES[name]
    example = realise(derivation)
    assert (example.english, example.german, example.french) == (english, german, french)


def test_tree() -> None:
    assert realise(CASES["genitive"][0]).tree == (
        "(S (NP (NP (PRP$ My) (NN neighbour) (POS 's)) (NN dog)) (VP (VBZ eats) (NP (NN meat))) (. .))"
    )
