"""French inflection: plurals and feminines, determiners and pronouns, conjugation, elision.

Genders are ``m`` and ``f``; a person is 1 or 3.
"""

from demo_grammar.word_tables import read_forms

_VOWELS = "aeiouyàâéèêëîïôöûùœæ"
_ASPIRATED = ("hérisson", "hibou", "haut", "handball")  # an h that blocks elision and liaison
_ELIDING = {"le", "la", "de", "que", "ne", "je", "me", "se"}

# The principal parts: je, il, nous, ils of the present; past participle; stem of the future.
_IRREGULAR_VERBS = {
    infinitive: list(forms.values())[1:] for infinitive, forms in read_forms("french_irregular_verbs").items()
}
_DOUBLING = ("appeler", "jeter")
_WITH_ETRE = {"aller", "arriver", "partir", "rester", "retourner", "revenir", "venir"}
_FUTURE = {(1, False): "ai", (3, False): "a", (1, True): "ons", (3, True): "ont"}
_IMPERFECT = {(1, False): "ais", (3, False): "ait", (1, True): "ions", (3, True): "aient"}

_POSSESSIVES = {  # masculine, feminine, plural
    "my": "mon ma mes",
    "his": "son sa ses",
    "her": "son sa ses",
    "our": "notre notre nos",
    "their": "leur leur leurs",
    "this": "ce cette ces",
    "the": "le la les",
    "a": "un une des",
    "every": "chaque chaque chaque",
}
_QUANTITIES = {
    "two": "deux",
    "three": "trois",
    "four": "quatre",
    "several": "plusieurs",
    "many": "beaucoup de",
}
_BEFORE_VOWEL = {"ce": "cet", "ma": "mon", "sa": "son", "beau": "bel", "vieux": "vieil", "nouveau": "nouvel"}


def starts_with_vowel(word: str) -> bool:
    """Return whether a word begins with a vowel or a mute h, and so elides the word before it."""
    word = word.lower()
    return word[0] in _VOWELS or (word[0] == "h" and not word.startswith(_ASPIRATED))


def before(word: str, next_word: str) -> str:
    """Return the form of a word before the next one: "cet homme", "mon école", "bel arbre", "vieil homme"."""
    return _BEFORE_VOWEL.get(word, word) if starts_with_vowel(next_word) else word


def elided(words: list[str]) -> list[str]:
    """Elide the last vowel of a word and join it to the next one: "l'homme", "qu'elle", "s'il", "parce qu'on"."""
    joined: list[str] = []
    for word in words:
        previous = joined[-1] if joined else ""
        last = previous.rpartition(" ")[2].lower()
        if (last in _ELIDING and starts_with_vowel(word)) or (last == "si" and word in ("il", "ils")):
            joined[-1] = f"{previous[:-1]}'{word}"
        else:
            joined.append(word)
    return joined


def plural_of(word: str) -> str:
    """Return the regular plural of an adjective or participle."""
    if word.endswith(("s", "x", "z")):
        return word
    return word + ("x" if word.endswith("eau") else "s")


def feminine_of(masculine: str) -> str:
    """Return the regular feminine of a participle."""
    return masculine if masculine.endswith("e") else masculine + "e"


def agreeing(masculine: str, feminine: str, gender: str, many: bool) -> str:
    """Return an adjective in its gender and number."""
    word = feminine if gender == "f" else masculine
    return plural_of(word) if many else word


def determiner(name: str, gender: str, many: bool) -> str:
    """Return the French determiner for the English ``name``, before its elision or liaison form is chosen."""
    if name in _QUANTITIES:
        return _QUANTITIES[name]
    return _POSSESSIVES[name].split()[2 if many else "mf".index(gender)]


def partitive(gender: str, next_word: str) -> list[str]:
    """Return the article of a mass noun: "du pain", "de la viande", "de l'eau"."""
    if starts_with_vowel(next_word):
        return ["de", "le"]
    return ["du"] if gender == "m" else ["de", "la"]


def contracted(preposition: str, phrase: list[str]) -> list[str]:
    """Put a preposition before a noun phrase: "de" and "à" contract with "le" and "les" to "du", "des", "au", "aux".

    Call it for articles only: the pronouns "le" and "les" do not contract.  Before a vowel, "le" elides instead.
    """
    words = preposition.split()
    article = phrase[0]
    if words[-1] in ("de", "à") and (
        article == "les" or (article == "le" and not starts_with_vowel(phrase[1]))
    ):
        merged = {"de le": "du", "de les": "des", "à le": "au", "à les": "aux"}[f"{words[-1]} {article}"]
        return [*words[:-1], merged, *phrase[1:]]
    return [*words, *phrase]


def subject_pronoun(person: int, gender: str, many: bool) -> str:
    """Return je, nous, il, elle, ils or elles."""
    if person == 1:
        return "nous" if many else "je"
    return ("elle" if gender == "f" else "il") + ("s" if many else "")


def object_pronoun(person: int, gender: str, many: bool, dative: bool) -> str:
    """Return the clitic: me, nous; le, la, les; lui, leur."""
    if person == 1:
        return "nous" if many else "me"
    if dative:
        return "leur" if many else "lui"
    return "les" if many else "la" if gender == "f" else "le"


def stressed_pronoun(person: int, gender: str, many: bool) -> str:
    """Return the pronoun after a preposition: moi, nous; lui, elle, eux, elles."""
    if person == 1:
        return "nous" if many else "moi"
    if gender == "f":
        return "elles" if many else "elle"
    return "eux" if many else "lui"


def reflexive_pronoun(person: int, many: bool) -> str:
    """Return me, nous or se."""
    return ("nous" if many else "me") if person == 1 else "se"


def auxiliary_of(verb: str, reflexive: bool) -> str:
    """Return the auxiliary of the passé composé, "avoir" or "être"."""
    return "être" if reflexive or verb in _WITH_ETRE else "avoir"


def _open_stem(stem: str) -> str:
    """Return the stem before a mute e, where e and é become è: "achèt-", "préfèr-"."""
    if len(stem) > 2 and stem[-2] in "eé" and stem[-1] not in _VOWELS:
        return f"{stem[:-2]}è{stem[-1]}"
    return stem


def _er_stems(verb: str) -> tuple[str, str, str]:
    """Return three stems of a verb in -er: before a mute e, before "ons", and of the future."""
    stem = verb[:-2]
    mute = stem + stem[-1] if verb in _DOUBLING else _open_stem(stem)
    if verb.endswith(("ayer", "oyer", "uyer")):
        mute = stem[:-1] + "i"
    nous = stem[:-1] + "ç" if stem.endswith("c") else stem + "e" if stem.endswith("g") else stem
    # In the future, é keeps its accent ("préférera") and e becomes è ("achètera").
    future = stem if len(stem) > 1 and stem[-2] == "é" else mute
    return mute, nous, future + "er"


def _parts(verb: str) -> list[str]:
    """Return the principal parts: je, il, nous, ils of the present; past participle; stem of the future."""
    if verb in _IRREGULAR_VERBS:
        return _IRREGULAR_VERBS[verb]
    stem = verb[:-2]
    if verb.endswith("er"):
        mute, nous, future = _er_stems(verb)
        return [mute + "e", mute + "e", nous + "ons", mute + "ent", stem + "é", future]
    if verb.endswith("ir"):
        return [stem + "is", stem + "it", stem + "issons", stem + "issent", stem + "i", verb]
    if verb.endswith("re"):
        return [stem + "s", stem, stem + "ons", stem + "ent", stem + "u", verb[:-1]]
    raise ValueError(f"{verb}: not an infinitive")


def present(verb: str, person: int, many: bool) -> str:
    """Return the present tense."""
    first, third, we, they = _parts(verb)[:4]
    return (we if many else first) if person == 1 else (they if many else third)


def future(verb: str, person: int, many: bool) -> str:
    """Return the simple future."""
    return _parts(verb)[5] + _FUTURE[person, many]


def imperfect(verb: str, person: int, many: bool) -> str:
    """Return the imperfect."""
    stem = "ét" if verb == "être" else _parts(verb)[2].removesuffix("ons")
    ending = _IMPERFECT[person, many]
    # Before i, g and c are soft as they are: "mangeais" and "commençais", but "mangions" and "commencions".
    if ending.startswith("i") and verb.endswith("ger"):
        stem = stem.removesuffix("e")
    if ending.startswith("i") and verb.endswith("cer"):
        stem = stem[:-1] + "c"
    return stem + ending


def past_participle(verb: str, gender: str = "m", many: bool = False) -> str:
    """Return the past participle, which agrees with ``gender`` and number."""
    masculine = _parts(verb)[4]
    if masculine == "dû" and (gender == "f" or many):  # only this form has the circumflex
        masculine = "du"
    return agreeing(masculine, feminine_of(masculine), gender, many)
