"""Write the index of the results: the files with their captions and sha256, the scale and the commit.

    python src/transformer/report/make_index.py --scale demo --corpus "own sentences" --seed 1 --seeds 1 \\
        --contents workflow/report/contents.yaml --files results/table2.tex results/report.pdf \\
        --output results/index.md
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.files import sha256_of, write_text
from transformer.common.yaml_files import read_yaml
from transformer.report.captions import Contents, caption_of
from transformer.tables.commit import describe_commit
from transformer.tables.table import markdown

ABOUT = (
    "All files here belong to the scale named above, and our numbers hold for its corpus only. The commit is that of "
    "the code which wrote this page; a file that no later change affected may come from an earlier commit."
)


def main() -> None:
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add("--scale", required=True)
    add("--corpus", required=True, help="the corpus as captions name it")
    add("--seed", required=True)
    add("--seeds", nargs="+", required=True, help="seeds of the trainings")
    add("--contents", type=Path, required=True, help="YAML with the caption of each file")
    add("--files", type=Path, nargs="+", required=True)
    add("--output", type=Path, required=True)
    arguments = parser.parse_args()
    facts = {
        "scale": f"`{arguments.scale}`",
        "corpus": arguments.corpus,
        "seed": arguments.seed,
        "seeds of the trainings": ", ".join(arguments.seeds),
        "commit": describe_commit(),
        "where each number is from": f"[{arguments.scale}/provenance.json]({arguments.scale}/provenance.json), "
        f"[{arguments.scale}/provenance/]({arguments.scale}/provenance/)",
    }
    captions = read_yaml(arguments.contents)
    write_text(arguments.output, index(facts, arguments.files, arguments.output.parent, captions))


def index(facts: Mapping[str, str], files: Sequence[Path], folder: Path, captions: Contents) -> str:
    """Return the page as Markdown: the ``facts``, then each of ``files`` with its caption and the sha256 of its bytes.

    Links are relative to ``folder``, which contains the page.
    """
    links = [Path(os.path.relpath(file, folder)).as_posix() for file in files]
    texts = pd.Series([caption_of(file, captions) for file in files])
    listed = {
        "file": [f"[{link}]({link})" for link in links],
        "what it is": texts.mask(texts == texts.shift(), "the same"),
        "sha256": [f"`{sha256_of(file)}`" for file in files],
    }
    return markdown(
        ["# Results", pd.DataFrame(facts.items(), columns=["", " "]), ABOUT, pd.DataFrame(listed)]
    )


if __name__ == "__main__":
    run_script(main)
