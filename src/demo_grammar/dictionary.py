"""A word-for-word dictionary of the demo corpus: the baseline that knows every word and no grammar."""

from functools import cache

from demo_grammar import english, morphology_english, morphology_french, morphology_german
from demo_grammar.english_trees import sentence, tokens
from demo_grammar.lexicon import (
    ADJECTIVES,
    FREQUENCIES,
    MANNERS,
    MODALS,
    NOUNS,
    TIMES,
    TOWNS,
    VERBS,
    Verb,
)

Entry = tuple[str, str]  # German, French; an empty string drops the word

# English | German | French, in the commonest form of each.
_FUNCTION_WORDS = """
    the | der | le
    a | ein | un
    an | ein | un
    this | dieser | ce
    these | diese | ces
    every | jeder | chaque
    many | viele | beaucoup de
    several | mehrere | plusieurs
    two | zwei | deux
    three | drei | trois
    four | vier | quatre
    my | mein | mon
    his | sein | son
    her | ihr | son
    our | unser | notre
    their | ihr | leur
    I | ich | je
    me | mich | me
    we | wir | nous
    us | uns | nous
    he | er | il
    him | ihn | le
    she | sie | elle
    it | es | le
    they | sie | ils
    them | sie | les
    and | und | et
    but | aber | mais
    because | weil | parce que
    when | wenn | quand
    if | wenn | si
    while | während | pendant que
    that | dass | que
    who | der | qui
    whom | den | que
    which | dem | laquelle
    whose | dessen | dont
    why | warum | pourquoi
    where | wo | où
    there | es | il
    is | ist | est
    are | sind | sont
    am | bin | suis
    be | sein | être
    was | war | était
    were | waren | étaient
    will | wird | va
    has | hat | a
    have | haben | ont
    had | hatte | avait
    do | |
    does | |
    did | hat | a
    to | zu | à
    not | nicht | pas
    of | von | de
    's | s | de
    in | in | dans
    on | auf | sur
    at | an | à
    under | unter | sous
    next | neben | à côté de
    front | vor | devant
    behind | hinter | derrière
    with | mit | avec
    from | aus | de
    about | über | de
    for | auf |
    after | um | de
    day | Tag | jour
    days | Tage | jours
    last | letzte | dernière
    week | Woche | semaine
    year | Jahr | année
    morning | Morgen | matin
    evening | Abend | soir
    summer | Sommer | été
    winter | Winter | hiver
    ago | vor | il y a
    May | Mai | mai
    Monday | Montag | lundi
    Tuesday | Dienstag | mardi
    Wednesday | Mittwoch | mercredi
    Thursday | Donnerstag | jeudi
    Friday | Freitag | vendredi
    Saturday | Samstag | samedi
    Sunday | Sonntag | dimanche
"""


@cache
def dictionary() -> dict[str, Entry]:
    """For each English word of the corpus the commonest German and French form of its commonest translation."""
    entries: dict[str, Entry] = {}
    for row in _FUNCTION_WORDS.strip().splitlines():
        word, german, french = (column.strip() for column in row.split("|"))
        entries.setdefault(word, (german, french))
    for modal in MODALS:
        german, french = modal.german, modal.french
        present = morphology_german.present(german, 3, False), morphology_french.present(french, 3, False)
        entries.setdefault(modal.present, present)
        entries.setdefault(morphology_english.third_person(modal.present), present)
        if modal.past:
            past = morphology_german.preterite(german, False), morphology_french.imperfect(french, 3, False)
            entries.setdefault(modal.past, past)
    for noun in NOUNS:
        for english_form, german, french in zip(noun.english, noun.german, noun.french, strict=True):
            entries.setdefault(english_form, (german, french))
    for adjective in ADJECTIVES:
        attributive = morphology_german.adjective_form(adjective.stem, "the", "m", "nominative")
        entries.setdefault(adjective.english, (attributive, adjective.french[0]))
    for adverb in (*FREQUENCIES, *MANNERS):
        entries.setdefault(adverb.english, (adverb.german, adverb.french))
    for time in TIMES:
        entries.setdefault(english.adverb_words(time), (time.german, time.french))
    for town in TOWNS:
        entries.setdefault(town.english, (town.german, town.french))
    for verb in VERBS:
        for word, entry in _verb_entries(verb).items():
            entries.setdefault(word, entry)
    return entries


def _verb_entries(verb: Verb) -> dict[str, Entry]:
    """Present for present, participle for past, infinitive for the base form; particles are dropped."""
    finite = (
        morphology_german.present(verb.german, 3, False),
        morphology_french.present(verb.french, 3, False),
    )
    participle = (
        morphology_german.past_participle(verb.german, verb.separable),
        morphology_french.past_participle(verb.french),
    )
    return {
        verb.english: (verb.separable + verb.german, verb.french),
        morphology_english.third_person(verb.english): finite,
        morphology_english.gerund(verb.english): finite,
        morphology_english.past(verb.english): participle,
        morphology_english.past_participle(verb.english): participle,
        **({verb.particle: ("", "")} if verb.particle else {}),
    }


def word_for_word(text: str, language: str) -> str:
    """Translate an English sentence word by word into ``de`` or ``fr``; names and punctuation stay as they are."""
    side = ("de", "fr").index(language)
    entries = dictionary()
    words = []
    for token in tokens(text):
        entry = entries.get(token) or entries.get(token[0].lower() + token[1:])
        words.append(entry[side] if entry else token)
    return sentence([word for word in words if word])
