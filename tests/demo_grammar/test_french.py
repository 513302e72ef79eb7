"""Laws of spelling that every French sentence keeps."""

import re

from grammar_cases import sample

from demo_grammar.lexicon import NOUNS, VERBS

VOWEL_NOUNS = {noun.french for noun in NOUNS if noun.french[0] in "aeiouéèêâîôœ"}
INFINITIVES = {verb.french.infinitive for verb in VERBS}


def test_french_contracts_and_elides() -> None:
    for _, example in sample():
        text = example.french
        for following in re.findall(r"\b(?:de|à) les? (\w+)", text, re.IGNORECASE):
            assert following in INFINITIVES, f"an article after de or à contracts: {text}"
        assert not re.search(r"\b(le|la|de|que|ne|je|me|se) [aeiouyéèêâîôœ]", text), text
        for word, following in re.findall(r"\b(beau|nouveau|vieux|ce|ma|sa) (\w+)", text):
            assert following not in VOWEL_NOUNS, f"{word} has another form before a vowel: {text}"
        assert not re.search(r"\b(le|la|de|que|je|ma|sa|ce) (hom|hôt|hôp|his|heu|hon)", text), text
        assert not re.search(r"\bdes (grand|petit|vieux|vieil|jeune|nouv|beaux|belles|bon)", text), text
