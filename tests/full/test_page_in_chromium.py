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


def test_the_files_behind_a_number(page: Any) -> None:
    """They show while the number is pointed to or has the focus, and stay after a click until Escape."""
    page.set_viewport_size({"width": 1500, "height": 900})
    number, panel = page.locator(".number").first, page.locator("#chain")
    assert not panel.is_visible()
    number.hover()
    assert "scores.json" in panel.inner_text()
    page.mouse.move(0, 0)
    assert not panel.is_visible()
    number.focus()
    page.keyboard.press("Enter")
    page.locator(".number").nth(1).focus()
    page.locator(".number").nth(1).blur()
    assert panel.is_visible()
    page.keyboard.press("Escape")
    assert not panel.is_visible()


@pytest.mark.parametrize("page", ["published"], indirect=True)
def test_a_table_is_sorted(page: Any) -> None:
    """Rising, falling, and then in the paper's order again."""
    table = page.locator("table.sortable").first
    head = table.locator("thead tr").last.locator("th:not(.plot)").last
    column = head.evaluate("head => head.cellIndex")
    script = "(table, i) => [...table.tBodies[0].rows].map(row => row.cells[i]?.textContent.trim() ?? '')"
    before = table.evaluate(script, column)
    orders = []
    for _ in range(3):
        head.get_by_role("button").click()
        orders.append((head.get_attribute("aria-sort"), table.evaluate(script, column)))
    assert [order for order, _ in orders] == ["ascending", "descending", None]
    assert orders[2][1] == before
    rising, falling = ([float(text) for text in texts if text[:1].isdigit()] for _, texts in orders[:2])
    assert rising == sorted(rising) != falling == rising[::-1]
