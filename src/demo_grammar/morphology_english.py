"""English inflection: the forms of verbs and of the indefinite article."""

from demo_grammar.word_tables import read_forms

_IRREGULAR_VERBS = read_forms("english_irregular_verbs")
_DOUBLING = {"swim", "run", "get", "put", "cut", "begin", "forget", "stop", "travel"}
_VOWELS = "aeiou"


def _with_s(word: str) -> str:
    if word.endswith(("s", "x", "ch", "sh", "ss")) or word in ("go", "do"):
        return word + "es"
    if word.endswith("y") and word[-2] not in _VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def third_person(verb: str) -> str:
    """Return the third person singular: "goes", "carries", "has"."""
    return {"be": "is", "have": "has"}.get(verb) or _with_s(verb)


def past(verb: str) -> str:
    """Return the simple past."""
    return _IRREGULAR_VERBS[verb]["past"] if verb in _IRREGULAR_VERBS else _with_ed(verb)


def past_participle(verb: str) -> str:
    """Return the past participle."""
    return _IRREGULAR_VERBS[verb]["past_participle"] if verb in _IRREGULAR_VERBS else _with_ed(verb)


def _with_ed(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb[:-1] + "ied"
    return (verb + verb[-1] if verb in _DOUBLING else verb) + "ed"


def gerund(verb: str) -> str:
    """Return the -ing form."""
    if verb in _DOUBLING:
        return verb + verb[-1] + "ing"
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return verb + "ing"


def indefinite_article(next_word: str) -> str:
    """Return "a" or "an", by the first sound of the next word."""
    if next_word.startswith("honest"):
        return "an"
    return "an" if next_word[0].lower() in _VOWELS and not next_word.startswith("uni") else "a"
