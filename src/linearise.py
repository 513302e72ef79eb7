"""Write trees as what a parser is trained on: each sentence's words, and its tree as symbols."""

import argparse
from pathlib import Path

from transformer.corpus.linearised import linearise, source_text
from transformer.corpus.trees import read_trees, terminals
from transformer.errors import run_script
from transformer.files import atomic_writer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--trees", type=Path, required=True, help="one a line, as prepare_treebank.py writes them"
    )
    parser.add_argument(
        "--words", choices=["tags", "XX"], required=True, help="what a word is among the symbols"
    )
    parser.add_argument("--tags-in-input", action="store_true", help="write each word's tag before it")
    parser.add_argument("--output-source", type=Path, required=True, help="the sentences")
    parser.add_argument("--output-target", type=Path, required=True, help="the symbols")
    arguments = parser.parse_args()
    with atomic_writer(arguments.output_source) as source, atomic_writer(arguments.output_target) as target:
        for tree in read_trees(arguments.trees):
            source.write(source_text(terminals(tree), arguments.tags_in_input) + "\n")
            target.write(" ".join(linearise(tree, tags=arguments.words == "tags")) + "\n")


if __name__ == "__main__":
    run_script(main)
