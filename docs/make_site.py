"""Put the pages of all results into one folder, which any web server can show.

    python docs/make_site.py --page results/index.html --walkthrough walkthrough.html --output site

``--page`` is the page that a run makes, with the models in it, and ``--walkthrough`` the notebook as HTML.  Either can
be left out.  .github/workflows/site.yaml calls this.
"""

import html
import shutil
from pathlib import Path

from transformer.common.arguments import Output, argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.folders import atomic_folder

RESULTS = Path(__file__).parent / "results"
START = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Attention Is All You Need, rebuilt</title>
<style>body {{ font: 1.1em/1.5 system-ui, sans-serif; max-width: 42em; margin: 2em auto; padding: 0 1em }}</style>
<h1>Attention Is All You Need, rebuilt</h1>
<p>The tables and figures of the paper, rebuilt from data, each number beside the paper's.</p>
<ul>
{items}
</ul>
</html>
"""


def main() -> None:
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add("--page", type=Path, help="the page of a run, with its models")
    add("--walkthrough", type=Path, help="docs/walkthrough.ipynb as HTML")
    add("--output", type=Output, required=True, help="the folder to write; its files are replaced")
    arguments = parser.parse_args()
    single = {
        "try.html": (arguments.page, "Try the demo's models: they translate what you type"),
        "walkthrough.html": (arguments.walkthrough, "Section 3 of the paper, with a trained model"),
    }
    scales = sorted(path.parent for path in RESULTS.glob("*/index.html"))
    if not scales:
        raise UserError(f"{RESULTS}: no published results; run this in a clone of the project")
    links: dict[str, str] = {}
    with atomic_folder(arguments.output) as new:
        for name, (file, text) in single.items():
            if file:
                shutil.copyfile(file, new / name)
                links[name] = text
        for scale in scales:
            shutil.copytree(scale, new / "results" / scale.name, ignore=shutil.ignore_patterns("runs"))
            links[f"results/{scale.name}/index.html"] = f"Published results of the scale {scale.name}"
        items = "\n".join(f'<li><a href="{link}">{html.escape(text)}</a>' for link, text in links.items())
        (new / "index.html").write_text(START.format(items=items), encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
