"""English inflection: plurals, verb forms, the indefinite article."""

_IRREGULAR_VERBS = {  # base: past, past participle
    "be": ("was", "been"), "begin": ("began", "begun"), "break": ("broke", "broken"), "bring": ("brought", "brought"),
    "build": ("built", "built"), "buy": ("bought", "bought"), "catch": ("caught", "caught"),
    "choose": ("chose", "chosen"), "come": ("came", "come"), "cut": ("cut", "cut"), "draw": ("drew", "drawn"),
    "drink": ("drank", "drunk"), "eat": ("ate", "eaten"), "fall": ("fell", "fallen"), "feed": ("fed", "fed"),
    "find": ("found", "found"), "forget": ("forgot", "forgotten"), "get": ("got", "got"), "give": ("gave", "given"),
    "go": ("went", "gone"), "hang": ("hung", "hung"), "have": ("had", "had"), "hear": ("heard", "heard"),
    "hide": ("hid", "hidden"), "know": ("knew", "known"), "leave": ("left", "left"), "lend": ("lent", "lent"),
    "lose": ("lost", "lost"), "meet": ("met", "met"), "put": ("put", "put"), "read": ("read", "read"),
    "run": ("ran", "run"), "say": ("said", "said"), "see": ("saw", "seen"), "sell": ("sold", "sold"),
    "send": ("sent", "sent"), "sing": ("sang", "sung"), "sleep": ("slept", "slept"), "steal": ("stole", "stolen"),
    "swim": ("swam", "swum"), "take": ("took", "taken"), "tell": ("told", "told"), "think": ("thought", "thought"),
    "throw": ("threw", "thrown"), "understand": ("understood", "understood"), "wake": ("woke", "woken"),
    "wear": ("wore", "worn"), "write": ("wrote", "written"),
}  # fmt: skip
_DOUBLING = {"swim", "run", "get", "put", "cut", "begin", "forget", "stop", "travel"}
_VOWELS = "aeiou"


def plural_of(noun: str) -> str:
    """The regular plural of a noun."""
    return _with_s(noun)


def _with_s(word: str) -> str:
    if word.endswith(("s", "x", "ch", "sh", "ss")) or word in ("go", "do"):
        return word + "es"
    if word.endswith("y") and word[-2] not in _VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def third_person(verb: str) -> str:
    """ "goes", "carries", "has"."""
    return {"be": "is", "have": "has"}.get(verb) or _with_s(verb)


def past(verb: str) -> str:
    """The simple past."""
    return _IRREGULAR_VERBS[verb][0] if verb in _IRREGULAR_VERBS else _with_ed(verb)


def past_participle(verb: str) -> str:
    """The past participle."""
    return _IRREGULAR_VERBS[verb][1] if verb in _IRREGULAR_VERBS else _with_ed(verb)


def _with_ed(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb[:-1] + "ied"
    return (verb + verb[-1] if verb in _DOUBLING else verb) + "ed"


def gerund(verb: str) -> str:
    """The -ing form."""
    if verb in _DOUBLING:
        return verb + verb[-1] + "ing"
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return verb + "ing"


def indefinite_article(next_word: str) -> str:
    """ "a" or "an", by the sound that begins the next word."""
    if next_word.startswith("honest"):
        return "an"
    return "an" if next_word[0].lower() in _VOWELS and not next_word.startswith("uni") else "a"
