"""A page with trained models in Chromium, driven by Playwright: opened from a file and without a network."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from transformer.page.pack_models import ModelFiles, packed_models, translator

CHROMIUM = shutil.which("chromium")
COLOURS = "--fg: #1b1b1b; --bg: #ffffff; --accent: #0b57d0; --muted: #5c5c5c; --line: #c9c9c9"


@contextmanager
def opened(file: Path) -> Iterator[Page]:
    """Open a file in Chromium.  Fails when a script of it does."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])  # for root
        page = browser.new_context(offline=True, viewport={"width": 1500, "height": 1000}).new_page()
        errors: list[Any] = []
        page.on("pageerror", lambda error: errors.append(error))
        page.goto(file.as_uri())
        yield page
        browser.close()
    assert errors == []


def write_page(file: Path, models: Sequence[ModelFiles], budget_bytes: int) -> None:
    """Write a page that holds nothing but the models."""
    body = translator(packed_models(models, budget_bytes))
    style = f":root {{{COLOURS}}}"
    file.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{style}</style>{body}</html>'
    )
