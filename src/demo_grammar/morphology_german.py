"""German inflection: declension of nouns, adjectives, determiners and pronouns; conjugation of verbs.

Genders are ``m``, ``f``, ``n``; cases are ``nominative``, ``accusative``, ``dative``, ``genitive``; a person is 1 or 3.
"""

from demo_grammar.word_tables import read_forms

_CASES = ("nominative", "accusative", "dative", "genitive")

# For each gender and the plural ("p"), the ending of each case in the order of _CASES; "-" is no ending.
_STRONG = {"m": "er en em en", "f": "e e er er", "n": "es es em en", "p": "e e en er"}
_WEAK = {"m": "e en en en", "f": "e e en en", "n": "e e en en", "p": "en en en en"}
_MIXED = {"m": "er en en en", "f": "e e en en", "n": "es es en en", "p": "en en en en"}
_DER = {"m": "der den dem des", "f": "die die der der", "n": "das das dem des", "p": "die die den der"}
_DIESER = {"m": "er en em es", "f": "e e er er", "n": "es es em es", "p": "e e en er"}
_EIN = {"m": "- en em es", "f": "e e er er", "n": "- - em es", "p": "e e en er"}
_RELATIVE = {
    "m": "der den dem dessen",
    "f": "die die der deren",
    "n": "das das dem dessen",
    "p": "die die denen deren",
}

_DETERMINER_STEMS = {
    "this": ("dies", _DIESER),
    "every": ("jed", _DIESER),
    "a": ("ein", _EIN),
    "no": ("kein", _EIN),
    "my": ("mein", _EIN),
    "his": ("sein", _EIN),
    "her": ("ihr", _EIN),
    "our": ("unser", _EIN),
    "their": ("ihr", _EIN),
}
_UNINFLECTED = {"two": "zwei", "three": "drei", "four": "vier", "bare": "", "possessed": ""}
_STRONG_STEMS = {"many": "viel", "several": "mehrer"}

_PRONOUNS = {  # first person singular and plural, third person by gender
    "1": "ich mich mir",
    "1p": "wir uns uns",
    "m": "er ihn ihm",
    "f": "sie sie ihr",
    "n": "es es ihm",
    "p": "sie sie ihnen",
}
CONTRACTIONS = {
    ("in", "dem"): "im",
    ("an", "dem"): "am",
    ("zu", "dem"): "zum",
    ("zu", "der"): "zur",
    ("in", "das"): "ins",
    ("an", "das"): "ans",
    ("von", "dem"): "vom",
    ("bei", "dem"): "beim",
}

_IRREGULAR_VERBS = read_forms("german_irregular_verbs")  # an empty cell is a regular form
_INSEPARABLE = ("be", "ver", "er", "zer", "ent", "emp", "über")
_WITH_SEIN = set(
    "gehen kommen laufen reisen fahren schwimmen bleiben folgen verschwinden an|kommen auf|stehen ein|schlafen "
    "auf|wachen weg|gehen zurück|kommen zurück|kehren um|ziehen".split()
)
_VOWELS = "aeiouäöüy"


def _pick(endings: dict[str, str], gender: str, case: str) -> str:
    return endings[gender].split()[_CASES.index(case)].strip("-")


def noun_form(singular: str, plural: str, gender: str, weak: bool, case: str, many: bool) -> str:
    """Return a noun in its case and number: "Hund", "Hundes", "Hunden"; weak nouns take -(e)n: "Jungen", "Bären"."""
    if many:
        takes_n = case == "dative" and not plural.endswith(("n", "s"))
        return plural + "n" if takes_n else plural
    if weak and case != "nominative":
        return singular + ("n" if singular.endswith(("e", "r")) and singular != "Bär" else "en")
    if case == "genitive" and gender != "f":
        if plural == singular + "se":  # "Busse", "Busses"
            return singular + "ses"
        return singular + ("es" if _takes_es(singular) else "s")
    return singular


def _takes_es(noun: str) -> bool:
    """Return whether the genitive ends in -es: it does for monosyllables and after a sibilant."""
    if noun.endswith(("s", "ß", "x", "z")):
        return True
    previous = [" ", *noun.lower()]
    syllables = sum(a not in _VOWELS and b in _VOWELS for a, b in zip(previous, noun.lower(), strict=False))
    return syllables == 1 and noun[-1] not in _VOWELS


def determiner(name: str, gender: str, case: str) -> str:
    """Return the German determiner for the English ``name``, or ""; gender ``p`` is the plural."""
    if name == "the":
        return _pick(_DER, gender, case)
    if name in _DETERMINER_STEMS:
        stem, endings = _DETERMINER_STEMS[name]
        return stem + _pick(endings, gender, case)
    if name in _STRONG_STEMS:
        return _STRONG_STEMS[name] + _pick(_STRONG, gender, case)
    return _UNINFLECTED[name]


def adjective_form(stem: str, determiner_name: str, gender: str, case: str) -> str:
    """Return an attributive adjective: weak after der and dieser, mixed after ein and mein, strong elsewhere."""
    if determiner_name in ("the", "this", "every"):
        endings = _WEAK
    elif determiner_name in _DETERMINER_STEMS:
        endings = _MIXED
    else:
        endings = _STRONG
    ending = _pick(endings, gender, case)
    return stem + (ending.removeprefix("e") if stem.endswith("e") else ending)


def personal_pronoun(person: int, gender: str, case: str) -> str:
    """Return a personal pronoun; gender ``p`` is the plural."""
    key = ("1p" if gender == "p" else "1") if person == 1 else gender
    return _pick(_PRONOUNS, key, case)


def relative_pronoun(gender: str, case: str) -> str:
    """Return the relative pronoun; its genitive is "whose"."""
    return _pick(_RELATIVE, gender, case)


def reflexive_pronoun(person: int, many: bool) -> str:
    """Return the accusative reflexive pronoun."""
    return ("uns" if many else "mich") if person == 1 else "sich"


def auxiliary_of(verb: str, separable: str) -> str:
    """Return the auxiliary of the perfect, "haben" or "sein"."""
    full = f"{separable}|{verb}" if separable else verb
    return "sein" if full in _WITH_SEIN else "haben"


def _stem(verb: str) -> str:
    return verb[:-2] if verb.endswith("en") else verb[:-1]


def _with_t(verb: str) -> str:
    """Return the stem with -t, or with -et where -t is hard to pronounce: "kauft", "arbeitet", "öffnet"."""
    stem = _stem(verb)
    lengthened = stem[-2] == "h" and stem[-3] != "c"  # "wohnt", but "zeichnet"
    hard = stem.endswith(("t", "d")) or (
        stem[-1] in "nm" and stem[-2] not in _VOWELS + "lrnm" and not lengthened
    )
    return stem + ("et" if hard else "t")


def present(verb: str, person: int, many: bool) -> str:
    """Return the present tense."""
    irregular = _IRREGULAR_VERBS.get(verb, {})
    if many:
        return irregular.get("wir") or verb
    if person == 1:
        stem = _stem(verb)
        return irregular.get("ich") or (stem[:-2] + "le" if stem.endswith("el") else stem + "e")
    return irregular.get("er") or _with_t(verb)


def preterite(verb: str, many: bool) -> str:
    """Return the preterite of an auxiliary or a modal; other verbs use the perfect."""
    form = _IRREGULAR_VERBS[verb]["preterite"]
    return form + ("n" if form.endswith("e") else "en") if many else form


def past_participle(verb: str, separable: str = "") -> str:
    """Return the past participle: "gesehen", "aufgemacht", "besucht", "repariert"."""
    if verb in _IRREGULAR_VERBS:
        return separable + _IRREGULAR_VERBS[verb]["past_participle"]
    with_ge = not verb.endswith("ieren") and not verb.startswith(_INSEPARABLE)
    return separable + ("ge" if with_ge else "") + _with_t(verb)


def zu_infinitive(verb: str, separable: str) -> list[str]:
    """Return the infinitive with zu: ["zu", "öffnen"], ["aufzumachen"]."""
    return [f"{separable}zu{verb}"] if separable else ["zu", verb]
