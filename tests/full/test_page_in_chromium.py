"""A page of results in Chromium: it can be read and used on a phone, in the dark, and without a mouse."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip(
    "axe_playwright_python", reason="the packages of requirements-extras.lock are not installed"
)
import chromium
from axe_playwright_python.sync_playwright import Axe

pytestmark = pytest.mark.skipif(chromium.CHROMIUM is None, reason="there is no Chromium")

DEMO = Path(__file__).parents[2] / "docs" / "results" / "demo" / "index.html"


@pytest.fixture(scope="module", params=["with models", "published"])
def page(request: pytest.FixtureRequest, finished: Path) -> Iterator[Any]:
    file = DEMO if request.param == "published" else finished / "results" / "table2.html"
    with chromium.opened(file) as opened:
        yield opened


@pytest.mark.parametrize("width", [1500, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_screen_reader_and_a_phone(page: Any, scheme: Any, width: int) -> None:
    """axe-core looks for faults that keep people from using a page, such as colours with little contrast."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    found = Axe().run(page)
    assert found.response["passes"]
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") == width
