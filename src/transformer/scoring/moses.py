"""Text as the paper's BLEU sees it: punctuation made plain, Moses tokens, compounds split at hyphens.

The paper does not say how its BLEU was computed.  tensor2tensor's ``get_ende_bleu.sh`` does: Moses'
``replace-unicode-punctuation.perl``, ``tokenizer.perl -l de``, then ``##AT##-##AT##`` at hyphens, on both
hypothesis and reference.

The tokenizer is sacremoses, a port of ``tokenizer.perl``.  On 24,000 lines of Europarl, Multi30k and newstest
in German, French and English it gave the same tokens as version 1.1 of the Perl program.  It differs where

* the last word of a line is an abbreviation (``… z.B.``): newer Perl versions part its full stop, version 1.1
  and sacremoses do not;
* a line ends in ``.'``: newer versions and sacremoses part the two, version 1.1 does not;
* an Indic vowel sign or virama stands inside a word: sacremoses leaves the word whole;
* the language is Finnish, Swedish, Catalan, Irish, Somali or Tetun: their special rules are not ported.
"""

import importlib.metadata
import re

from sacremoses import MosesTokenizer
from sacremoses.corpus import NonbreakingPrefixes

from transformer.common.errors import UserError

# The characters that replace-unicode-punctuation.perl replaces by one or more ASCII characters.  Old copies of
# it turn the full-width digit one into a quotation mark, a slip that later ones mend; it is mended here.
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
HYPHEN = re.compile(r"(\S)-(\S)")


def replace_unicode_punctuation(text: str) -> str:
    """Write full-width and typographic punctuation in ASCII, as ``replace-unicode-punctuation.perl`` does.

    >>> replace_unicode_punctuation("“l’été”…")
    '"l\\'été"...'
    """
    return FULL_STOPS.sub(". ", text).translate(PLAIN_PUNCTUATION)


def split_compounds(text: str) -> str:
    """Part hyphenated words, as GNMT and ConvS2S did: ``s/(\\S)-(\\S)/$1 ##AT##-##AT## $2/g``.

    The substitution runs once from left to right and matches do not overlap, in Perl as in Python: in
    ``a-b-c`` the first match uses up the ``b``, so the second hyphen stays.

    >>> split_compounds("die rot-weiße Fahne")
    'die rot ##AT##-##AT## weiße Fahne'
    >>> split_compounds("a-b-c")
    'a ##AT##-##AT## b-c'
    """
    return HYPHEN.sub(r"\1 ##AT##-##AT## \2", text)


class Tokenizer:
    """``replace-unicode-punctuation.perl`` and ``tokenizer.perl -l LANGUAGE``, with XML escapes as by default.

    Raises UserError for a language whose abbreviations Moses does not know.
    """

    def __init__(self, language: str) -> None:
        # sacremoses would fall back to English abbreviations without a word.
        known = NonbreakingPrefixes().available_langs.values()
        if language not in known:
            raise UserError(
                f"language '{language}': the Moses tokenizer has no rules for it; "
                f"it knows {', '.join(sorted(set(known)))}"
            )
        self._moses = MosesTokenizer(lang=language)
        self.signature = f"tok:moses-{language}|sacremoses:{importlib.metadata.version('sacremoses')}"

    def __call__(self, text: str) -> str:
        """The tokens of one sentence, joined by single spaces."""
        tokens: str = self._moses.tokenize(replace_unicode_punctuation(text), return_str=True)
        return tokens
