r"""Text as LaTeX: special characters, the Markdown that tables use, and mathematics."""

import re
import unicodedata

SPECIAL = str.maketrans(
    {
        **{character: "\\" + character for character in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
    }
)
# LaTeX's default font has other characters in the places of these, such as ¡ for <.
OTHERS = str.maketrans({"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"})
SYMBOLS = {"±": r"$\pm$", "†": r"\dag{}"}  # that text fonts lack
SYMBOL = re.compile("|".join(SYMBOLS))
# What pdflatex cannot print in its usual fonts: all that is neither ASCII nor one of the characters named here, each
# of which was compiled.
MISSING = re.compile(
    r"[^\t\n\r -~"
    r"\u00a0-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e\u0192\u01c4-\u01d4"
    r"\u01e2\u01e3\u01e6-\u01eb\u01f0\u01f4\u01f5\u0218-\u021b\u0232\u0233\u0237\u02c6\u02c7\u02d8\u02d9"
    r"\u02db-\u02dd\u0e3f\u1e02\u1e03\u1e0d\u1e1e-\u1e21\u1e25\u1e30\u1e31\u1e37\u1e43\u1e45\u1e47\u1e5b"
    r"\u1e63\u1e6d\u1e8e-\u1e91\u1e9e\u1ef2\u1ef3\u200c\u2010-\u2016\u2018-\u201a\u201c-\u201e"
    r"\u2020-\u2022\u2026\u2030\u2031\u2039-\u203b\u203d\u2044\u204e\u2052\u20a1\u20a4\u20a6\u20a9\u20ab"
    r"\u20ac\u20b1\u2103\u2116\u2117\u211e\u2120\u2122\u2126\u2127\u212e\u2190-\u2193\u2329\u232a\u2422"
    r"\u2423\u25e6\u25ef\u266a\u27e8\u27e9\u3008\u3009\ufb00-\ufb06\ufeff"
    r"]+"
)
# Letters and the accents that follow them; most have one character together, which the fonts may have.
ACCENTED = re.compile("[A-Za-z][\u0300-\u036f]+")


def escape(text: str) -> str:
    """Make text safe for LaTeX: its ten special characters lose their meaning, and no line ends a paragraph.

    Characters that its fonts lack, such as those of other scripts, are named, so that the document is always made.
    A bracket or a star at the beginning would belong to the command before it, such as the end of a row.

    >>> escape("5% & more_text")
    '5\\\\% \\\\& more\\\\_text'
    >>> escape("国連 corpus")
    '{[}U+56FD U+9023] corpus'
    """
    return _printable(_without_commands(text))


def _without_commands(text: str) -> str:
    return re.sub(r"\s*\n\s*", " ", text).translate(SPECIAL)


def _printable(text: str) -> str:
    text = ACCENTED.sub(lambda match: unicodedata.normalize("NFC", match[0]), text.translate(OTHERS))
    text = MISSING.sub(lambda match: f"[{' '.join(f'U+{ord(c):04X}' for c in match[0])}]", text)
    return re.sub(r"^(\s*)([\[*])", r"\1{\2}", text)


def from_markdown(text: str) -> str:
    r"""Turn a cell or a note of a table into LaTeX: ``**bold**``, ``<sup>a</sup>``, and powers such as ``1.2e14``.

    >>> from_markdown("**3.3e18**")
    '$\\mathbf{3.3 \\cdot 10^{18}}$'
    >>> from_markdown("<sup>a</sup> 41.0 in section 6.1")
    '\\textsuperscript{a}\\,41.0 in section 6.1'
    """
    if power := re.fullmatch(r"(\**)(\d\.\d)e(\d+)\**", text):
        product = rf"{power[2]} \cdot 10^{{{power[3]}}}"
        return rf"$\mathbf{{{product}}}$" if power[1] else f"${product}$"
    text = _without_commands(text)
    text = re.sub(r"^<sup>([\w†]+)</sup> ", r"\\textsuperscript{\1}\\,", text)
    # A mark beside a number gets no width, so that the number stays in the middle of its column.
    text = re.sub(r"<sup>([\w†]+)</sup>", r"\\rlap{\\textsuperscript{\1}}", text)
    text = re.sub(r"\*\*(.+?)\*\*", r"\\textbf{\1}", text)
    text = SYMBOL.sub(lambda match: SYMBOLS[match[0]], text)
    return _printable(text)


def mathematics(text: str) -> str:
    r"""Turn ``O(n^2 · d)`` and ``1.65 log_k(n)^0.97`` into LaTeX, with thin spaces between factors.

    >>> mathematics("O(log_k(n))")
    '$O(\\log_k(n))$'
    """
    text = re.sub(r"\^(-?[\d.]+)", r"^{\1}", text)
    text = re.sub(r"(?<![+·]) (?![+·])", r"\,", text)
    return f"${text}$".replace("·", r"\cdot").replace("log_k", r"\log_k")
