"""The folder that is published as a site."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def make_site(*options: object) -> None:
    subprocess.run([sys.executable, ROOT / "docs" / "make_site.py", *map(str, options)], check=True)


def test_every_link_of_the_site_leads_to_a_page(tmp_path: Path) -> None:
    site, page = tmp_path / "site", tmp_path / "page.html"
    page.write_text("<p>models")
    make_site("--page", page, "--output", site)
    make_site("--page", page, "--output", site)
    links = re.findall(r'href="([^"]+)"', (site / "index.html").read_text(encoding="utf-8"))
    published = sorted((ROOT / "docs" / "results").glob("*/index.html"))
    assert len(links) == len(published) + 1
    assert all((site / link).is_file() for link in links)
    assert not [path for path in site.rglob("*") if path.name == "runs"]
