r"""Text as LaTeX: special characters, the Markdown that tables use, and mathematics."""

import re

SPECIAL = re.compile(r"[&%$#_{}~^\\]")
# LaTeX's default font has other characters in the places of these, such as ¡ for <.
OTHERS = {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
OTHER = re.compile("[<>|]")
SYMBOLS = {"±": r"$\pm$", "†": r"\dag{}", "τ-b": r"$\tau_b$", "ρ": r"$\rho$"}  # that text fonts lack
SYMBOL = re.compile("|".join(SYMBOLS))
COMMANDS = {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}


def escape(text: str) -> str:
    """Make text safe for LaTeX: its ten special characters lose their meaning, and no line ends a paragraph.

    A bracket or a star at the beginning would belong to the command before it, such as the end of a row.

    >>> escape("5% & more_text")
    '5\\\\% \\\\& more\\\\_text'
    """
    return _without_argument(_in_any_font(_without_commands(text)))


def _without_commands(text: str) -> str:
    text = re.sub(r"\s*\n\s*", " ", text)
    return SPECIAL.sub(lambda match: COMMANDS.get(match[0], "\\" + match[0]), text)


def _in_any_font(text: str) -> str:
    return OTHER.sub(lambda match: OTHERS[match[0]], text)


def _without_argument(text: str) -> str:
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
    text = _in_any_font(text)
    text = re.sub(r"\*\*(.+?)\*\*", r"\\textbf{\1}", text)
    return SYMBOL.sub(lambda match: SYMBOLS[match[0]], _without_argument(text))


def mathematics(text: str) -> str:
    r"""Turn ``O(n^2 · d)`` and ``1.65 log_k(n)^0.97`` into LaTeX, with thin spaces between factors.

    >>> mathematics("O(log_k(n))")
    '$O(\\log_k(n))$'
    """
    text = re.sub(r"\^(-?[\d.]+)", r"^{\1}", text)
    text = re.sub(r"(?<![+·]) (?![+·])", r"\,", text)
    return f"${text}$".replace("·", r"\cdot").replace("log_k", r"\log_k")
