"""The page is self-contained, and safe for any text in the sentences."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.figures.attention_page import embedded, write_attention_page

EVIL = "</script><script>alert(1)</script><!-- & \u2028 “ ”"


def content(word: str) -> dict[str, Any]:
    part = {"queries": [word, "<EOS>"], "keys": [word, "<EOS>"], "weights": [[[[0.25, 0.75], [1.0, 0.0]]]]}
    sentence = {
        "word": word,
        "source": word,
        "translation": word,
        "attention": dict.fromkeys(("encoder", "decoder", "cross"), part),
    }
    names = {"run": "base", "pair": "en-de", "scale": "demo", "corpus": word}
    return {**names, "sentences": {"long_distance": sentence, "anaphora": sentence}}


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.data = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.found and self.found[-1][1].get("id") == "data":
            self.data += data


@pytest.fixture
def page(tmp_path: Path) -> str:
    write_attention_page(content(EVIL), tmp_path / "attention.html")
    return (tmp_path / "attention.html").read_text(encoding="utf-8")


def test_no_text_can_end_the_data(page: str) -> None:
    elements = Elements()
    elements.feed(page)
    assert [tag for tag, _ in elements.found].count("script") == 2
    data = json.loads(elements.data)
    assert len(data["sentences"]) == 1  # the same sentence occurs twice
    part = data["sentences"][0]["attention"]["cross"]
    assert part == {
        "queries": [EVIL, "<EOS>"],
        "keys": [EVIL, "<EOS>"],
        "weights": [[[[250, 750], [1000, 0]]]],
    }


def test_nothing_is_loaded(page: str) -> None:
    elements = Elements()
    elements.feed(page)
    assert not {"link", "img", "iframe", "base", "object"} & {tag for tag, _ in elements.found}
    assert not any({"src", "href"} & attributes.keys() for _, attributes in elements.found)
    assert set(re.findall(r"https?://[^\"' ]+", page)) == {
        "http://www.w3.org/2000/svg"
    }  # a namespace, which is never loaded
    assert "url(" not in page
    assert "@import" not in page


def test_text_of_the_data_is_never_parsed_as_html(page: str) -> None:
    assert "innerHTML" not in page
    assert "insertAdjacentHTML" not in page


@given(
    st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
def test_embedded_data_is_the_same_data(value: Any) -> None:
    text = embedded(value)
    assert json.loads(text) == value
    assert not set("<>&") & set(text)
