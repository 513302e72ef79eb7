"""The index of the results, ``results/README.md``: which files there are, what they show, and which code made them."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from tabulate import tabulate

from transformer.common.files import sha256_of
from transformer.report.captions import Contents, caption_of

ABOUT = (
    "Every file here is of one scale, the last that was built; our numbers hold for that corpus only. The commit is "
    "the code's when this page was written; a file that no later change affected may be older."
)


def index(facts: Mapping[str, str], files: Sequence[Path], folder: Path, captions: Contents) -> str:
    """Return the page as Markdown: the ``facts``, then each of ``files`` with its caption and the sha256 of its bytes.

    Links are relative to ``folder``, which contains the page.
    """
    body, before = [], ""
    for file in files:
        what = caption_of(file, captions)
        link = Path(os.path.relpath(file, folder)).as_posix()
        body.append([f"[{link}]({link})", "the same" if what == before else what, f"`{sha256_of(file)}`"])
        before = what
    parts = [
        "# Results",
        tabulate(list(facts.items()), ["", ""], tablefmt="pipe", disable_numparse=True),
        ABOUT,
        tabulate(body, ["file", "what it is", "sha256"], tablefmt="pipe", disable_numparse=True),
    ]
    return "\n\n".join(parts) + "\n"
