"""Split raw English into the words of the Penn Treebank: *Can't (he) go?* is *Ca n't -LRB- he -RRB- go ?*

NLTK's tokenizer has the rules of the treebank's own (MacIntyre's tokenizer.sed): it takes one sentence at a time, and
only the last full stop is a word.  Typographic quotes and dashes are written in ASCII first, and a quote that opens a
word is distinguished from an apostrophe.
"""

import re

from nltk.tokenize import TreebankWordTokenizer

_ASCII = str.maketrans(
    {
        **dict.fromkeys("“”„«»″", '"'),
        **dict.fromkeys("‘’‚´′", "'"),
        **dict.fromkeys("–—", "--"),
        "…": "...",
        "/": r"\/",  # the treebank escapes slash and asterisk
        "*": r"\*",
    }
)
_OPENING_QUOTE = re.compile(
    r"(?<!\S)'(?=\w)(?!(?:\d0s|em|til|tis|twas|cause|n|s|m|d|ll|re|ve)\b)", re.IGNORECASE
)
_tokenizer = TreebankWordTokenizer()


def penn_words(text: str) -> list[str]:
    """Return the words of one sentence as the treebank writes them, brackets included: ``(`` is ``-LRB-``.

    >>> penn_words("The dog's owners can't (really) pay $3,000.")
    ['The', 'dog', "'s", 'owners', 'ca', "n't", '-LRB-', 'really', '-RRB-', 'pay', '$', '3,000', '.']
    """
    text = _OPENING_QUOTE.sub("` ", text.translate(_ASCII))
    return [str(word) for word in _tokenizer.tokenize(text, convert_parentheses=True)]
