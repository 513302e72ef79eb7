"""A table as a web page."""

import re

from transformer.report.page import page

TABLE = "# Nine\n\n**Ours & theirs.**\n\n| a | b |\n|:--|:--|\n| 1<sup>a</sup> | **2** |\n"


def test_a_table_becomes_html() -> None:
    text = page(TABLE)
    assert "<title>Nine</title>" in text
    assert "<strong>Ours &amp; theirs.</strong>" in text
    assert re.findall(r"<td[^>]*>(.*?)</td>", text) == ["1<sup>a</sup>", "<strong>2</strong>"]


def test_it_needs_nothing_else() -> None:
    assert not re.search(r"https?:|src=|href=|@import", page(TABLE))
