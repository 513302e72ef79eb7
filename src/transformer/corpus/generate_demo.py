"""Generate the demo corpus: parallel text in English, German and French, with the English trees."""

from collections.abc import Iterable
from pathlib import Path

from demo_grammar import Example, splits
from transformer.common.arguments import argument_parser
from transformer.common.errors import run_script
from transformer.common.files import write_text


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--sentences", type=int, required=True, help="number of training sentences")
    parser.add_argument("--dev", type=int, required=True, help="number of development sentences")
    parser.add_argument("--test", type=int, required=True, help="number of test sentences")
    parser.add_argument("--seed", type=int, required=True, help="seed of the random generator")
    parser.add_argument("--output-dir", type=Path, required=True, help="folder for en-de/, en-fr/ and trees/")
    arguments = parser.parse_args()
    sizes = {"train": arguments.sentences, "dev": arguments.dev, "test": arguments.test}
    for split, examples in splits(arguments.seed, sizes).items():
        _write(arguments.output_dir, split, examples)


def _write(folder: Path, split: str, examples: list[Example]) -> None:
    """Write one sentence or tree per line; line n of every file comes from the same derivation."""
    english = _lines(example.english for example in examples)
    write_text(folder / "en-de" / f"{split}.en", english)
    write_text(folder / "en-de" / f"{split}.de", _lines(example.german for example in examples))
    write_text(folder / "en-fr" / f"{split}.en", english)
    write_text(folder / "en-fr" / f"{split}.fr", _lines(example.french for example in examples))
    write_text(folder / "trees" / f"{split}.trees", _lines(example.tree for example in examples))


def _lines(items: Iterable[str]) -> str:
    return "".join(f"{item}\n" for item in items)


if __name__ == "__main__":
    run_script(main)
