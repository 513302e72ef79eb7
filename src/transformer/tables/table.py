"""The parts of every table: its figures as a DataFrame, and one description for both Markdown and the web."""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from transformer.tables.latex_table import add_note
from transformer.tables.runs import Run

STYLE = """body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; color: #1a1a1a; background: white }
table { border-collapse: collapse; border-top: 1.5px solid; border-bottom: 1.5px solid }
th, td { padding: 0.2em 0.7em; text-align: left; white-space: nowrap }
thead { border-bottom: 1px solid }
tbody tr:hover { background: #eef3fa }
td[title] { cursor: help }
p { max-width: 60em }"""


@dataclass(frozen=True)
class Cells:
    """The cells of a table as a DataFrame of Markdown text, and for some columns the source of each cell."""

    text: pd.DataFrame
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def markdown(self) -> str:
        """Return the table as Markdown."""
        text = self.text.map(markdown_cell).rename(columns=markdown_cell)
        return text.to_markdown(index=False, disable_numparse=True)

    def html(self) -> str:
        """Return the table with the source of each cell as its tooltip."""
        sources = (
            pd.DataFrame(dict(self.sources))
            .map(html.escape, na_action="ignore")
            .reindex_like(self.text)
            .where(self.text != "")
        )
        style = self.text.style.hide(axis="index").format(_cell_html)
        style = style.format_index(_cell_html, axis="columns")
        return str(style.set_tooltips(sources, as_title_attribute=True).to_html(exclude_styles=True))


Document = Sequence[str | Cells]  # headings (``# …``), paragraphs and tables, in their order


def markdown(document: Document) -> str:
    """Return a file for people who read it in a terminal or on a forge."""
    parts = [without_html(part) if isinstance(part, str) else part.markdown() for part in document]
    return "\n\n".join(parts) + "\n"


def without_html(text: str) -> str:
    """Return Markdown in which nothing but ``<sup>`` is an element of HTML.

    >>> without_html("41.0<sup>a</sup> on <script>")
    '41.0<sup>a</sup> on &lt;script>'
    """
    return re.sub(r"<(?=[A-Za-z/!?])(?!/?sup>)", "&lt;", text)


def markdown_cell(text: object) -> str:
    """Return what stands in a cell of a Markdown table: one line, in which ``|`` ends no cell."""
    return without_html(" ".join(str(text).split())).replace("|", r"\|")


def html_page(document: Document) -> str:
    """Return a self-contained web page; its title is the first part, a heading."""
    parts = [_block_html(part) if isinstance(part, str) else part.html() for part in document]
    title = re.sub("<.*?>", "", parts[0])
    head = f'<head>\n<meta charset="utf-8">\n<title>{title}</title>\n<style>\n{STYLE}\n</style>\n</head>'
    body = "\n".join(parts)
    return f'<!doctype html>\n<html lang="en">\n{head}\n<body>\n{body}\n</body>\n</html>\n'


def _block_html(text: str) -> str:
    marks, _, heading = text.partition(" ")
    tag, content = (f"h{len(marks)}", heading) if set(marks) == {"#"} else ("p", text)
    return f"<{tag}>{_inline_html(content)}</{tag}>"


def _cell_html(text: object) -> str:
    return _inline_html(str(text))


def _inline_html(text: str) -> str:
    text = html.escape(text, quote=False)
    text = re.sub(r"&lt;sup&gt;([\w†]+)&lt;/sup&gt;", r"<sup>\1</sup>", text)
    text = re.sub(r"`(.+?)`", r"<code>\1</code>", text)
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)


@dataclass(frozen=True)
class Table:
    """A table of the paper with ours beside it.

    ``data`` is its CSV; ``numbers`` gives the file from which each of our figures was read, for provenance.json.
    """

    name: str
    data: pd.DataFrame
    document: Document
    latex: str
    numbers: Sequence[Mapping[str, Any]]
    runs: Sequence[Run] = ()

    def with_note(self, note: str) -> "Table":
        """Return the table with one more note below it; without one if ``note`` is empty."""
        if not note:
            return self
        return replace(self, document=[*self.document, note], latex=add_note(self.latex, note))

    def files(self) -> dict[str, str]:
        """Return the table in each of its formats, by the name of the file."""
        return {
            f"{self.name}.tex": self.latex,
            f"{self.name}.csv": self.data.to_csv(index=False, lineterminator="\n"),
            f"{self.name}.md": markdown(self.document),
            f"{self.name}.html": html_page(self.document),
        }


def with_interval(value: float, low: float, high: float) -> str:
    """Return ``71.2 [70.1, 72.3]``, to one decimal as in the paper."""
    return f"{value:.1f} [{low:.1f}, {high:.1f}]"


def four_decimals(values: pd.Series) -> pd.Series:
    """Return numbers as text for a CSV file; a missing one is blank."""
    return values.map("{:.4f}".format, na_action="ignore").astype(object).fillna("")


def traced(path: str, sha256: str) -> str:
    """Name a file as the comments and tooltips of all tables do."""
    return f"{path} sha256:{sha256}"


def all_traced(paths: Sequence[str], sha256s: Sequence[str]) -> str:
    """Name several files, one per seed."""
    return "; ".join(map(traced, paths, sha256s))


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame whose columns are named by strings."""
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def numbers(table: str, scores: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows of the tidy frame as provenance.json holds them."""
    columns = ["run", "pair", "split", "test_set", "decoding", "measure", "value", "low", "high", "seed"]
    columns += ["path", "key", "sha256"]
    return [{"table": table, **row} for row in records(scores[columns].astype(object).replace({pd.NA: None}))]
