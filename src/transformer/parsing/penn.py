"""Raw English to the words of the Penn Treebank: *Can't (he) go?* is *Ca n't -LRB- he -RRB- go ?*

The rules are those of the treebank's own tokenizer (MacIntyre's tokenizer.sed): one sentence at a time, so that only
the last full stop is a word.  Beyond them, typographic quotes and dashes are written in ASCII first.
"""

import re

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("“”„«»″", '"'),
        **dict.fromkeys("‘’‚´′", "'"),
        **dict.fromkeys("–—", "--"),
        "…": "...",
        "/": r"\/",  # as the treebank writes it, and the asterisk
        "*": r"\*",
    }
)
_BRACKETS = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}

_RULES = [
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in [
        # Quotes open where a word does; what is left of them closes.
        (r'(?<![^\s(\[{-])"(?=\S)', " `` "),
        (r'"', " '' "),
        (r"(?<!\S)'(?=\w)(?!(?:\d0s|em|til|tis|twas|cause|n|s|m|d|ll|re|ve)\b)", "` "),
        # Punctuation, but not inside 3,000 and 10:30; a currency keeps its country: US$ 5.
        (r"\.{2,}|-{2,}", r" \g<0> "),
        (r"[;@#%&?!()\[\]{}]|[A-Z]*\$", r" \g<0> "),
        (r"[,:](?!\d)|(?<!\d)[,:]", r" \g<0> "),
        (r"(?<=[^.\s])\.(?=[\s'\])}]*$)", " ."),
        # Clitics, and the quote that closes behind a word (which also marks the plural's possessive).
        (r"(?<=\w)('(?:s|m|d|ll|re|ve)|n't)(?!\w)", r" \1"),
        (r"(?<=[^\s'])'(?!\S)", " '"),
        (r"\b(can)(not)\b", r"\1 \2"),
        (r"\b(gon|wan)(na)\b", r"\1 \2"),
        (r"\b(got)(ta)\b", r"\1 \2"),
        (r"\b(gim|lem)(me)\b", r"\1 \2"),
    ]
]


def penn_words(text: str) -> list[str]:
    """The words of one sentence as the treebank has them, brackets included: ``(`` is ``-LRB-``.

    >>> penn_words("The dog's owners can't (really) pay $3,000.")
    ['The', 'dog', "'s", 'owners', 'ca', "n't", '-LRB-', 'really', '-RRB-', 'pay', '$', '3,000', '.']
    """
    text = text.translate(_PLAIN)
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return [_BRACKETS.get(word, word) for word in text.split()]
