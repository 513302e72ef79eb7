"""The index of the results, ``results/README.md``: which files there are, what they show, and which code made them."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from tabulate import tabulate

from transformer.common.files import sha256_of
from transformer.report.captions import Contents, caption_of
from transformer.tables.table import markdown_cell

ABOUT = (
    "All files here belong to the scale named above, and our numbers hold for its corpus only. The commit is that of "
    "the code which wrote this page; a file that no later change affected may come from an earlier commit."
)


def index(facts: Mapping[str, str], files: Sequence[Path], folder: Path, captions: Contents) -> str:
    """Return the page as Markdown: the ``facts``, then each of ``files`` with its caption and the sha256 of its bytes.

    Links are relative to ``folder``, which contains the page.
    """
    about = [[markdown_cell(text) for text in fact] for fact in facts.items()]
    body, before = [], ""
    for file in files:
        what = caption_of(file, captions)
        link = Path(os.path.relpath(file, folder)).as_posix()
        said = "the same" if what == before else markdown_cell(what)
        body.append([f"[{link}]({link})", said, f"`{sha256_of(file)}`"])
        before = what
    parts = [
        "# Results",
        tabulate(about, ["", ""], tablefmt="pipe", disable_numparse=True),
        ABOUT,
        tabulate(body, ["file", "what it is", "sha256"], tablefmt="pipe", disable_numparse=True),
    ]
    return "\n\n".join(parts) + "\n"
