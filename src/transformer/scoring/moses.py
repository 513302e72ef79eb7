"""The tokens of the paper's BLEU (``bleu.py``), of hypothesis and reference: three steps of ``get_ende_bleu.sh``.

They are Moses' ``replace-unicode-punctuation.perl``, ``tokenizer.perl -l de``, then ``##AT##-##AT##`` at hyphens.

The tokenizer is sacremoses, a port of ``tokenizer.perl``.  On 24,000 lines of Europarl, Multi30k and newstest in
German, French and English the tokens are those of version 1.1 of the Perl program.  They differ when

* the last word of a line is an abbreviation (``… z.B.``): newer Perl versions separate its full stop, version
  1.1 and sacremoses do not;
* a line ends in ``.'``, or in a number and a comma: newer versions and sacremoses separate the two, version 1.1 does
  not;
* a list of abbreviations is of another year;
* the language is Finnish, Swedish, Catalan, Irish, Somali or Tetun: sacremoses does not have their special rules;
* a text has letters of Han or Hangul or beyond U+FFFF, each of which is a token of its own here, or viramas, at which
  Perl splits a word.
"""

import re
from collections.abc import Callable
from functools import partial

from sacremoses import MosesTokenizer
from sacremoses.corpus import NonbreakingPrefixes

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
HYPHEN = re.compile(rb"(\S)-(\S)")


def replace_unicode_punctuation(text: str) -> str:
    """Replace full-width and typographic punctuation by ASCII, as ``replace-unicode-punctuation.perl`` does.

    >>> replace_unicode_punctuation("“l’été”…")
    '"l\\'été"...'
    """
    return FULL_STOPS.sub(". ", text).translate(PLAIN_PUNCTUATION)


def split_compounds(text: str) -> str:
    """Split hyphenated words, as GNMT and ConvS2S did: ``s/(\\S)-(\\S)/$1 ##AT##-##AT## $2/g``, on bytes.

    Matches do not overlap: in ``a-b-c`` the first match consumes the ``b``, so that the second hyphen is not matched.
    Perl reads bytes here.  A letter of several bytes between two hyphens has one for each match, and both are split.

    >>> split_compounds("die rot-weiße Fahne")
    'die rot ##AT##-##AT## weiße Fahne'
    >>> split_compounds("a-b-c")
    'a ##AT##-##AT## b-c'
    >>> split_compounds("vis-à-vis")
    'vis ##AT##-##AT## à ##AT##-##AT## vis'
    """
    return HYPHEN.sub(rb"\1 ##AT##-##AT## \2", text.encode()).decode()


def has_rules(language: str) -> bool:
    """Return whether Moses' rules suit a language; Chinese has a list of abbreviations there, but no spaces."""
    return language in NonbreakingPrefixes().available_langs.values() and language not in UNSPACED


def moses_tokenizer(language: str) -> Callable[[str], str]:
    """Return ``tokenizer.perl -l LANGUAGE``, with its default XML escapes: it joins the tokens by single spaces.

    For a language without rules (see :func:`has_rules`), sacremoses would use those of English.
    """
    return partial(MosesTokenizer(lang=language).tokenize, return_str=True)
