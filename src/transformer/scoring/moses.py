"""Preprocessing for the paper's BLEU: ASCII punctuation, Moses tokens, compounds split at hyphens.

The paper does not say how its BLEU was computed.  tensor2tensor's ``get_ende_bleu.sh`` does: Moses'
``replace-unicode-punctuation.perl``, ``tokenizer.perl -l de``, then ``##AT##-##AT##`` at hyphens, on both
hypothesis and reference.

The tokenizer is sacremoses, a port of ``tokenizer.perl``.  On 24,000 lines of Europarl, Multi30k and newstest in
German, French and English it gave the same tokens as version 1.1 of the Perl program.  It differs when

* the last word of a line is an abbreviation (``… z.B.``): newer Perl versions separate its full stop, version
  1.1 and sacremoses do not;
* a line ends in ``.'``: newer versions and sacremoses separate the two, version 1.1 does not;
* an Indic vowel sign or virama occurs inside a word: sacremoses does not split the word;
* the language is Finnish, Swedish, Catalan, Irish, Somali or Tetun: sacremoses does not have their special rules.
"""

import importlib.metadata
import re

from sacremoses import MosesTokenizer
from sacremoses.corpus import NonbreakingPrefixes

from transformer.common.errors import UserError

# The characters that replace-unicode-punctuation.perl replaces by ASCII characters.  Old versions turn the full-width
# digit one into a quotation mark by mistake, which newer versions and this table do not.
PLAIN_PUNCTUATION = str.maketrans(
    {
        **dict.fromkeys("，、", ","),
        **dict.fromkeys("”“《》」「", '"'),
        **dict.fromkeys("∶：", ":"),
        **dict(zip("？）！（；～’━〈〉【】％", "?)!(;~'-<>[]%", strict=True)),
        **dict(zip("０１２３４５６７８９", "0123456789", strict=True)),
        "…": "...",
    }
)
FULL_STOPS = re.compile("[。．] *")
UNSPACED = {"zh", "yue", "ja", "ko"}  # sacreBLEU has tokenizers of their own for these, or should have
HYPHEN = re.compile(r"(\S)-(\S)")


def replace_unicode_punctuation(text: str) -> str:
    """Replace full-width and typographic punctuation by ASCII, as ``replace-unicode-punctuation.perl`` does.

    >>> replace_unicode_punctuation("“l’été”…")
    '"l\\'été"...'
    """
    return FULL_STOPS.sub(". ", text).translate(PLAIN_PUNCTUATION)


def split_compounds(text: str) -> str:
    """Split hyphenated words, as GNMT and ConvS2S did: ``s/(\\S)-(\\S)/$1 ##AT##-##AT## $2/g``.

    Matches do not overlap, in Perl as in Python: in ``a-b-c`` the first match consumes the ``b``, so that the second
    hyphen is not matched.

    >>> split_compounds("die rot-weiße Fahne")
    'die rot ##AT##-##AT## weiße Fahne'
    >>> split_compounds("a-b-c")
    'a ##AT##-##AT## b-c'
    """
    return HYPHEN.sub(r"\1 ##AT##-##AT## \2", text)


def has_rules(language: str) -> bool:
    """Return whether Moses' rules suit a language; Chinese has a list of abbreviations there, but no spaces."""
    return language in NonbreakingPrefixes().available_langs.values() and language not in UNSPACED


class Tokenizer:
    """``replace-unicode-punctuation.perl`` and ``tokenizer.perl -l LANGUAGE``, with its default XML escapes.

    Raises UserError for a language for which Moses has no rules (see :func:`has_rules`).
    """

    def __init__(self, language: str) -> None:
        # sacremoses would silently use the English list for an unknown language.
        if not has_rules(language):
            known = filter(has_rules, set(NonbreakingPrefixes().available_langs.values()))
            raise UserError(
                f"language '{language}': the Moses tokenizer has no rules for it; "
                f"it has rules for {', '.join(sorted(known))}"
            )
        self._moses = MosesTokenizer(lang=language)
        self.signature = f"tok:moses-{language}|sacremoses:{importlib.metadata.version('sacremoses')}"

    def __call__(self, text: str) -> str:
        """Return the tokens of one sentence, joined by single spaces."""
        tokens: str = self._moses.tokenize(replace_unicode_punctuation(text), return_str=True)
        return tokens
