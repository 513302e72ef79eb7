"""A page of HTML as a list of its elements."""

from collections.abc import Iterator
from html.parser import HTMLParser


class Page(HTMLParser):
    """The elements of a page, each with its attributes and the text directly in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), []))

    def handle_data(self, data: str) -> None:
        if self.elements:
            self.elements[-1][2].append(data)

    def of(self, tag: str, **wanted: str) -> Iterator[tuple[dict[str, str | None], str]]:
        for name, attributes, texts in self.elements:
            if name == tag and wanted.items() <= attributes.items():
                yield attributes, "".join(texts)
