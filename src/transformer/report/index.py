"""The index of the results, ``results/README.md``: what was made, of what, and by which code."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from tabulate import tabulate

from transformer.common.files import sha256_of
from transformer.report.captions import Contents, caption_of

ABOUT = (
    "Every file here is of one scale, the last that was built; what it says of ours holds for that corpus alone. The "
    "commit is that of the code when this page was written; a file that no change since concerned is older."
)


def index(facts: Mapping[str, str], files: Sequence[Path], folder: Path, captions: Contents) -> str:
    """The page, as Markdown: the ``facts``, then each of ``files`` with what it is and the sha256 of its bytes.

    Links are relative to ``folder``, where the page lies.
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
